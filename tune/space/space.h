/* Search space: tunable parameters, the constraints between them, and the problem and device that they may
 * name. A space is built once, then read-only (not thread-safe: constraints own memory).
 *
 * Parameters that constraints link form groups. The valid tuples of a group are enumerated once, so that the
 * valid configurations are the product of groups: counting is exact, and drawing needs no rejection however
 * few of the Cartesian product are valid. A group of more than SPACE_MAX_TUPLES valid tuples (or of more than
 * 2^21 steps to find them) stays "open": it is walked, and drawn from by random descent, which reaches every
 * valid configuration but not with equal chance. */
#ifndef ASSAY_TUNE_SPACE_H
#define ASSAY_TUNE_SPACE_H

#include "tune/space/evaluation.h"
#include "tune/space/expression.h"
#include "core/opspec.h"
#include <jansson.h>

enum {
    SPACE_MAX_CONSTANTS = 30,
    SPACE_MAX_CONSTRAINTS = 64,
    SPACE_MAX_VALUES = 4096,
    SPACE_MAX_TUPLES = 1 << 22
};

/* What a parameter stands for in the kernel: what the heuristic reasons with. Guessed from its name. */
typedef enum space_role {
    SPACE_ROLE_NONE,
    SPACE_ROLE_TILE_M, /* elements of a block's output tile along M, N, and the step along K */
    SPACE_ROLE_TILE_N,
    SPACE_ROLE_TILE_K,
    SPACE_ROLE_STAGES,
    SPACE_ROLE_WARPS,
    SPACE_ROLE_THREADS, /* threads a block, or along one axis of it: the product counts */
    SPACE_ROLE_VECTOR,  /* elements or bytes of one memory access */
    SPACE_ROLE_ELEMENTS_PER_THREAD,
    SPACE_ROLE_UNROLL,
    SPACE_ROLE_SPLIT,
    SPACE_ROLE_GROUP,
    SPACE_ROLE_CLUSTER
} space_role;
space_role space_guess_role(const char *parameter);
const char *space_role_name(space_role role);

typedef struct space_parameter {
    char name[ASSAY_NAME_MAX];
    int value_count;
    const expression_value *values;
    int default_index; /* the first value where a file names no default */
    space_role role;
} space_parameter;

typedef struct space space;

/* ---- building: create, add in any order, finish ---- */

assay_status space_create(space **out, assay_error *error);
void space_free(space *s);
/* Values are copied, texts too. They must be different. `default_index` in range. ASSAY_ERR_INVALID names the
 * parameter. */
assay_status space_add_parameter(space *s, const char *name, const expression_value *values, int value_count,
                                 int default_index, assay_error *error);
/* A number that constraints may name: a dimension (M, N, K), element_bytes, a device limit. */
assay_status space_add_constant(space *s, const char *name, double number, assay_error *error);
/* An expression that must be true. It is parsed by space_finish; kept as given for messages and export. */
assay_status space_add_constraint(space *s, const char *text, assay_error *error);
/* Parse all expressions and enumerate. ASSAY_ERR_INVALID: `constraint "...": column 7: ...`. A space without one
 * valid configuration is no error: space_count is 0. */
assay_status space_finish(space *s, assay_error *error);

/* Instead of space_finish: the valid configurations are these (a recorded space) and no constraint is looked at. They
 * are copied; equal ones count once. */
assay_status space_finish_with(space *s, const configuration *valid, size_t count, assay_error *error);

/* Device limits as constraints name them. 0: not known, and the name is not defined. */
typedef struct space_limits {
    int64_t max_threads_per_block, max_shared_bytes_per_block, max_registers_per_thread;
    int64_t registers_per_sm, shared_bytes_per_sm, threads_per_sm, blocks_per_sm, sm_count, warp_size;
} space_limits;
/* Limits of an architecture ("sm_90a"), of which sm_count is 0; those of sm_90 for "cpu" and unknown ones. */
space_limits space_limits_of(const char *arch);

/* The finished space of a variant: tunables and constraints of op.json; constants are the dimensions, dtype's
 * `element_bytes`, and the members of `limits` by their names. A variant without tunables gives a space with no
 * parameters and one valid configuration. `dims` and `limits` may be NULL. */
assay_status space_from_op(const opspec *spec, const char *variant, const opspec_dims *dims,
                           assay_dtype dtype, const space_limits *limits, space **out, assay_error *error);

/* The finished space of a T1 document: ConfigurationSpace.TuningParameters[]{Name, Type, Values, Default} and
 * Conditions[]{Parameters, Expression}. `where` names the file in messages. */
assay_status space_from_t1(const json_t *root, const char *where, space **out, assay_error *error);

/* The values and conditions of a T1 document in the place of op.json's, for this process. Its parameters are tunables of the variant; a
 * tunable that it does not name keeps its default alone. The default is op.json's where that is among the values, else the file's. `where`
 * is kept as set->file. On an error (ASSAY_ERR_FORMAT) *set is as before; conditions are parsed by space_from_op(). */
assay_status space_t1_tunables(const json_t *root, const char *where, opspec_variant_tunables *set,
                               assay_error *error);

/* ---- asking a finished space ---- */

int space_parameter_count(const space *s);
const space_parameter *space_parameter_at(const space *s, int parameter);
/* -1 if there is none. */
int space_find_parameter(const space *s, const char *name);
int space_constraint_count(const space *s);
const char *space_constraint_text(const space *s, int constraint);
/* NAN if there is none of that name. */
double space_constant(const space *s, const char *name);
/* Configurations without constraints; UINT64_MAX where it is more. */
uint64_t space_cartesian_count(const space *s);
/* Valid ones, exactly; UINT64_MAX where it is more or a group is open (see space_is_open). */
uint64_t space_count(const space *s);
int space_is_open(const space *s);
/* Valid configuration number `rank`, 0 ... space_count - 1, in a fixed order. Not for open spaces (returns 0). */
int space_at(const space *s, uint64_t rank, configuration *out);
/* The first valid configuration (`started` 0), or the one after *c in that order; 0 at the end. For open spaces
 * too. */
int space_next(const space *s, int started, configuration *c);

/* 1 if all indices are in range and all constraints hold. `broken` may be NULL; else it is the number of the
 * first constraint that fails, -1 for an index out of range. A constraint that cannot be evaluated (division by
 * zero) fails. */
int space_is_valid(const space *s, const configuration *c, int *broken);

/* A valid configuration drawn with words `counter` ... of stream `seed`; the same words give the same one.
 * 0 if there is none (or none was found in an open space). */
int space_draw(const space *s, uint64_t seed, uint64_t counter, configuration *out);

typedef enum space_nearness {
    SPACE_ADJACENT, /* one parameter moved to its next value up or down */
    SPACE_HAMMING   /* one parameter with any other value */
} space_nearness;
/* Valid configurations that differ from `c` in one parameter; at most `most` are written. Returns how many. */
int space_neighbours(const space *s, const configuration *c, space_nearness nearness, configuration *out,
                     int most);
/* The valid configuration next to an invalid one: keeps as many of its values as a descent with the given
 * random words finds. 0 if none was found. */
int space_repair(const space *s, uint64_t seed, uint64_t counter, configuration *c);

void space_default(const space *s, configuration *out);
int configuration_equals(const configuration *a, const configuration *b);
/* 64-bit hash of the indices; for tables in memory. */
uint64_t configuration_hash(const configuration *c);
/* The value of a parameter. */
const expression_value *configuration_value(const space *s, const configuration *c, int parameter);
/* {"BLOCK_M": 128, ...}. New reference. */
json_t *configuration_to_json(const space *s, const configuration *c);
/* Reads a label (parameters left out have their default) or a JSON object (all parameters needed). Validity is
 * not checked. ASSAY_ERR_INVALID names the parameter and the values that are allowed. */
assay_status configuration_parse(const space *s, const char *label, configuration *out, assay_error *error);
assay_status configuration_from_json(const space *s, const json_t *object, configuration *out,
                                     assay_error *error);

#endif

/* "sweep" of op.json: how shapes that nobody chose are drawn. It decides no verdict and is in no hash of a case (results/problem_hash.h).
 *
 * A family is a kind of shape: it says of every dimension, and of some parameters, where the value comes from. What a family does not say
 * is as in the op's common "dims" and "params"; here each family has everything. */
#ifndef ASSAY_CORE_OPSPEC_SWEEP_H
#define ASSAY_CORE_OPSPEC_SWEEP_H

#include "core/opspec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    OPSPEC_MAX_FAMILIES = 16,
    OPSPEC_MAX_LAYOUTS = 8,
    OPSPEC_MAX_DRAW_VALUES = 24,
    OPSPEC_MAX_DRAWS = OPSPEC_MAX_DIMS + OPSPEC_MAX_SIZE_PARAMS
};

typedef enum opspec_draw_kind {
    OPSPEC_DRAW_RANGE,  /* log-uniform from min to max; of a real parameter uniform */
    OPSPEC_DRAW_VALUES, /* one of a list, each as often as it stands there */
    OPSPEC_DRAW_EQUAL   /* the value of another dimension */
} opspec_draw_kind;

/* Where the value of one dimension or parameter comes from. */
typedef struct opspec_draw {
    char name[ASSAY_NAME_MAX];
    int is_param;
    opspec_draw_kind kind;
    double min, max;
    int64_t multiple; /* every value of a range is a multiple of it */
    double share_8,
        share_64; /* parts of the draws of a range that are rounded down to multiples of 8 and of 64 */
    int value_count;
    assay_param values[OPSPEC_MAX_DRAW_VALUES]; /* of a dimension: integers */
    char equal[16];
} opspec_draw;

typedef struct opspec_family {
    char name[ASSAY_NAME_MAX], about[200];
    double weight;
    int draw_count;
    opspec_draw draws[OPSPEC_MAX_DRAWS]; /* every dimension in the op's order, then parameters */
} opspec_family;

/* Axes of inputs where parameters have these values. An axis is as in "shapes" of a size, or "C/groups": a dimension divided by an integer
 * parameter. */
typedef struct opspec_layout {
    int when_count;
    assay_param when[OPSPEC_MAX_SIZE_PARAMS];
    struct {
        int rank; /* 0: as in "inputs" */
        char axis[ASSAY_MAX_RANK][32];
    } inputs[ASSAY_MAX_TENSORS];
} opspec_layout;

/* The largest problem that is drawn: least traffic and operations of the definition (assay_op_impl), and the largest value of some
 * dimensions, where neither says how long a device takes (rows that are a block each). */
typedef struct opspec_bounds {
    double bytes, flops;
    int dim_count;
    opspec_dim dims[OPSPEC_MAX_DIMS];
} opspec_bounds;

typedef struct opspec_sweep {
    int family_count, layout_count;
    opspec_family families[OPSPEC_MAX_FAMILIES];
    opspec_layout layouts[OPSPEC_MAX_LAYOUTS];
    opspec_bounds cpu, cuda;
} opspec_sweep;

/* A shape (opspec_add_shape()) with "shapes" by the first layout that its parameters match; the same object where it has "shapes" or no
 * layout is for it. *out is a new reference. ASSAY_ERR_INVALID: a dimension is no multiple of what divides it. */
assay_status opspec_lay_out(const opspec *spec, const json_t *shape, json_t **out, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* What the parts of opspec.h share, most of it in opspec_reader.c: opspec_load.c reads what an op is, opspec_problems.c the problems it is run
 * with, opspec_solve.c checks how contests' kernels are called, opspec_lookup.c looks things up. Private to them. */
#ifndef ASSAY_CORE_OPSPEC_READER_H
#define ASSAY_CORE_OPSPEC_READER_H

#include "core/opspec.h"
#include <jansson.h>

typedef struct opspec_reader {
    const char *file;
    opspec *spec;
    assay_error *error;
} opspec_reader;

#define OPSPEC_FAIL(r, ...) assay_error_set((r)->error, ASSAY_ERR_INVALID, __VA_ARGS__)

/* An error unless `name` may become part of targets, files and C symbols. */
assay_status opspec_need_identifier(opspec_reader *r, const char *key, const char *name);

/* "real", "integer", "boolean", "text" */
const char *opspec_type_name(assay_param_type type);

/* Store a JSON value as a parameter of the rule's type. */
assay_status opspec_read_param_value(opspec_reader *r, const char *key, const json_t *value,
                                     const opspec_param *rule, assay_param *param);

/* Rank and shape of an input for given dimensions. NULL, or the name of the dimension that has no value. */
const char *opspec_shape_input(const opspec *spec, int input, const opspec_dims *dims, assay_tensor *tensor);

/* A list of dtypes as a mask; all of the op's where there is none. `key`: where the list stands, for the error. */
assay_status opspec_read_dtype_mask(opspec_reader *r, const char *key, const json_t *list, unsigned *mask);

/* 0, or 1 and words for it, if a tensor has more elements than any machine holds: their bytes, and sums of those, would not fit 64 bits. */
int opspec_has_too_many(const assay_tensor *tensor, char *words, size_t bytes);

/* An error if an object before the one at `index` of the list has its "name" too. */
assay_status opspec_need_new_name(opspec_reader *r, const char *key, const json_t *list, size_t index);

/* One more size of the op; `on_cpu` may be NULL. The caller sees to room for it. */
assay_status opspec_read_size(opspec_reader *r, const char *name, const json_t *object, const json_t *on_cpu);

/* "sizes" with "cpu_sizes", "edge_cases" and "huge_cases"; inputs, parameters and dtypes must have been read. */
assay_status opspec_read_problems(opspec_reader *r, const json_t *root);

/* "sweep" (may be NULL); the sizes must have been read. */
assay_status opspec_read_sweep(opspec_reader *r, const json_t *object);

assay_status opspec_check_solve(opspec_reader *r, const json_t *list);

#endif

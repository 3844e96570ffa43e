/* The shapes of a sweep, and files of them: one JSON object a line, {"M": 777, "N": 4096, "K": 64, "params": {...}, "family": "any"}. */
#ifndef ASSAY_SWEEP_SHAPE_LIST_H
#define ASSAY_SWEEP_SHAPE_LIST_H

#include "core/opspec.h"
#include <stdio.h>

typedef struct sweep_shape {
    json_t *shape;               /* owned: as opspec_add_shape() takes it */
    char name[ASSAY_NAME_MAX];   /* the size's name while it is added */
    char family[ASSAY_NAME_MAX]; /* "" of a list that does not say */
} sweep_shape;

typedef struct shape_list { /* zero-initialise */
    int count, capacity;
    sweep_shape *shapes; /* owned */
} shape_list;

void shape_list_release(shape_list *list);
/* 1 if a shape has the name. */
int shape_list_has(const shape_list *list, const char *name);
/* Append; takes the reference, also where it fails. */
assay_status shape_list_add(shape_list *list, json_t *shape, const char *name, const char *family,
                            assay_error *error);

/* Whether the op computes it: adds it as a size for a moment. The problem is that of `dtype`; its parts have no data. `name` gets the size's
 * name. ASSAY_ERR_INVALID: the op does not have this problem. The spec keeps no shape, so none may be added before. */
assay_status shape_check(opspec *spec, const assay_op_impl *impl, assay_dtype dtype, const json_t *shape,
                         assay_problem *problem, char name[ASSAY_NAME_MAX], assay_error *error);

/* Read a file ("-": standard input). ASSAY_ERR_INVALID with file and line: no JSON object, an unknown key, a value of the wrong kind, a
 * problem that the op does not have, a shape that is there twice. Empty lines are skipped. */
assay_status shape_list_read(opspec *spec, const assay_op_impl *impl, const char *path, shape_list *list,
                             assay_error *error);
/* The reverse. */
void shape_list_print(const shape_list *list, FILE *out);

/* "M=777 N=4096 causal=true" */
void shape_text(const json_t *shape, char *out, size_t bytes);
/* The value of a dimension, or of a parameter that is a number; `fallback` where there is none. */
double shape_value(const json_t *shape, const char *name, double fallback);

#endif

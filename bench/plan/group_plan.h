/* The plan of one group: what assay-bench-group is to measure, as one JSON document. `assay bench` writes it for each of its workers;
 * `assay bench --dry-run` prints it. docs/formats-programs.md has the keys. */
#ifndef ASSAY_BENCH_GROUP_PLAN_H
#define ASSAY_BENCH_GROUP_PLAN_H

#include "bench/run/record.h"
#include <jansson.h>

typedef struct group_plan {
    const char *workspace; /* folder with assay.json */
    const char *op, *dtype, *size;
    const char *variants; /* with commas, exact names; only verified ones are timed */
    const char
        *baselines; /* with commas: copy, reference, torch_eager, torch_compile, triton, or a module's name */
    /* Of a size that op.json does not list (opspec_add_shape()): the size, of a plan to be written; its object, of one that was read. Else
     * NULL. Borrowed. */
    const opspec_size *shape;
    const json_t *shape_object;
    int device; /* number of the device */
    bench_method method;
    double
        give_up_us; /* 0: never; else a candidate whose first repetition of a mode takes longer gets no second one */
    int modes_named; /* 1: a user named the timing modes; candidates are then left out of none (protocol.h) */
    const char *torch_socket;  /* of the measuring server; NULL: none */
    const char *torch_missing; /* why there is none; NULL: unknown */
    const char *
        confined; /* the worker confines itself before it loads a kernel, and may write below this folder's `bench`; NULL: not */
    int quiet;    /* 1: print nothing. Not part of the document */
    json_t *document; /* owned; the texts lie in it. NULL where they are the caller's */
} group_plan;

/* Read a plan from a file, or from standard input where the path is "-". ASSAY_ERR_FORMAT with file and key: a key is missing, unknown or of
 * the wrong kind. Release it, also after a failure. */
assay_status group_plan_read(const char *path, group_plan *out, assay_error *error);
void group_plan_release(group_plan *plan);

/* The document of a plan. New reference. */
json_t *group_plan_json(const group_plan *plan);

#endif

/* A group: one op, dtype and size, all its candidates measured in one process, taking turns repetition by
 * repetition in a random order with a fixed seed. Only such candidates may be compared: a card under its power cap
 * changes its speed by several percent between any two runs (docs/measurement.md). */
#ifndef ASSAY_BENCH_GROUP_H
#define ASSAY_BENCH_GROUP_H

#include "bench/run/record.h"

typedef struct group_options {
    const char *op, *dtype, *size;
    const char *variants; /* comma-separated, exact names; "" none */
    const char
        *peers; /* comma-separated: copy, reference, torch_eager, torch_compile, or a peer module's name */
    const char *torch_socket;  /* NULL: none */
    const char *torch_missing; /* why there is none; NULL: unknown */
    bench_method method;
    int quiet;
} group_options;

typedef struct group_outcome {
    int timed;       /* candidates with figures whose output passed */
    int wrong;       /* candidates timed or run and found wrong */
    int refused;     /* variants whose verdict is not "pass" */
    int unavailable; /* peers that are not there */
} group_outcome;

/* Defaults of a device kind; `family` is op.json's (matrix products on CUDA get `sustained`, too). `quick`
 * cuts repetitions and times. */
void bench_method_default(bench_method *method, const char *device_kind, const char *family, int quick);

/* Measure and write one result file a candidate; prints a line a candidate. ASSAY_ERR_CHECK if a candidate was found wrong
 * (its file says so), ASSAY_ERR_UNSUPPORTED if the problem does not fit the device (files say so),
 * ASSAY_ERR_DEVICE if the device stopped working for this process: results written before are good, the rest
 * has to be measured by other processes. */
assay_status group_run(workspace *ws, assay_device *device, const group_options *options,
                       group_outcome *outcome, assay_error *error);

#endif

/* From what a group measured of a candidate to its result (results/result.h) and its file. */
#ifndef ASSAY_BENCH_RESULT_H
#define ASSAY_BENCH_RESULT_H

#include "bench/run/record.h"
#include "results/result_file.h"

/* What all results of a group have in common. Pointers are borrowed. */
typedef struct result_group {
    const workspace *ws;
    const workspace_op *op;
    assay_dtype dtype;
    const char *size;
    const assay_device_info *device;
    const bench_method *method;
    const char *interleaved_with;     /* comma-separated names of all candidates that alternated */
    double overhead_us[TIMING_MODES]; /* of an empty kernel, by mode; 0: not measured */
} result_group;

/* RESULTS/bench/OP.NAME.DTYPE.SIZE.json, NAME a variant or baseline_NAME. */
void result_path(const result_group *group, const char *name, char *out, size_t out_bytes);

/* What is known before a candidate is timed: case, problem, machine, method and, of a variant, its module. A result on disk is fresh if its
 * identity is that of this one. The caller's; NULL without memory. */
result *result_begin(const result_group *group, const bench_record *record, assay_error *error);

/* Compose and write atomically. Works for records without any time, too ("not timed", "unavailable"). */
assay_status result_write(const result_group *group, const bench_record *record, assay_error *error);

/* "71.9 us +-0.3%  hot 67.5 us  ok": one line without newline for the terminal. */
void result_describe(const bench_record *record, char *out, size_t out_bytes);

#endif

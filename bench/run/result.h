/* The result file of a case or peer: Google Benchmark's schema plus `assay`, as docs/formats.md describes it.
 */
#ifndef ASSAY_BENCH_RESULT_H
#define ASSAY_BENCH_RESULT_H

#include "bench/run/record.h"

/* What all results of a group have in common. Pointers are borrowed. */
typedef struct result_group {
    const workspace *ws;
    const workspace_op *op;
    assay_dtype dtype;
    const char *size;
    const assay_device_info *device;
    const bench_method *method;
    const char *interleaved_with; /* comma-separated names of all candidates that took turns */
    double floor_cold_us, floor_hot_us, floor_host_us; /* negative: not measured */
} result_group;

/* RESULTS/bench/OP.NAME.DTYPE.SIZE.json, NAME a variant or peer_PEER. */
void result_path(const result_group *group, const char *name, char *out, size_t out_bytes);

/* Compose and write atomically. Works for records without any figure, too ("not timed", "unavailable"). */
assay_status result_write(const result_group *group, const bench_record *record, assay_error *error);

/* The method as JSON; `interleaved_with` is left out. Equal methods give equal JSON. New reference. */
json_t *result_method_json(const bench_method *method);

/* "71.9 us +-0.3%  hot 67.5 us  ok": one line without newline for the terminal. */
void result_describe(const bench_record *record, char *out, size_t out_bytes);

#endif

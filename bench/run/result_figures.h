/* The measured part of a result file: `assay.figures`, and Google Benchmark's report of the same repetitions.
 */
#ifndef ASSAY_BENCH_RESULT_FIGURES_H
#define ASSAY_BENCH_RESULT_FIGURES_H

#include "bench/run/result.h"
#include "bench/run/roof.h"

/* Microseconds to three decimals: events do not resolve more, and files stay small. New reference. */
json_t *figures_round(double us);

/* `assay.figures`: an object by figure name. New reference. */
json_t *figures_json(const bench_record *record, const roof *top, double flops, double bytes);

/* {"context": .., "benchmarks": [..]} of Google Benchmark's reporter. *out is a new reference, NULL on
 * failure. */
assay_status figures_gbench_json(const result_group *group, const bench_record *record, const roof *top,
                                 double flops, double bytes, json_t **out, assay_error *error);

#endif

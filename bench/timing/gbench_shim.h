/* Google Benchmark behind a C interface: measured repetitions go in, the JSON report of its own reporter
 * comes out.
 *
 * The harness takes turns between candidates by itself (Google Benchmark has no fixed-seed interleaving with
 * bounded repeats), so the benchmarks registered here replay what was measured as manual time: one Google
 * Benchmark repetition per measured repetition, whose mean is exact and whose iteration count is the smallest
 * of the case's launch counts. Its `real_time` and its aggregates are those of the device times; its
 * `cpu_time` is host time of the replay and says nothing about the kernel. Works with versions 1.7 and 1.8.
 */
#ifndef ASSAY_BENCH_GBENCH_SHIM_H
#define ASSAY_BENCH_GBENCH_SHIM_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbench_counter {
    const char *name;
    double value; /* per launch if `rate`, then reported per second; left out if not finite or zero */
    int rate;
} gbench_counter;

typedef struct gbench_repetition {
    double total_us; /* of all launches together */
    long long launches;
} gbench_repetition;

typedef struct gbench_case {
    const char *name; /* "softmax/v4_optimized/bf16/large/cold" */
    const gbench_repetition *repetitions;
    int repetition_count;
    const gbench_counter *counters;
    int counter_count;
} gbench_case;

typedef struct gbench_context_entry {
    const char *key, *value;
} gbench_context_entry;

/* Hand over options such as --benchmark_min_time=...; argv[0] is the program. Once, before the first report.
 * Returns ASSAY_ERR_INVALID if one is not known to Google Benchmark. */
assay_status gbench_start(int argc, char **argv, assay_error *error);

/* Run the cases through Google Benchmark. *json is malloc'ed text; it is strict JSON: what Google Benchmark
 * writes as bare NaN or Infinity is null. */
assay_status gbench_report(const gbench_case *cases, int case_count, const gbench_context_entry *context,
                           int context_count, char **json, assay_error *error);

/* Replace bare NaN, Infinity, -Infinity, inf and nan outside strings by null, in place of the same length or
 * shorter. Public for its test. */
void gbench_make_strict(char *json);

#ifdef __cplusplus
}
#endif
#endif

/* Runs of the supervisor with real workers on the CPU device. */
#ifndef ASSAY_TESTS_BENCH_RUN_TEST_H
#define ASSAY_TESTS_BENCH_RUN_TEST_H

#include "scratch_test.h"
#include "bench/plan/bench.h"

static const case_filter small = {.sizes = "small"}, two_sizes = {.sizes = "small,medium"},
                         three_sizes = {.sizes = "small,medium,large"};
static const bench_options usual = {
    .repetitions = 2, .warmup_ms = 1.0, .sample_ms = 4.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};

static bench_summary summary; /* of the last run */

static inline assay_status run(const case_filter *filter, const bench_options *options)
{
    assay_error error = {0};
    const assay_status status = bench_run(s.ws, filter, options, &summary, &error);
    if (status != ASSAY_OK && status != ASSAY_ERR_CHECK)
        print_message("bench_run: %s\n", error.message);
    return status;
}

static inline void two_good_variants(void)
{
    open_with((const made_variant[]){
        {"v1_first", "plain_spin_400", "pass"}, {"v2_second", "plain_spin_420", "pass"}, {0}});
}

#endif

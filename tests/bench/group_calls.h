/* Groups as the tests run them: f32 add at small on the CPU device, in a few short repetitions. */
#ifndef ASSAY_TESTS_BENCH_GROUP_CALLS_H
#define ASSAY_TESTS_BENCH_GROUP_CALLS_H

#include "bench/run/group.h"
#include "scratch.h"

assay_status run_group(scratch *s, const char *variants, const char *baselines, bench_method method,
                       group_outcome *outcome, assay_error *error);
bench_method short_method(const char *modes);

#endif

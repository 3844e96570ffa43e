/* A result with a value in every field, for tests. */
#ifndef ASSAY_TESTS_RESULTS_EXAMPLE_RESULT_H
#define ASSAY_TESTS_RESULTS_EXAMPLE_RESULT_H

#include "results/result.h"

/* softmax.v4_optimized.bf16.small on a GPU, ok, cold and hot, two repetitions of three samples each. */
result *example_result(void);
/* The same problem by a library. */
result *example_baseline(const char *name, int unranked);
/* A mode's times around `mean_us`, with two repetitions. */
void example_times(result *r, timing_mode mode, double mean_us);

#endif

/* Cold times the way nvbench takes them, written against the CUDA runtime alone, so that bench/timing/timing.c has something independent to be
 * checked against: one launch at a time, a memset of the L2 cache's size before each and waited for, a blocking kernel around the launch,
 * and samples until their relative deviation is at most 0.5% after half a second (nvbench's `stdrel` criterion), 3 s at most (nvbench's own limit
 * is 15 s; the median has settled long before).
 * Source of the method: NVIDIA/nvbench, docs/benchmarks.md and its cold measurement. */
#ifndef ASSAY_BENCH_CROSSCHECK_COLD_H
#define ASSAY_BENCH_CROSSCHECK_COLD_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crosscheck_times {
    int samples;
    double mean_us, median_us, noise_percent; /* relative standard deviation */
} crosscheck_times;

/* `launch` enqueues the work on `stream` (a cudaStream_t of the current device). */
assay_status crosscheck_cold(assay_status (*launch)(void *context), void *context, void *stream,
                             crosscheck_times *out, assay_error *error);

/* Launch once, then `launches` (at least 1) times between the marks that a profiler started with --profile-from-start off waits for. Unless
 * `launch_empty` is NULL, each launch is followed by one of it, so that the profiler sees its own launch overhead at the same clocks. */
assay_status crosscheck_profile(assay_status (*launch)(void *context),
                                assay_status (*launch_empty)(void *context), void *context, void *stream,
                                int launches, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* The method that a group is timed by unless a user says otherwise. */
#include "bench/plan/plan.h"
#include <stdio.h>
#include <string.h>

void bench_method_default(bench_method *method, const char *device_kind, const char *family, int quick)
{
    const int cuda = strcmp(device_kind, "cuda") == 0;
    *method = (bench_method){.repetitions = quick ? 3 : 10,
                             .warmup_ms = quick ? 5.0 : 25.0,
                             .sample_ms = quick ? 20.0 : 100.0,
                             .min_samples = quick ? 1 : 3,
                             .max_samples = 400,
                             .bound_s = quick  ? 4.0
                                        : cuda ? 20.0
                                               : 6.0, /* a host has no time to give away */
                             .seed = 20260};
    snprintf(method->flush, sizeof method->flush, "memset");
    /* On the CPU device a quick run is about seeing everything work: one timing mode is enough. */
    method->modes = timing_mode_bit(TIMING_COLD);
    if (cuda || !quick)
        method->modes |= timing_mode_bit(TIMING_HOT);
    if (cuda && !quick && strcmp(family, "matrix") == 0)
        method->modes |= timing_mode_bit(TIMING_SUSTAINED);
}

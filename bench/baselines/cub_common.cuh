// What the CUB baselines share: arithmetic in float whatever the element type, and the note of the version.
#ifndef ASSAY_BENCH_CUB_COMMON_CUH
#define ASSAY_BENCH_CUB_COMMON_CUH

#include "bench/baselines/baseline_common.h"
#include <assay/kernel.h>
#include <climits>
#include <cub/version.cuh>

using scalar = scalar_t;

// The sum of two values of any element type, in float: with a float to start from, CUB then accumulates in float.
struct float_sum {
    template <class A, class B>
    __host__ __device__ float operator()(A a, B b) const
    {
        return assay::to_float(a) + assay::to_float(b);
    }
};

static inline void cub_start_notes(const char *choice)
{
    memset(&baseline_notes, 0, sizeof baseline_notes);
    snprintf(baseline_notes.version, sizeof baseline_notes.version, "CUB %d.%d.%d", CUB_MAJOR_VERSION,
             CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    snprintf(baseline_notes.choice, sizeof baseline_notes.choice, "%s", choice);
}

#endif

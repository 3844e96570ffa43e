// A chain of loads, each of which gives the address of the next; one a warp, so that the bytes do not count and the latency does.
#ifndef ASSAY_TESTS_PROFILE_CHASE_CUH
#define ASSAY_TESTS_PROFILE_CHASE_CUH

#include <cstddef>

// `count` is a power of two. The value read is a small number, so it changes nothing of the address but that it must be waited for.
__device__ __forceinline__ float chase(const float *in, size_t count, size_t warp, int steps)
{
    size_t at = (warp * 2654435761u) & (count - 1);
    float value = 0.0f;
    for (int step = 0; step < steps; step++) {
        value = __ldcg(in + at);
        at = (at * 1664525u + 1013904223u + (value > 1e30f ? 1u : 0u)) & (count - 1);
    }
    return value;
}

#endif

/* 2^x to 2 units in the last place by one instruction; results below 2^-126 are flushed to 0. */
#ifndef ASSAY_OPS_COMMON_EXP2_FAST_H
#define ASSAY_OPS_COMMON_EXP2_FAST_H

#include <assay/kernel.h>

__device__ __forceinline__ float exp2_fast(float x)
{
#if defined(__CUDA_ARCH__) && !defined(ASSAY_CPU_DEVICE)
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

#endif

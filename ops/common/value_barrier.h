/* Hides a value from the optimiser: what is computed from `x` stays behind this place. A compiler that moves
 * it in front of a loop lets it occupy registers all the time, which kernels whose sums fill the register file
 * cannot afford. No instruction. */
#ifndef ASSAY_OPS_COMMON_VALUE_BARRIER_H
#define ASSAY_OPS_COMMON_VALUE_BARRIER_H

template <class Word>
__device__ __forceinline__ void value_barrier(Word &x)
{
#if defined(__CUDA_ARCH__) && !defined(ASSAY_CPU_DEVICE)
    asm volatile("" : "+r"(x));
#else
    (void)x;
#endif
}

#endif

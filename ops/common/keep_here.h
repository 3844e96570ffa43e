/* Keep what is computed from `x` behind this place: a compiler that moves it in front of a loop lets it
 * occupy registers all the time, which kernels whose sums fill the register file cannot afford. No
 * instruction. */
#ifndef ASSAY_OPS_COMMON_KEEP_HERE_H
#define ASSAY_OPS_COMMON_KEEP_HERE_H

template <class Word>
__device__ __forceinline__ void keep_here(Word &x)
{
#if defined(__CUDA_ARCH__) && !defined(ASSAY_CPU_DEVICE)
    asm volatile("" : "+r"(x));
#else
    (void)x;
#endif
}

#endif

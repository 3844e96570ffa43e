/* TMA's request to bring a box of a matrix to the second-level cache, without a place for it in shared memory (PTX ISA:
 * cp.async.bulk.prefetch.tensor). One thread calls it. The CPU device has no caches, so nothing happens there. */
#ifndef ASSAY_OPS_COMMON_TMA_PREFETCH_H
#define ASSAY_OPS_COMMON_TMA_PREFETCH_H

#include <assay/hopper.h>

__device__ __forceinline__ void tma_prefetch_2d(const assay::tensor_map *map, int x, int y)
{
#if defined(__CUDA_ARCH__) && !defined(ASSAY_CPU_DEVICE)
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y)
                 : "memory");
#else
    (void)map, (void)x, (void)y;
#endif
}

#endif

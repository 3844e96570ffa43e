// The end of a product whose terms the warps of a block share: each of SLICES groups of SLICE_THREADS threads has summed a part of the terms for
// the whole tile, TM x TN sums a thread.
#ifndef ASSAY_OPS_COMMON_ADD_SLICES_H
#define ASSAY_OPS_COMMON_ADD_SLICES_H

#include <assay/kernel.h>

// Add the slices' sums to those of slice 0, in the order of the slices. `t`: the thread in its slice.
template <class C>
static __device__ __forceinline__ void add_slices(float (&sums)[C::TM][C::TN], float *shared, int slice,
                                                  int t)
{
    assay::cp_async_wait<0>();
    __syncthreads(); // the ring's memory is free from here on
#pragma unroll
    for (int i = 0; i < C::TM * C::TN; i++)
        if (slice > 0)
            shared[((slice - 1) * C::TM * C::TN + i) * C::SLICE_THREADS + t] = sums[i / C::TN][i % C::TN];
    __syncthreads();
    if (slice > 0)
        return;
    for (int other = 0; other < C::SLICES - 1; other++)
#pragma unroll
        for (int i = 0; i < C::TM * C::TN; i++)
            sums[i / C::TN][i % C::TN] += shared[(other * C::TM * C::TN + i) * C::SLICE_THREADS + t];
}

#endif

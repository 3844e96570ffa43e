// Split-K within a block: each of SLICES groups of SLICE_THREADS threads has summed a part of the terms for
// the whole tile, M x N sums a thread. Their sums are added here.
#ifndef ASSAY_OPS_COMMON_ADD_SLICES_H
#define ASSAY_OPS_COMMON_ADD_SLICES_H

#include <assay/kernel.h>

// Add the slices' sums to those of slice 0, in the order of the slices. `t`: the thread in its slice.
template <class C, int M, int N>
static __device__ __forceinline__ void add_slices(float (&sums)[M][N], float *shared, int slice, int t)
{
    assay::cp_async_wait<0>();
    __syncthreads(); // the pipeline's memory is free from here on
#pragma unroll
    for (int i = 0; i < M * N; i++)
        if (slice > 0)
            shared[((slice - 1) * M * N + i) * C::SLICE_THREADS + t] = sums[i / N][i % N];
    __syncthreads();
    if (slice > 0)
        return;
    for (int other = 0; other < C::SLICES - 1; other++)
#pragma unroll
        for (int i = 0; i < M * N; i++)
            sums[i / N][i % N] += shared[(other * M * N + i) * C::SLICE_THREADS + t];
}

#endif

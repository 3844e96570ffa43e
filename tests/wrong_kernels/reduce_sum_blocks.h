// A sum of rows by two blocks a row: what the kernels share that differ in how the two meet. PUBLISH and MEET say it.
#ifndef ASSAY_WRONG_KERNELS_REDUCE_SUM_BLOCKS_H
#define ASSAY_WRONG_KERNELS_REDUCE_SUM_BLOCKS_H

#include <assay/kernel.h>
#include "reduce_sum.h"
#include "../common/sum_in_parts.h"

enum { THREADS = 128 };

static __global__ void clear(float *workspace, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        workspace[i] = 0.0f;
}

// Half a row: the sum by thread 0, in the accurate way.
static __device__ float half_sum(const scalar_t *x, int64_t length, int64_t inner)
{
    const int64_t half = (length + 1) / 2, begin = blockIdx.y * half,
                  end = begin + half < length ? begin + half : length;
    x += (int64_t)blockIdx.x / inner * length * inner + (int64_t)blockIdx.x % inner;
    return sum_in_parts(end > begin ? end - begin : 0,
                        [&](int64_t i) { return assay::to_float(x[(begin + i) * inner]); });
}

#endif

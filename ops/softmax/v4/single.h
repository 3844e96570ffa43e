// softmax, step 4, of rows of one element: 1, or NaN for what is not finite. No row needs another element, so
// a thread moves a vector, and elements behind the last one go to threads of the last block.
#ifndef ASSAY_OPS_SOFTMAX_V4_SINGLE_H
#define ASSAY_OPS_SOFTMAX_V4_SINGLE_H

#include "../../common/vector16.h"

constexpr int SINGLE_THREADS = 128;

static __device__ __forceinline__ float softmax_of_one(float x)
{
    return 1.0f + (x - x);
}

// x and out are aligned.
static __global__ void __launch_bounds__(SINGLE_THREADS)
    softmax_single(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t count)
{
    const int64_t vectors = count / WIDE, i = (int64_t)blockIdx.x * SINGLE_THREADS + threadIdx.x;
    const int64_t behind = vectors * WIDE + threadIdx.x;
    const bool has_rest = blockIdx.x == gridDim.x - 1 && behind < count;
    const float rest = has_rest ? assay::to_float(x[behind]) : 0.0f; // loaded together with the vector
    if (i < vectors) {
        float e[WIDE];
        unpack(reinterpret_cast<const uint4 *>(x)[i], e);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            e[lane] = softmax_of_one(e[lane]);
        reinterpret_cast<uint4 *>(out)[i] = pack(e);
    }
    if (has_rest)
        out[behind] = assay::from_float<scalar_t>(softmax_of_one(rest));
}

static inline assay_status launch_single(const scalar_t *x, scalar_t *out, int64_t count, assay_stream stream)
{
    const int64_t blocks = (count / WIDE + SINGLE_THREADS - 1) / SINGLE_THREADS;
    return assay::launch(softmax_single, dim3((unsigned)(blocks > 0 ? blocks : 1)), dim3(SINGLE_THREADS), 0,
                         stream, x, out, count);
}

#endif

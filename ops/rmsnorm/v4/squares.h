// rmsnorm, step 4: the sum of squares of a row, from its vectors and over the threads that share it.
#ifndef ASSAY_OPS_RMSNORM_V4_SQUARES_H
#define ASSAY_OPS_RMSNORM_V4_SQUARES_H

#include "../../common/overflow.h"
#include "../../common/rows.h"

struct sum_reduction {
    using state = float;
    static __device__ __forceinline__ float nothing() { return 0.0f; }

    template <int LANES>
    static __device__ __forceinline__ float lanes(float sum)
    {
        return sum_of_lanes<LANES>(sum);
    }
    template <int PARTS>
    static __device__ __forceinline__ float all(const float *parts)
    {
        float sum = parts[0];
#pragma unroll
        for (int k = 1; k < PARTS; k++)
            sum += parts[k];
        return sum;
    }
};

// A thread's part of a row's sum of squares becomes the whole of it. False where squares overflowed: then
// `scale` is another, and the row is to be summed once more, `again`.
template <int WIDTH, bool EXACT = false>
static __device__ __forceinline__ bool sum_row(float &squares, float &scale, bool again)
{
    squares = reduce_row<WIDTH, sum_reduction, EXACT>(squares);
    const bool finite = is_finite(squares);
    if (again || __all_sync(0xffffffffu, finite)) // one answer for a block, as it has one row
        return true;
    scale = finite ? 1.0f : SCALED_DOWN;
    if (WIDTH > WARP)
        __syncthreads(); // the exchange may now be used again
    return false;
}

// Sum of the squares of a batch times scale^2; missing vectors hold zeros.
template <int VECTORS>
static __device__ __forceinline__ float sum_squares(const packed_batch<VECTORS> &part, float scale)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        float e[WIDE];
        part.get(k, e);
        float of_vector = 0.0f; // one short chain a vector, side by side
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++) {
            const float scaled = e[lane] * scale;
            of_vector = fmaf(scaled, scaled, of_vector);
        }
        sum += of_vector;
    }
    return sum;
}

#endif

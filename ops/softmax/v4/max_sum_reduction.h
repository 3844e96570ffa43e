// softmax, step 4: the (max, sum) of a row, from its batches and over the threads that share it.
#ifndef ASSAY_OPS_SOFTMAX_V4_MAX_SUM_REDUCTION_H
#define ASSAY_OPS_SOFTMAX_V4_MAX_SUM_REDUCTION_H

#include "../max_sum.h"
#include "batch.h"

template <int LANES>
static __device__ __forceinline__ float max_of_lanes(float mine)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xffffffffu, mine, offset));
    return mine;
}

struct max_sum_reduction {
    using state = max_sum;
    static __device__ __forceinline__ max_sum nothing() { return {-INFINITY, 0.0f}; }

    // First the maximum of the lanes, then the sums brought to it, so that a lane needs one exponential and
    // not one a step.
    template <int LANES>
    static __device__ __forceinline__ max_sum lanes(max_sum part)
    {
        const float max = max_of_lanes<LANES>(part.max);
        return {max, sum_of_lanes<LANES>(part.sum * rescale(part.max, origin(max)))};
    }
};

// This thread's (max, sum) of its share of the row in `from`, of which edge_x is its element off the boundary
// or -infinity. `part` keeps the exponentials of the last batch, relative to the maximum returned.
template <int VECTORS, class Source, class Share>
static __device__ __forceinline__ max_sum measure_share(const Source &from, const Share &share, float edge_x,
                                                        softmax_batch<VECTORS> &part)
{
    max_sum mine = {edge_x, share.has_edge ? 1.0f : 0.0f};
    for (int64_t b = 0; b <= share.last; b++) {
        part.load(from, share, b, MINUS_INFINITY); // adds nothing to a row
        const float max = fmaxf(mine.max, part.max()), before = mine.sum * rescale(mine.max, origin(max));
        mine = {max, before + part.exponentiate(origin(max))};
    }
    return mine;
}

#endif

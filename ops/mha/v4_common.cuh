// What both v4 kernels share: the problem as they see it, the order of blocks, masks and the softmax's bookkeeping.
#ifndef ASSAY_OPS_MHA_V4_COMMON_CUH
#define ASSAY_OPS_MHA_V4_COMMON_CUH

#include <assay/kernel.h>
#include "mha.h"

struct mha_shape {
    const scalar_t *q, *k, *v;
    scalar_t *out;
    int heads, queries, keys, dim, query_tiles; // heads of all batch entries together
    float scale;                                // positive, times log2(e): exponentials are powers of two
    bool negative, causal;                      // negative: the scores' factor is -scale
};

struct mha_block {
    int head, query; // the head, and its first query
};

// Without a mask all tiles of queries cost the same, and neighbouring blocks should share a head's keys in L2. Under a
// causal mask the last queries see the most keys: all heads' longest tiles go first, so that what runs at the end is short.
__device__ __forceinline__ mha_block block_of(const mha_shape &s, unsigned block, int tile)
{
    if (!s.causal)
        return {static_cast<int>(block / s.query_tiles), static_cast<int>(block % s.query_tiles) * tile};
    return {static_cast<int>(block % s.heads),
            (s.query_tiles - 1 - static_cast<int>(block / s.heads)) * tile};
}

// 2^x to 2 units in the last place, results below 2^-126 flushed to 0: one instruction.
__device__ __forceinline__ float exp2_fast(float x)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

// The maximum that a row's exponents are taken from need not be the true one: any value that keeps 2^(x - max) and its sum
// far from overflow cancels out at the end. So it follows the true maximum only when that has grown by more than this power
// of two, which after the first tiles of keys is rare, and the output so far has to be rescaled only then.
static constexpr float kMaxLag = 8.0f;

// A row that has met no possible key has max = -infinity; its exponents are taken from 0 and give 2^-inf = 0.
__device__ __forceinline__ float exponent_origin(float max, float scale)
{
    return max == -INFINITY ? 0.0f : max * scale;
}

// One row's softmax so far. max is in units of the unscaled scores.
struct row_state {
    float max, sum;
};

// Whether the tile's maximum leaves the row's too far behind. False for NaN, which reaches the sum instead.
__device__ __forceinline__ bool outgrown(float tile_max, const row_state &row, float scale)
{
    return (tile_max - row.max) * scale > kMaxLag;
}

// Follow the tile's maximum if it has outgrown the row's; returns the factor for what has been summed so far.
__device__ __forceinline__ float follow(float tile_max, row_state &row, float scale)
{
    if (!outgrown(tile_max, row, scale))
        return 1.0f;
    const float factor = exp2_fast((row.max - tile_max) * scale);
    row.max = tile_max;
    row.sum *= factor;
    return factor;
}

// What part `a` of a row has to be multiplied with when it is merged with part `b`.
__device__ __forceinline__ float merge_factor(const row_state &a, const row_state &b, float scale)
{
    const float max = fmaxf(a.max, b.max);
    return max == -INFINITY ? 1.0f : exp2_fast((a.max - max) * scale);
}

inline mha_shape shape_of(const mha_args *args, int tile)
{
    const double scale = args->scale * 1.4426950408889634;
    return {static_cast<const scalar_t *>(args->q),
            static_cast<const scalar_t *>(args->k),
            static_cast<const scalar_t *>(args->v),
            static_cast<scalar_t *>(args->out),
            static_cast<int>(args->batch * args->heads),
            static_cast<int>(args->queries),
            static_cast<int>(args->keys),
            static_cast<int>(args->dim),
            static_cast<int>((args->queries + tile - 1) / tile),
            static_cast<float>(scale < 0 ? -scale : scale),
            scale < 0,
            args->causal != 0};
}

#endif

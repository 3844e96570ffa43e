// What all kernels of step 4 share: the problem as the kernels see it, the order of blocks, and the
// bookkeeping of the softmax.
#ifndef ASSAY_OPS_MHA_V4_COMMON_CUH
#define ASSAY_OPS_MHA_V4_COMMON_CUH

#include <assay/kernel.h>
#include <cstring>
#include "../../common/exp2_fast.h"
#include "../mha.h"

struct mha_shape {
    const scalar_t *q, *k, *v;
    scalar_t *out;
    int heads, queries, keys, dim, query_tiles; // heads of all batch entries together
    float scale;                                // positive, times log2(e): exponentials are powers of two
    bool negative, causal;                      // negative: the scores' factor is -scale
    int section, section_turns;                 // heads that blocks take together, and their turns for them
    int group;                                  // heads that share a head of k and v
    int causal_shift;                           // query i sees the keys j <= i + causal_shift
    int key_rows;                               // of a head of k and v in memory, see mha.h
};

// Keys that a query sees whose last one is end - 1 under the mask.
__device__ __forceinline__ int keys_up_to(const mha_shape &s, int end)
{
    return s.causal && end < s.keys ? end : s.keys;
}

// Keys that any query before query `end` sees; 0 or less: none.
__device__ __forceinline__ int keys_before(const mha_shape &s, int end)
{
    return keys_up_to(s, end + s.causal_shift);
}

// The factor of a row at its end, 1 / sum; 0 where the row sees no key, with which an output of zeros stays so.
__device__ __forceinline__ float inverse_of(const mha_shape &s, int query, float sum)
{
    return keys_before(s, query + 1) > 0 ? 1.0f / sum : 0.0f;
}

// The head of k and v that a head reads, and the first element of its rows. Unsigned: a signed division costs
// flash.cuh more registers than it has.
__device__ __forceinline__ int key_head_of(const mha_shape &s, int head)
{
    return static_cast<int>(static_cast<unsigned>(head) / static_cast<unsigned>(s.group));
}
__device__ __forceinline__ int64_t key_start(const mha_shape &s, int head)
{
    return static_cast<int64_t>(key_head_of(s, head)) * s.key_rows * s.dim;
}

struct mha_block {
    int head, query; // the head, and its first query
};

// Without a mask all tiles of queries cost the same; neighbouring blocks share a head's keys in L2. Under a
// causal mask the last queries see the most keys: the longest tiles of all heads go first, so that the last
// blocks are short.
__device__ __forceinline__ mha_block block_of(const mha_shape &s, unsigned block, int tile)
{
    if (!s.causal)
        return {static_cast<int>(block / s.query_tiles), static_cast<int>(block % s.query_tiles) * tile};
    const unsigned heads = s.heads;
    return {static_cast<int>(block % heads), (s.query_tiles - 1 - static_cast<int>(block / heads)) * tile};
}

// The maximum that is subtracted from a row's scores need not be the true one: any value that keeps 2^(x -
// max) and its sum far from overflow cancels out at the end. It follows the true maximum only when that has
// grown by more than this power of two. After the first tiles of keys that is rare, and only then the output
// so far is rescaled.
static constexpr float kMaxLag = 8.0f;

// One row's softmax so far. `max` is in powers of two, like scores times the scale. It starts at the least
// finite number and not at -infinity: a row that has met only impossible keys then gives 2^(-inf + max) = 0
// for them, where -inf + inf would be NaN, so that no case needs to be told apart.
struct row_state {
    float max, sum;
};
static constexpr row_state kNoKeys = {-3.402823466e38f, 0.0f};

// Whether the largest score of a tile leaves the row's maximum too far behind. False for NaN, which reaches
// the sum instead. It is rounded upwards: a huge score's exponential may be 0 then (see exact_rows.cuh), but
// not infinite.
__device__ __forceinline__ bool outgrown(float score, const row_state &row, float scale)
{
    return __fmul_ru(score, scale) - row.max > kMaxLag;
}

// Follow the largest score of a tile if it has outgrown the row's; returns the factor for what has been
// summed so far.
__device__ __forceinline__ float follow(float score, row_state &row, float scale)
{
    if (!outgrown(score, row, scale))
        return 1.0f;
    const float max = __fmul_ru(score, scale), factor = exp2_fast(row.max - max);
    row.max = max;
    row.sum *= factor;
    return factor;
}

#if !ASSAY_DTYPE_F32
// Two numbers rounded to the module's type, the first in the low half.
__device__ __forceinline__ uint32_t pack(float low, float high)
{
#if ASSAY_DTYPE_F16
    const __half2 pair = __floats2half2_rn(low, high);
#else
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
#endif
    uint32_t bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
}
#endif

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
            args->causal != 0,
            static_cast<int>(args->batch * args->heads),
            INT32_MAX,
            static_cast<int>(args->group),
            static_cast<int>(args->causal_shift),
            static_cast<int>(args->keys + args->key_padding)};
}

#endif

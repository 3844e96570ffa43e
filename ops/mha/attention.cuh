// The problem as the kernels of steps 3a to 3d see it, and what those kernels refuse. No arithmetic.
#ifndef ASSAY_OPS_MHA_ATTENTION_CUH
#define ASSAY_OPS_MHA_ATTENTION_CUH

#include <assay/kernel.h>
#include "mha.h"

struct attention_shape {
    const scalar_t *q, *k, *v; // [heads, queries, dim]; k and v: [heads / group, key_rows, dim]
    scalar_t *out;
    int heads, queries, keys, dim; // heads of all batch entries together
    int group;                     // heads that share a head of k and v
    int query_tiles;               // of a head; a block owns one
    float scale;                   // times log2(e): exponentials are powers of two
    bool causal;
    int causal_shift; // query i sees the keys j <= i + causal_shift
    bool aligned;     // rows begin at multiples of 16 bytes
    int key_rows;     // of a head of k and v in memory, of which the first `keys` count
};

// The tile of queries of a block of ROWS queries.
struct attention_tile {
    int64_t head, key_head;
    int first; // query of the head
    int limit; // keys that any of its queries sees; 0 or less: none
};

// Keys that query `query` sees, counted from key `key` on; 0 or less: none.
__device__ __forceinline__ int visible_keys(const attention_shape &s, int query, int key)
{
    const int seen = query + 1 + s.causal_shift;
    return (s.causal && seen < s.keys ? seen : s.keys) - key;
}

template <int ROWS>
__device__ __forceinline__ attention_tile attention_tile_of(const attention_shape &s)
{
    const int first = static_cast<int>(blockIdx.x % s.query_tiles) * ROWS;
    const unsigned head = blockIdx.x / s.query_tiles;
    return {head, head / static_cast<unsigned>(s.group), first, visible_keys(s, first + ROWS - 1, 0)};
}

// The factor of a row at its end, 1 / sum; 0 where the row sees no key, with which an output of zeros stays so.
__device__ __forceinline__ float inverse_of(const attention_shape &s, int query, float sum)
{
    return visible_keys(s, query, 0) > 0 ? 1.0f / sum : 0.0f;
}

// A row's maximum before its first key. Not -infinity: rows of impossible keys then weigh them 2^(-inf + max)
// = 0 without a special case.
static constexpr float kNoKeys = -3.402823466e38f;

// Launch a kernel of tiles of `rows` queries with `launch(shape, blocks)`. ASSAY_ERR_UNSUPPORTED: rows longer
// than MHA_MAX_DIM, or more queries, keys or blocks than 32 bits count.
template <class Launch>
static assay_status attention_run(const mha_args *args, int rows, const Launch &launch)
{
    const int64_t limit = INT32_MAX - 512; // a tile beyond the edge included
    const int64_t heads = args->batch * args->heads, query_tiles = (args->queries + rows - 1) / rows;
    if (heads == 0 || args->queries == 0 || args->dim == 0)
        return ASSAY_OK;
    if (args->dim > MHA_MAX_DIM || args->queries > limit || args->keys + args->key_padding > limit ||
        heads > INT32_MAX / query_tiles)
        return ASSAY_ERR_UNSUPPORTED;
    const uintptr_t addresses =
        (uintptr_t)args->q | (uintptr_t)args->k | (uintptr_t)args->v | (uintptr_t)args->out;
    attention_shape s = {};
    s.q = static_cast<const scalar_t *>(args->q);
    s.k = static_cast<const scalar_t *>(args->k);
    s.v = static_cast<const scalar_t *>(args->v);
    s.out = static_cast<scalar_t *>(args->out);
    s.heads = static_cast<int>(heads);
    s.queries = static_cast<int>(args->queries);
    s.keys = static_cast<int>(args->keys);
    s.dim = static_cast<int>(args->dim);
    s.group = static_cast<int>(args->group);
    s.query_tiles = static_cast<int>(query_tiles);
    s.scale = static_cast<float>(args->scale * 1.4426950408889634);
    s.causal = args->causal != 0;
    s.causal_shift = static_cast<int>(args->causal_shift);
    s.key_rows = static_cast<int>(args->keys + args->key_padding);
    s.aligned = args->dim * sizeof(scalar_t) % 16 == 0 && addresses % 16 == 0;
    return launch(s, dim3(static_cast<unsigned>(heads * query_tiles)));
}

#endif

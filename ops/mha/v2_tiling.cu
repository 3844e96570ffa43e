// mha, step 2: tiles of keys and values in shared memory, and no scores in memory.
//
// A block owns ROWS queries of one head and walks along the keys in tiles of TILE_KEYS. A tile of k and one
// of v are brought to shared memory once and serve all queries of the block. Their scores live only as long
// as the tile: the softmax is kept up to date on the way, as a running maximum and sum per query (online
// softmax); when the maximum grows, what has been summed so far is multiplied with exp(old - new).
// Eight neighbouring threads share a query: for the scores each takes every eighth key of the tile, for the
// output every eighth column. They exchange probabilities through shared memory and the maximum by shuffles.
// What stays: single-element copies, and two loads from shared memory for nearly every multiply-add.
// A masked key has probability 0, and where its value is infinite or NaN, 0 times that is NaN: within the
// block's last tiles such a value reaches queries that do not see it.
// Expected effect: ten times step 1 and more; limited by shared memory's bandwidth, the same for every dtype.
// Tunables: TILE_KEYS.
#include <assay/kernel.h>
#include "mha.h"

#ifndef TILE_KEYS
#define TILE_KEYS 32
#endif

static constexpr int ROWS = 32, SHARE = 8, THREADS = ROWS * SHARE, KEYS_EACH = TILE_KEYS / SHARE;

struct v2_shape {
    int64_t queries, keys, key_rows, dim;
    unsigned row_blocks, group;
    int64_t causal_shift;
    float scale; // times log2(e): exponentials are powers of two
    bool causal;
};

// Rows [first, first + ROWS_) of a matrix with `count` rows, zeros beside it, into to[row][STRIDE], times
// `factor`.
template <int TILE_ROWS, int COLUMNS, int STRIDE>
static __device__ void load_tile(float *to, const scalar_t *from, int64_t first, int64_t count, int64_t dim,
                                 float factor)
{
    for (int i = static_cast<int>(threadIdx.x); i < TILE_ROWS * COLUMNS; i += THREADS) {
        const int row = i / COLUMNS, d = i % COLUMNS;
        const bool inside = first + row < count && d < dim;
        to[row * STRIDE + d] = inside ? factor * assay::to_float(from[(first + row) * dim + d]) : 0.0f;
    }
}

// EACH: columns of the output that a thread owns; 8 * EACH is the row length, padded with zeros.
template <int EACH>
static __global__ void __launch_bounds__(THREADS)
    mha_v2(const scalar_t *q, const scalar_t *k, const scalar_t *v, scalar_t *out, v2_shape s)
{
    constexpr int COLUMNS = SHARE * EACH, STRIDE = COLUMNS + 1; // the 1 spreads a column over the banks
    ASSAY_DYNAMIC_SHARED(float, shared);
    float *tile_q = shared, *tile_k = tile_q + ROWS * STRIDE, *tile_v = tile_k + TILE_KEYS * STRIDE;
    float *tile_p = tile_v + TILE_KEYS * STRIDE;
    const int row = static_cast<int>(threadIdx.x) / SHARE, member = static_cast<int>(threadIdx.x) % SHARE;
    const unsigned head_number = blockIdx.x / s.row_blocks;
    const int64_t head = head_number, key_head = head_number / s.group;
    const int64_t first = static_cast<int64_t>(blockIdx.x % s.row_blocks) * ROWS;
    q += head * s.queries * s.dim, out += head * s.queries * s.dim;
    k += key_head * s.key_rows * s.dim, v += key_head * s.key_rows * s.dim;
    load_tile<ROWS, COLUMNS, STRIDE>(tile_q, q, first, s.queries, s.dim, s.scale);

    const int64_t end = first + ROWS + s.causal_shift; // keys before it are seen by the block
    const int64_t last = first + row + s.causal_shift, // key that this query sees
        limit = s.causal && end < s.keys ? end : s.keys;
    float max = -INFINITY, weights = 0.0f, sums[EACH] = {};
    for (int64_t key = 0; key < limit; key += TILE_KEYS) {
        __syncthreads(); // everyone is through with the last tile
        load_tile<TILE_KEYS, COLUMNS, STRIDE>(tile_k, k, key, s.keys, s.dim, 1.0f);
        load_tile<TILE_KEYS, COLUMNS, STRIDE>(tile_v, v, key, s.keys, s.dim, 1.0f);
        __syncthreads();

        float scores[KEYS_EACH] = {};
        for (int d = 0; d < COLUMNS; d++)
#pragma unroll
            for (int j = 0; j < KEYS_EACH; j++)
                scores[j] += tile_q[row * STRIDE + d] * tile_k[(j * SHARE + member) * STRIDE + d];
        float new_max = max;
#pragma unroll
        for (int j = 0; j < KEYS_EACH; j++) {
            const int64_t at = key + j * SHARE + member;
            if (at >= s.keys || (s.causal && at > last))
                scores[j] = -INFINITY;
            new_max = fmaxf(new_max, scores[j]);
        }
#pragma unroll
        for (int step = SHARE / 2; step > 0; step /= 2)
            new_max = fmaxf(new_max, __shfl_xor_sync(0xffffffff, new_max, step));
        const float from = new_max == -INFINITY ? 0.0f : new_max; // see ../softmax/max_sum.h for the trap
        const float rescale = exp2f(max - from);
        max = new_max;
        weights *= rescale;
#pragma unroll
        for (int j = 0; j < KEYS_EACH; j++) {
            const float p = exp2f(scores[j] - from);
            weights += p;
            tile_p[row * TILE_KEYS + j * SHARE + member] = p;
        }
        __syncwarp(); // the eight threads of a query are in one warp
#pragma unroll
        for (int d = 0; d < EACH; d++)
            sums[d] *= rescale;
        for (int j = 0; j < TILE_KEYS; j++)
#pragma unroll
            for (int d = 0; d < EACH; d++)
                sums[d] += tile_p[row * TILE_KEYS + j] * tile_v[j * STRIDE + d * SHARE + member];
    }
#pragma unroll
    for (int step = SHARE / 2; step > 0; step /= 2)
        weights += __shfl_xor_sync(0xffffffff, weights, step);
    const int64_t query = last - s.causal_shift;
#pragma unroll
    for (int d = 0; d < EACH; d++)
        if (query < s.queries && d * SHARE + member < s.dim)
            out[query * s.dim + d * SHARE + member] = assay::from_float<scalar_t>(
                s.keys > 0 && (!s.causal || last >= 0) ? sums[d] / weights : 0.0f);
}

template <int EACH>
static assay_status launch(const mha_args *args, assay_stream stream)
{
    const int64_t row_blocks = (args->queries + ROWS - 1) / ROWS, heads = args->batch * args->heads;
    if (heads > INT32_MAX / row_blocks)
        return ASSAY_ERR_UNSUPPORTED;
    constexpr int stride = SHARE * EACH + 1;
    const v2_shape s = {args->queries,
                        args->keys,
                        args->keys + args->key_padding,
                        args->dim,
                        static_cast<unsigned>(row_blocks),
                        static_cast<unsigned>(args->group),
                        args->causal_shift,
                        static_cast<float>(args->scale * 1.4426950408889634),
                        args->causal != 0};
    return assay::launch(mha_v2<EACH>, dim3(static_cast<unsigned>(heads * row_blocks)), dim3(THREADS),
                         sizeof(float) * ((ROWS + 2 * TILE_KEYS) * stride + ROWS * TILE_KEYS), stream,
                         static_cast<const scalar_t *>(args->q), static_cast<const scalar_t *>(args->k),
                         static_cast<const scalar_t *>(args->v), static_cast<scalar_t *>(args->out), s);
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    if (args->batch == 0 || args->heads == 0 || args->queries == 0 || args->dim == 0)
        return ASSAY_OK;
    if (args->dim > MHA_MAX_DIM)
        return ASSAY_ERR_UNSUPPORTED;
    return args->dim <= 8     ? launch<1>(args, stream)
           : args->dim <= 64  ? launch<8>(args, stream)
           : args->dim <= 128 ? launch<16>(args, stream)
                              : launch<32>(args, stream);
}

// mha, step 3: a warp a query, coalesced 16-byte accesses, no shared memory.
//
// A row of k is spread over just enough lanes that each holds 16 bytes of it (16 lanes for 64 elements of
// f32, 8 for 64 of f16), so a warp reads several neighbouring rows, 512 contiguous bytes, with one
// instruction. Each group of lanes adds up its key's score by shuffles and keeps a running maximum, sum and
// output of its own; the groups' parts are merged at the end. STEPS rows are taken at a time, so that several
// loads are under way and the maximum is updated once for all of them. q and the output stay in registers; k
// and v are read once for each query, through the caches, which the queries of a block share.
// Rows that do not start on 16-byte boundaries take the same kernel with single elements, a lane holding
// every LANES-th.
// Expected effect: well above step 1; about step 2, with the caches' bandwidth and the shuffles as the limit
// instead of shared memory's. The 2-byte types move half the bytes and gain.
// Tunables: WARPS, queries a block.
#include <assay/kernel.h>
#include "mha.h"

#ifndef WARPS
#define WARPS 8
#endif

static constexpr int STEPS = 4;

struct v3_shape {
    int64_t queries, keys, key_rows, causal_shift;
    unsigned row_blocks, group;
    int dim, lanes; // lanes that share a row of k: a power of two
    float scale;    // times log2(e): exponentials are powers of two
    bool causal;
};

// The elements of a row that a lane holds: PIECES pieces of V neighbours, `stride` apart. Those outside the
// row are zero.
template <int V, int PIECES>
static __device__ __forceinline__ void read_row(float (&to)[PIECES * V], const scalar_t *row, int column,
                                                int stride, int dim, bool inside)
{
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const int at = column + i * stride;
        if (inside && at < dim) {
            const assay::vec<scalar_t, V> piece = assay::load_vec<V>(row + at);
#pragma unroll
            for (int l = 0; l < V; l++)
                to[i * V + l] = assay::to_float(piece[l]);
        } else {
#pragma unroll
            for (int l = 0; l < V; l++)
                to[i * V + l] = 0.0f;
        }
    }
}

static __device__ __forceinline__ float
origin(float max) // exponents of a part without possible keys are taken from 0
{
    return max == -INFINITY ? 0.0f : max;
}

// The softmax of the keys that one group of lanes has seen, and their weighted sum of v.
template <int N>
struct part {
    float max, weights, sums[N];
};

// Add the part that the lanes `step` away hold; both sides end with the same.
template <int N>
static __device__ __forceinline__ void merge_across(part<N> &mine, int step)
{
    const float other_max = __shfl_xor_sync(0xffffffff, mine.max, step), max = fmaxf(mine.max, other_max);
    const float my_factor = exp2f(mine.max - origin(max)), other_factor = exp2f(other_max - origin(max));
    mine.max = max;
    mine.weights = mine.weights * my_factor + __shfl_xor_sync(0xffffffff, mine.weights, step) * other_factor;
#pragma unroll
    for (int i = 0; i < N; i++)
        mine.sums[i] =
            mine.sums[i] * my_factor + __shfl_xor_sync(0xffffffff, mine.sums[i], step) * other_factor;
}

template <int V, int PIECES>
static __global__ void __launch_bounds__(32 * WARPS)
    mha_v3(const scalar_t *q, const scalar_t *k, const scalar_t *v, scalar_t *out, v3_shape s)
{
    constexpr int N = PIECES * V;
    const int lane = static_cast<int>(threadIdx.x), groups = 32 / s.lanes, group = lane / s.lanes;
    const int column = lane % s.lanes * V, stride = s.lanes * V;
    const unsigned head_number = blockIdx.x / s.row_blocks;
    const int64_t head = head_number, key_head = head_number / s.group;
    const int64_t query = static_cast<int64_t>(blockIdx.x % s.row_blocks) * WARPS + threadIdx.y;
    if (query >= s.queries)
        return;
    q += (head * s.queries + query) * s.dim, out += (head * s.queries + query) * s.dim;
    k += key_head * s.key_rows * s.dim, v += key_head * s.key_rows * s.dim;
    const int64_t seen = query + 1 + s.causal_shift, limit = s.causal && seen < s.keys ? seen : s.keys;

    float mine[N];
    read_row<V, PIECES>(mine, q, column, stride, s.dim, true);
#pragma unroll
    for (int i = 0; i < N; i++)
        mine[i] *= s.scale;
    part<N> state = {-INFINITY, 0.0f, {}};
    for (int64_t key = group; key - group < limit; key += STEPS * groups) {
        float rows[STEPS][N], scores[STEPS];
#pragma unroll
        for (int u = 0; u < STEPS; u++)
            read_row<V, PIECES>(rows[u], k + (key + u * groups) * s.dim, column, stride, s.dim,
                                key + u * groups < limit);
        float max = state.max;
#pragma unroll
        for (int u = 0; u < STEPS; u++) {
            scores[u] = 0.0f;
#pragma unroll
            for (int i = 0; i < N; i++)
                scores[u] += mine[i] * rows[u][i];
            for (int step = s.lanes / 2; step > 0; step /= 2)
                scores[u] += __shfl_xor_sync(0xffffffff, scores[u], step);
            if (key + u * groups >= limit)
                scores[u] = -INFINITY;
            max = fmaxf(max, scores[u]);
        }
#pragma unroll
        for (int u = 0; u < STEPS; u++)
            read_row<V, PIECES>(rows[u], v + (key + u * groups) * s.dim, column, stride, s.dim,
                                key + u * groups < limit);
        const float rescale = exp2f(state.max - origin(max));
        state.max = max;
        state.weights *= rescale;
#pragma unroll
        for (int i = 0; i < N; i++)
            state.sums[i] *= rescale;
#pragma unroll
        for (int u = 0; u < STEPS; u++) {
            const float p = exp2f(scores[u] - origin(max));
            state.weights += p;
#pragma unroll
            for (int i = 0; i < N; i++)
                state.sums[i] += p * rows[u][i];
        }
    }
    for (int step = s.lanes; step < 32; step *= 2)
        merge_across(state, step);
    if (group != 0)
        return;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        if (column + i * stride >= s.dim)
            continue;
        assay::vec<scalar_t, V> piece;
#pragma unroll
        for (int l = 0; l < V; l++)
            piece[l] = assay::from_float<scalar_t>(limit > 0 ? state.sums[i * V + l] / state.weights : 0.0f);
        assay::store_vec(out + column + i * stride, piece);
    }
}

template <int V, int PIECES>
static assay_status launch(const mha_args *args, assay_stream stream)
{
    const int64_t row_blocks = (args->queries + WARPS - 1) / WARPS, heads = args->batch * args->heads;
    if (heads > INT32_MAX / row_blocks)
        return ASSAY_ERR_UNSUPPORTED;
    int lanes = 1;
    while (lanes < 32 && lanes * V * PIECES < args->dim)
        lanes *= 2;
    const v3_shape s = {args->queries,
                        args->keys,
                        args->keys + args->key_padding,
                        args->causal_shift,
                        static_cast<unsigned>(row_blocks),
                        static_cast<unsigned>(args->group),
                        static_cast<int>(args->dim),
                        lanes,
                        static_cast<float>(args->scale * 1.4426950408889634),
                        args->causal != 0};
    return assay::launch(mha_v3<V, PIECES>, dim3(static_cast<unsigned>(heads * row_blocks)), dim3(32, WARPS),
                         0, stream, static_cast<const scalar_t *>(args->q),
                         static_cast<const scalar_t *>(args->k), static_cast<const scalar_t *>(args->v),
                         static_cast<scalar_t *>(args->out), s);
}

extern "C" assay_status mha_run(const mha_args *args, assay_stream stream)
{
    constexpr int vector = 16 / sizeof(scalar_t);
    if (args->batch == 0 || args->heads == 0 || args->queries == 0 || args->dim == 0)
        return ASSAY_OK;
    if (args->dim > MHA_MAX_DIM)
        return ASSAY_ERR_UNSUPPORTED;
    const uintptr_t addresses =
        (uintptr_t)args->q | (uintptr_t)args->k | (uintptr_t)args->v | (uintptr_t)args->out;
    if (args->dim % vector == 0 && addresses % 16 == 0)
        return args->dim <= 32 * vector ? launch<vector, 1>(args, stream) : launch<vector, 2>(args, stream);
    return args->dim <= 32 ? launch<1, 1>(args, stream) : launch<1, 8>(args, stream);
}

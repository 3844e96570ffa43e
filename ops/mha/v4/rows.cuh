// f32 attention of up to eight queries, with keys and values straight from memory to registers.
//
// With few queries the tiles of fma.cuh are mostly padding, and shared memory is read many times a key: it
// reaches half of the memory's rate. Here a lane holds four columns (eight of rows above 128 elements) of every
// query, every output and of C::AHEAD keys and values at a time, all of which are on their way at once; a score
// is the sum over the lanes of a key. Each warp goes through its own keys with its own maximum and sum. At the
// end they are added in the order of the warps, and parts of the keys as in parts.cuh.
// Scores are multiplied with the scale, and rounded, before the maximum is taken, as in fma.cuh: right for huge
// scores too.
#ifndef ASSAY_OPS_MHA_V4_ROWS_CUH
#define ASSAY_OPS_MHA_V4_ROWS_CUH

#include "parts.cuh"

template <int DP_, int BM_, int AHEAD_, int MIN_BLOCKS_>
struct rows_config {
    static constexpr int DP = DP_, BM = BM_, AHEAD = AHEAD_, MIN_BLOCKS = MIN_BLOCKS_;
    static constexpr int LANES = DP < 128 ? DP / 4 : 32,
                         PIECES = DP / 4 / LANES;                              // of a key; pieces of a lane
    static constexpr int GROUPS = 32 / LANES, WARPS = 8, THREADS = 32 * WARPS; // keys of a warp side by side
    static constexpr int STATES = WARPS * GROUPS, KEYS = STATES * AHEAD, SHARED_BYTES = 0;
    static_assert(STATES * BM * (DP + 2) * 4 <= 48 * 1024, "static shared memory");
};

template <class C>
struct rows_state {
    float q[C::BM][C::PIECES * 4], out[C::BM][C::PIECES * 4];
    row_state rows[C::BM];
};

// A lane's columns of a row of `dim` numbers; zeros where there are none.
template <class C>
__device__ __forceinline__ void load_columns(float (&to)[C::PIECES * 4], const float *row, bool inside,
                                             int dim)
{
    const int column = static_cast<int>(threadIdx.x) % C::LANES * 4;
#pragma unroll
    for (int i = 0; i < C::PIECES; i++) {
        assay::vec<float, 4> four = {};
        if (inside && column + i * C::LANES * 4 < dim)
            four = assay::load_vec<4>(row + column + i * C::LANES * 4);
#pragma unroll
        for (int e = 0; e < 4; e++)
            to[i * 4 + e] = four[e];
    }
}

// C::AHEAD keys, the first of which is `key`, one in every C::GROUPS, into query r. `limit`: keys that it sees.
template <class C>
__device__ __forceinline__ void
take_keys(rows_state<C> &state, int r, const float (&k)[C::AHEAD][C::PIECES * 4],
          const float (&v)[C::AHEAD][C::PIECES * 4], int key, int limit, float scale)
{
    float scores[C::AHEAD], max = -INFINITY;
#pragma unroll
    for (int u = 0; u < C::AHEAD; u++) {
        float score = 0.0f;
#pragma unroll
        for (int e = 0; e < C::PIECES * 4; e++)
            score += state.q[r][e] * k[u][e];
#pragma unroll
        for (int step = C::LANES / 2; step > 0; step /= 2)
            score += __shfl_xor_sync(0xffffffff, score, step);
        scores[u] = key + u * C::GROUPS < limit ? __fmul_rn(score, scale) : -INFINITY;
        max = fmaxf(max, scores[u]);
    }
    const float factor = follow(max, state.rows[r], 1.0f);
#pragma unroll
    for (int e = 0; e < C::PIECES * 4; e++)
        state.out[r][e] *= factor;
#pragma unroll
    for (int u = 0; u < C::AHEAD; u++) {
        const float p = exp2_fast(scores[u] - state.rows[r].max);
        state.rows[r].sum += p;
#pragma unroll
        for (int e = 0; e < C::PIECES * 4; e++)
            state.out[r][e] += p * v[u][e];
    }
}

// Add the states of all groups of lanes, in their order, and write the rows, or this block's part of them.
template <class C>
__device__ __forceinline__ void write_states(const rows_state<C> &state, const mha_shape &s,
                                             const mha_parts &parts, const mha_block &block)
{
    __shared__ float outs[C::STATES][C::BM][C::DP], stats[C::STATES][C::BM][2];
    const int thread = static_cast<int>(threadIdx.x), mine = thread / C::LANES, lane = thread % C::LANES;
#pragma unroll
    for (int r = 0; r < C::BM; r++) {
#pragma unroll
        for (int e = 0; e < C::PIECES * 4; e++)
            outs[mine][r][(e / 4 * C::LANES + lane) * 4 + e % 4] = state.out[r][e];
        if (lane == 0)
            stats[mine][r][0] = state.rows[r].max, stats[mine][r][1] = state.rows[r].sum;
    }
    __syncthreads();
    for (int i = thread; i < C::BM * C::DP; i += C::THREADS) {
        const int r = i / C::DP, column = i % C::DP, query = block.query + r;
        if (query >= s.queries || column >= s.dim)
            continue;
        float max = kNoKeys.max, sum = 0.0f, out = 0.0f;
        for (int state_number = 0; state_number < C::STATES; state_number++)
            max = fmaxf(max, stats[state_number][r][0]);
        for (int state_number = 0; state_number < C::STATES; state_number++) {
            const float factor = exp2_fast(stats[state_number][r][0] - max);
            sum += stats[state_number][r][1] * factor;
            out += outs[state_number][r][column] * factor;
        }
        const int64_t row = static_cast<int64_t>(block.head) * s.queries + query;
        if (parts.out == nullptr) {
            s.out[row * s.dim + column] = out * inverse_of(s, query, sum);
            continue;
        }
        const int64_t at = parts.at(row);
        parts.out[at * s.dim + column] = out;
        if (column == 0)
            assay::store_vec(parts.stats + at * 2, assay::vec<float, 2>{{max, sum}});
    }
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS) mha_rows(mha_shape s, mha_parts parts)
{
    announce_parts();
    const mha_block block = block_of(s, blockIdx.x, C::BM);
    const int thread = static_cast<int>(threadIdx.x), group = thread % 32 / C::LANES;
    const int limit = keys_before(s, block.query + C::BM), all_tiles = (limit + C::KEYS - 1) / C::KEYS;
    const tile_range range = parts.out != nullptr ? part_tiles(parts, all_tiles) : tile_range{0, all_tiles};
    const float *k = s.k + key_start(s, block.head), *v = s.v + key_start(s, block.head);
    const float scale = s.negative ? -s.scale : s.scale;
    rows_state<C> state;
#pragma unroll
    for (int r = 0; r < C::BM; r++) {
        const int query = block.query + r;
        load_columns<C>(state.q[r], s.q + (static_cast<int64_t>(block.head) * s.queries + query) * s.dim,
                        query < s.queries, s.dim);
        state.rows[r] = kNoKeys;
#pragma unroll
        for (int e = 0; e < C::PIECES * 4; e++)
            state.out[r][e] = 0.0f;
    }
#pragma unroll 1
    for (int tile = range.first; tile < range.end; tile++) {
        const int key = tile * C::KEYS + thread / 32 * C::GROUPS * C::AHEAD + group;
        float keys[C::AHEAD][C::PIECES * 4], values[C::AHEAD][C::PIECES * 4];
#pragma unroll
        for (int u = 0; u < C::AHEAD; u++) {
            const int at = key + u * C::GROUPS;
            load_columns<C>(keys[u], k + static_cast<int64_t>(at) * s.dim, at < limit, s.dim);
        }
#pragma unroll
        for (int u = 0; u < C::AHEAD; u++) {
            const int at = key + u * C::GROUPS;
            load_columns<C>(values[u], v + static_cast<int64_t>(at) * s.dim, at < limit, s.dim);
        }
#pragma unroll
        for (int r = 0; r < C::BM; r++)
            if (C::BM == 1 || block.query + r < s.queries)
                take_keys<C>(state, r, keys, values, key, keys_before(s, block.query + r + 1), scale);
    }
    write_states<C>(state, s, parts, block);
}

template <class C>
static assay_status rows_launch(const mha_args *args, assay_stream stream)
{
    return launch_whole<C>(mha_rows<C>, args, stream);
}

// False if the keys are better not split; otherwise *status is what the launches returned.
template <class C>
static bool rows_parts(const mha_args *args, int forced, assay_stream stream, assay_status *status)
{
    return launch_parts<C>(mha_rows<C>, args, forced, stream, status);
}

#endif

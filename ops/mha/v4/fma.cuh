// f32 attention on the multiply-add units: every multiply-add is one full-precision FFMA.
//
// The register tile of step 3a, with the tiles of k and v copied by cp.async ahead of their use, the lazy
// maximum of flash.cuh, and SLICES groups of warps that may share the keys of a tile of queries. The 32 lanes
// of a warp form 4 rows of 8; a warp owns 4 * TR queries. A thread holds TR of them, 4 apart, and every
// eighth key of the tile for the scores, or DP / 8 columns in pieces of 4 for the output. A step of 4 columns
// takes TR + TN 16-byte reads of shared memory for 4 * TR * TN FFMA; a step of 4 keys takes TR + DP / 8 reads
// for TR * DP / 2.
//   - Probabilities change owners between the two products: they pass through shared memory that belongs to
//     the warp alone, so no block barrier is needed there.
//   - Rows in shared memory are padded by 16 bytes (probabilities by 32), so that the 8 keys and 4 queries
//     that a warp reads together lie in different banks.
//   - cp.async copies single elements where rows are not aligned to 16 bytes; the rest of the kernel is the
//     same.
#ifndef ASSAY_OPS_MHA_V4_FMA_CUH
#define ASSAY_OPS_MHA_V4_FMA_CUH

#include "parts.cuh"

template <int DP_, int BN_, int WARPS_M_, int TR_, int SLICES_, int STAGES_, int MIN_BLOCKS_>
struct fma_config {
    static constexpr int DP = DP_, BN = BN_, WARPS_M = WARPS_M_, TR = TR_, SLICES = SLICES_, STAGES = STAGES_;
    static constexpr int MIN_BLOCKS = MIN_BLOCKS_;
    static constexpr int ROWS = 4 * TR, BM = ROWS * WARPS_M, KEYS = BN * SLICES;
    static constexpr int TN = BN / 8, TD = DP / 8;
    static constexpr int SLICE_THREADS = 32 * WARPS_M, THREADS = SLICE_THREADS * SLICES;
    static constexpr int LD = DP + 4, LDP = BN + 8;
    static constexpr int Q_FLOATS = BM * LD, P_FLOATS = ROWS * LDP, TILE_FLOATS = KEYS * LD;
    static constexpr int STAGE_FLOATS = 2 * TILE_FLOATS, PART_FLOATS = TR * TD + 2 * TR;
    static constexpr int PIPELINE_FLOATS = STAGES * STAGE_FLOATS,
                         MERGE_FLOATS = (SLICES - 1) * SLICE_THREADS * PART_FLOATS;
    static constexpr int SHARED_BYTES =
        4 * (Q_FLOATS + SLICES * WARPS_M * P_FLOATS +
             (PIPELINE_FLOATS > MERGE_FLOATS ? PIPELINE_FLOATS : MERGE_FLOATS));
    static_assert(DP % 32 == 0 && BN % 8 == 0 && STAGES >= 2, "see the loops below");
};

// Start copying ROWS rows from `first` on; rows from `count` on, and columns past the row, are zeros.
template <class C, int ROWS, bool ALIGNED>
__device__ __forceinline__ void copy_tile(float *to, const float *from, int first, int count, int dim)
{
    constexpr int WIDTH = ALIGNED ? 4 : 1, PIECES = C::DP / WIDTH;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < ROWS * PIECES; i += C::THREADS) {
        const int row = i / PIECES, column = i % PIECES * WIDTH;
        const bool inside = first + row < count && column < dim;
        const float *source = inside ? from + static_cast<int64_t>(first + row) * dim + column : from;
        if (ALIGNED)
            assay::cp_async_16(to + row * C::LD + column, source, inside ? 16 : 0);
        else
            assay::cp_async_4(to + row * C::LD + column, source, inside ? 4 : 0);
    }
}

template <class C>
struct fma_state {
    float out[C::TR][C::TD];
    row_state rows[C::TR];
};

// This thread's row of lanes, and its number in it.
struct fma_lane {
    int row, column;
};

__device__ __forceinline__ void read_four(float (&to)[4], const float *from)
{
    const assay::vec<float, 4> v = assay::load_vec<4>(from);
#pragma unroll
    for (int l = 0; l < 4; l++)
        to[l] = v[l];
}

// `tile_q`: the warp's first row; `tile_k`: the slice's first key.
template <class C>
__device__ __forceinline__ void multiply_keys(float (&scores)[C::TR][C::TN], const float *tile_q,
                                              const float *tile_k, fma_lane lane)
{
    tile_q += lane.row * C::LD, tile_k += lane.column * C::LD;
#pragma unroll
    for (int i = 0; i < C::TR; i++)
#pragma unroll
        for (int j = 0; j < C::TN; j++)
            scores[i][j] = 0.0f;
#pragma unroll 2
    for (int d = 0; d < C::DP; d += 4) {
        float q[C::TR][4], k[C::TN][4];
#pragma unroll
        for (int i = 0; i < C::TR; i++)
            read_four(q[i], tile_q + i * 4 * C::LD + d);
#pragma unroll
        for (int j = 0; j < C::TN; j++)
            read_four(k[j], tile_k + j * 8 * C::LD + d);
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
            for (int i = 0; i < C::TR; i++)
#pragma unroll
                for (int j = 0; j < C::TN; j++)
                    scores[i][j] += q[i][l] * k[j][l];
    }
}

// Scores of keys that a query does not see become -infinity. `key`: the tile's first; `query`: the warp's
// first.
template <class C>
__device__ __forceinline__ void mask(float (&scores)[C::TR][C::TN], const mha_shape &s, int key, int query,
                                     fma_lane lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        const int limit = keys_before(s, query + i * 4 + lane.row + 1) - key - lane.column;
#pragma unroll
        for (int j = 0; j < C::TN; j++)
            if (j * 8 >= limit)
                scores[i][j] = -INFINITY;
    }
}

// Bring maxima and sums up to date, rescale the output where a maximum has moved, and leave the probabilities
// in `p`. Scores are multiplied with the scale, and rounded, before the maximum is taken from them: it is one
// of them then, and its exponent 0 whatever its size.
template <class C>
__device__ __forceinline__ void softmax_tile(float (&scores)[C::TR][C::TN], fma_state<C> &state, float *p,
                                             float scale, fma_lane lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
#pragma unroll
        for (int j = 0; j < C::TN; j++)
            scores[i][j] = __fmul_rn(scores[i][j], scale);
        float max = scores[i][0];
#pragma unroll
        for (int j = 1; j < C::TN; j++)
            max = fmaxf(max, scores[i][j]);
#pragma unroll
        for (int step = 4; step > 0; step /= 2) // the 8 lanes of a row
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, step));
        row_state &row = state.rows[i];
        if (__any_sync(0xffffffff, outgrown(max, row, 1.0f))) {
            const float factor = follow(max, row, 1.0f);
#pragma unroll
            for (int d = 0; d < C::TD; d++)
                state.out[i][d] *= factor;
        }
#pragma unroll
        for (int j = 0; j < C::TN; j++) {
            const float probability = exp2_fast(scores[i][j] - row.max);
            row.sum += probability;
            p[(i * 4 + lane.row) * C::LDP + j * 8 + lane.column] = probability;
        }
    }
}

template <class C>
__device__ __forceinline__ void multiply_values(fma_state<C> &state, const float *p, const float *tile_v,
                                                fma_lane lane)
{
    p += lane.row * C::LDP, tile_v += lane.column * 4;
#pragma unroll 2
    for (int j = 0; j < C::BN; j += 4) {
        float left[C::TR][4];
#pragma unroll
        for (int i = 0; i < C::TR; i++)
            read_four(left[i], p + i * 4 * C::LDP + j);
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
            for (int d = 0; d < C::TD; d += 4) {
                float v[4];
                read_four(v, tile_v + (j + l) * C::LD + d * 8);
#pragma unroll
                for (int i = 0; i < C::TR; i++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        state.out[i][d + e] += left[i][l] * v[e];
            }
    }
}

// Merge the slices' parts into slice 0's, in the order of the slices. `t`: the thread within its slice.
template <class C>
__device__ __forceinline__ void merge_slices(fma_state<C> &state, float *shared, int slice, int t)
{
    constexpr int COUNT = C::TR * C::TD;
    const auto at = [&](int part, int i) -> float & {
        return shared[((part - 1) * C::PART_FLOATS + i) * C::SLICE_THREADS + t];
    };
    if (slice > 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            at(slice, i) = state.out[i / C::TD][i % C::TD];
#pragma unroll
        for (int i = 0; i < C::TR; i++) {
            at(slice, COUNT + 2 * i) = state.rows[i].max;
            at(slice, COUNT + 2 * i + 1) = state.rows[i].sum;
        }
    }
    __syncthreads();
    if (slice > 0)
        return;
    for (int part = 1; part < C::SLICES; part++)
#pragma unroll
        for (int i = 0; i < C::TR; i++) {
            row_state &mine = state.rows[i];
            const row_state other = {at(part, COUNT + 2 * i), at(part, COUNT + 2 * i + 1)};
            const float max = fmaxf(mine.max, other.max);
            const float keep = exp2_fast(mine.max - max), take = exp2_fast(other.max - max);
            mine = {max, mine.sum * keep + other.sum * take};
#pragma unroll
            for (int d = 0; d < C::TD; d++)
                state.out[i][d] = state.out[i][d] * keep + at(part, i * C::TD + d) * take;
        }
}

template <class C, bool ALIGNED>
__device__ __forceinline__ void store_rows(const fma_state<C> &state, const mha_shape &s, float *out,
                                           int query, fma_lane lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        float sum = state.rows[i].sum; // of this thread's keys
#pragma unroll
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        const int row = query + i * 4 + lane.row;
        const float inverse = inverse_of(s, row, sum);
        float *to = out + static_cast<int64_t>(row) * s.dim;
#pragma unroll
        for (int d = 0; d < C::TD; d += 4) {
            const int column = d * 8 + lane.column * 4;
            assay::vec<float, 4> piece;
#pragma unroll
            for (int l = 0; l < 4; l++)
                piece[l] = state.out[i][d + l] * inverse;
            if (ALIGNED && row < s.queries && column < s.dim)
                assay::store_vec(to + column, piece);
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (!ALIGNED && row < s.queries && column + l < s.dim)
                    to[column + l] = piece[l];
        }
    }
}

// Write the warp's rows as this block's part of them (parts.cuh), not divided by their sums.
template <class C>
__device__ __forceinline__ void store_part(const fma_state<C> &state, const mha_shape &s,
                                           const mha_parts &parts, int head, int query, fma_lane lane)
{
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        float sum = state.rows[i].sum; // of this thread's keys
#pragma unroll
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        const int row = query + i * 4 + lane.row;
        if (row >= s.queries)
            continue;
        const int64_t at = parts.at(static_cast<int64_t>(head) * s.queries + row);
        if (lane.column == 0)
            assay::store_vec(parts.stats + at * 2, assay::vec<float, 2>{{state.rows[i].max, sum}});
#pragma unroll
        for (int d = 0; d < C::TD; d++) {
            const int column = d / 4 * 32 + lane.column * 4 + d % 4;
            if (column < s.dim)
                parts.out[at * s.dim + column] = state.out[i][d];
        }
    }
}

template <class C, bool ALIGNED, bool PARTS>
static __global__ void __launch_bounds__(C::THREADS, C::MIN_BLOCKS) mha_fma(mha_shape s, mha_parts parts)
{
    ASSAY_DYNAMIC_SHARED(float, tile_q);
    float *probabilities = tile_q + C::Q_FLOATS,
          *stages = probabilities + C::SLICES * C::WARPS_M * C::P_FLOATS;
    if (PARTS)
        announce_parts();
    const int slice = static_cast<int>(threadIdx.x) / C::SLICE_THREADS,
              t = static_cast<int>(threadIdx.x) % C::SLICE_THREADS, warp = t / 32;
    const fma_lane lane = {t % 32 / 8, t % 8};
    const mha_block block = block_of(s, blockIdx.x, C::BM);
    const int64_t q_start = static_cast<int64_t>(block.head) * s.queries * s.dim;
    const int64_t k_start = key_start(s, block.head);
    const float *k = s.k + k_start, *v = s.v + k_start;
    const int query = block.query + warp * C::ROWS; // this warp's first
    const int block_limit = keys_before(s, block.query + C::BM), warp_limit = keys_before(s, query + C::ROWS);
    const int all_tiles = (block_limit + C::KEYS - 1) / C::KEYS;
    const tile_range range = PARTS ? part_tiles(parts, all_tiles) : tile_range{0, all_tiles};
    const int tiles = range.end;
    const float scale = s.scale;
    float *p = probabilities + static_cast<int>(threadIdx.x) / 32 * C::P_FLOATS;

    const auto copy_keys = [&](int tile) {
        if (tile < tiles) {
            float *stage = stages + tile % C::STAGES * C::STAGE_FLOATS;
            copy_tile<C, C::KEYS, ALIGNED>(stage, k, tile * C::KEYS, s.keys, s.dim);
            copy_tile<C, C::KEYS, ALIGNED>(stage + C::TILE_FLOATS, v, tile * C::KEYS, s.keys, s.dim);
        }
        assay::cp_async_commit();
    };
    copy_tile<C, C::BM, ALIGNED>(tile_q, s.q + q_start, block.query, s.queries, s.dim);
#pragma unroll
    for (int i = 0; i < C::STAGES - 1; i++)
        copy_keys(range.first + i);

    fma_state<C> state;
#pragma unroll
    for (int i = 0; i < C::TR; i++) {
        state.rows[i] = kNoKeys;
#pragma unroll
        for (int d = 0; d < C::TD; d++)
            state.out[i][d] = 0.0f;
    }

    for (int tile = range.first; tile < tiles; tile++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and everyone is through with the one that the next replaces
        copy_keys(tile + C::STAGES - 1);
        if (tile == range.first && s.negative) {
            for (int i = static_cast<int>(threadIdx.x); i < C::Q_FLOATS; i += C::THREADS)
                if (i % C::LD < C::DP)
                    tile_q[i] = -tile_q[i];
            __syncthreads();
        }
        const int key = tile * C::KEYS + slice * C::BN; // this slice's first
        if (key >= warp_limit)
            continue;
        const float *stage = stages + tile % C::STAGES * C::STAGE_FLOATS + slice * C::BN * C::LD;
        float scores[C::TR][C::TN];
        multiply_keys<C>(scores, tile_q + warp * C::ROWS * C::LD, stage, lane);
        if (key + C::BN > keys_before(s, query + 1))
            mask<C>(scores, s, key, query, lane);
        softmax_tile<C>(scores, state, p, scale, lane);
        __syncwarp();
        multiply_values<C>(state, p, stage + C::TILE_FLOATS, lane);
        __syncwarp(); // the probabilities' memory is free again
    }

    if (C::SLICES > 1) {
        assay::cp_async_wait<0>();
        __syncthreads(); // the pipeline's memory is free from here on
        merge_slices<C>(state, stages, slice, t);
        if (slice > 0)
            return;
    }
    if constexpr (PARTS) {
        store_part<C>(state, s, parts, block.head, query, lane);
        return;
    }
    store_rows<C, ALIGNED>(state, s, s.out + q_start, query, lane);
}

template <class C, bool ALIGNED>
static assay_status fma_launch(const mha_args *args, assay_stream stream)
{
    return launch_whole<C>(mha_fma<C, ALIGNED, false>, args, stream);
}

// False if the keys are better not split; otherwise *status is what the launches returned.
template <class C>
static bool fma_parts(const mha_args *args, int forced, assay_stream stream, assay_status *status)
{
    return launch_parts<C>(mha_fma<C, true, true>, args, forced, stream, status);
}

#endif

// A tile of queries by a block of flash.cuh: bringing tiles, the products of mma.sync m16n8k16, the softmax,
// merging slices, and storing rows.
#ifndef ASSAY_OPS_MHA_V4_FLASH_TILE_CUH
#define ASSAY_OPS_MHA_V4_FLASH_TILE_CUH

#include "../../common/value_barrier.h"
#include "parts.cuh"

// DP: length of a row in shared memory; rows shorter than that are padded with zeros.
template <int DP_, int BN_, int WARPS_M_, int MI_, int SLICES_, int STAGES_, bool Q_IN_REGISTERS_,
          int MIN_BLOCKS_>
struct flash_config {
    static constexpr int DP = DP_, BN = BN_, WARPS_M = WARPS_M_, MI = MI_, SLICES = SLICES_, STAGES = STAGES_;
    static constexpr bool Q_IN_REGISTERS = Q_IN_REGISTERS_;
    static constexpr int MIN_BLOCKS = MIN_BLOCKS_;
    static constexpr int BM = 16 * MI * WARPS_M,
                         KEYS = BN * SLICES; // queries of a block, keys it takes at a time
    static constexpr int SLICE_THREADS = 32 * WARPS_M, THREADS = SLICE_THREADS * SLICES;
    static constexpr int CHUNKS = DP / 8, NI = BN / 8, DI = DP / 8; // 16-byte chunks; mma pieces of 8 columns
    static constexpr int Q_ELEMENTS = BM * DP, TILE_ELEMENTS = KEYS * DP, STAGE_ELEMENTS = 2 * TILE_ELEMENTS;
    static constexpr int PART_FLOATS = MI * DI * 4 + MI * 4; // of a thread, when slices are merged
    static constexpr int PIPELINE_BYTES = STAGES * STAGE_ELEMENTS * 2;
    static constexpr int MERGE_BYTES = (SLICES - 1) * SLICE_THREADS * PART_FLOATS * 4;
    static constexpr int SHARED_BYTES =
        Q_ELEMENTS * 2 + (PIPELINE_BYTES > MERGE_BYTES ? PIPELINE_BYTES : MERGE_BYTES);
    static_assert(DP % 64 == 0 && BN % 16 == 0 && STAGES >= 2, "see the loops below");
    static_assert(THREADS % (8 * CHUNKS) == 0, "the permutation repeats every 8 rows");
    static_assert(BM % (THREADS / CHUNKS) == 0 && KEYS % (THREADS / CHUNKS) == 0, "copies divide evenly");
};

// Element offset of a 16-byte chunk in a tile.
template <class C>
__device__ __forceinline__ int swizzled(int row, int chunk)
{
    return (row * C::CHUNKS + (chunk ^ (row % 8))) * 8;
}

// Start copying ROWS rows from row `first` on; rows from `count` on are zeros. ALIGNED: rows begin at
// multiples of 16 bytes.
template <class C, int ROWS, bool ALIGNED>
__device__ __forceinline__ void copy_tile(scalar_t *to, const scalar_t *from, int first, int count, int dim)
{
    constexpr int STEP = C::THREADS / C::CHUNKS;
    const int t = static_cast<int>(threadIdx.x), row = t / C::CHUNKS, column = t % C::CHUNKS * 8;
    const scalar_t *source = from + static_cast<int64_t>(first + row) * dim + column;
    const int rows_left = column < dim ? count - first - row : 0;
    to += swizzled<C>(row, t % C::CHUNKS);
#pragma unroll
    for (int i = 0; i < ROWS; i += STEP) {
        if (ALIGNED) { // the address of a copy that reads nothing must still be valid: the matrix's own
            assay::cp_async_16(to + i * C::DP, i < rows_left ? source + static_cast<int64_t>(i) * dim : from,
                               i < rows_left ? 16 : 0);
        } else {
            assay::vec<scalar_t, 8> chunk;
#pragma unroll
            for (int l = 0; l < 8; l++)
                chunk[l] = i < rows_left && column + l < dim ? source[static_cast<int64_t>(i) * dim + l]
                                                             : assay::from_float<scalar_t>(0.0f);
            assay::store_vec(to + i * C::DP, chunk);
        }
    }
}

// A warp's state: its part of q if that is kept in registers, the output's sums, and a softmax for each of a
// thread's rows, two in every 16 (mma's rows lane / 4 and lane / 4 + 8).
template <class C>
struct flash_state {
    uint32_t q[C::Q_IN_REGISTERS ? C::DP / 16 : 1][C::MI][4];
    float out[C::MI][C::DI][4];
    row_state rows[C::MI][2];
};

// This lane's first ldmatrix addresses, in elements. Lane l of a 16x16 block names row l % 16, left (l < 16)
// or right half: untransposed that gives the registers of a left operand, transposed those of a right operand
// for two neighbouring pieces. k is a right operand that lies transposed already: there the lanes' second and
// third eighths change places.
struct flash_offsets {
    int q, k, v;
};

template <class C>
__device__ __forceinline__ flash_offsets first_offsets(int slice, int warp)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return {swizzled<C>(warp * 16 * C::MI + lane % 16, lane / 16),
            swizzled<C>(slice * C::BN + lane % 8 + lane / 16 * 8, lane / 8 % 2),
            swizzled<C>(slice * C::BN + lane % 16, lane / 16)};
}

// Moving along a row of a tile is an exclusive-or, as the permutation is one.
template <class C>
__device__ __forceinline__ void multiply_keys(float (&scores)[C::MI][C::NI][4], flash_state<C> &state,
                                              const scalar_t *tile_q, const scalar_t *tile_k,
                                              flash_offsets at)
{
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int j = 0; j < C::NI; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                scores[i][j][e] = 0.0f;
#pragma unroll
    for (int d = 0; d < C::DP / 16; d++) {
        uint32_t(&q)[C::MI][4] = state.q[C::Q_IN_REGISTERS ? d : 0];
        if (!C::Q_IN_REGISTERS)
#pragma unroll
            for (int i = 0; i < C::MI; i++)
                assay::ldmatrix_x4(q[i], tile_q + (at.q ^ d * 16) + i * 16 * C::DP);
#pragma unroll
        for (int j = 0; j < C::NI; j += 2) {
            uint32_t k[4];
            assay::ldmatrix_x4(k, tile_k + (at.k ^ d * 16) + j * 8 * C::DP);
#pragma unroll
            for (int i = 0; i < C::MI; i++) {
                assay::mma_m16n8k16<scalar_t>(scores[i][j], q[i], k, scores[i][j]);
                assay::mma_m16n8k16<scalar_t>(scores[i][j + 1], q[i], k + 2, scores[i][j + 1]);
            }
        }
    }
}

// Scores of keys that a query does not see become -infinity. `key`: the tile's first; `last_seen`:
// by the warp's first query.
template <class C>
__device__ __forceinline__ void mask(float (&scores)[C::MI][C::NI][4], const mha_shape &s, int key,
                                     int last_seen)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int limit =
                keys_up_to(s, last_seen + i * 16 + e / 2 * 8 + lane / 4 + 1) - key - lane % 4 * 2 - e % 2;
#pragma unroll
            for (int j = 0; j < C::NI; j++)
                if (j * 8 >= limit)
                    scores[i][j][e] = -INFINITY;
        }
}

// Bring the rows' maxima up to date with the tile's scores, and rescale the output where they have changed.
template <class C>
__device__ __forceinline__ void update_maxima(const float (&scores)[C::MI][C::NI][4], flash_state<C> &state,
                                              float scale)
{
    float max[C::MI][2];
    bool any = false;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            max[i][h] = fmaxf(scores[i][0][2 * h], scores[i][0][2 * h + 1]);
#pragma unroll
            for (int j = 1; j < C::NI; j++)
                max[i][h] = fmaxf(max[i][h], fmaxf(scores[i][j][2 * h], scores[i][j][2 * h + 1]));
            max[i][h] = fmaxf(max[i][h], __shfl_xor_sync(0xffffffff, max[i][h], 1));
            max[i][h] = fmaxf(max[i][h], __shfl_xor_sync(0xffffffff, max[i][h], 2));
            any = any || outgrown(max[i][h], state.rows[i][h], scale);
        }
    if (!__any_sync(0xffffffff, any))
        return;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float factor = follow(max[i][h], state.rows[i][h], scale);
#pragma unroll
            for (int d = 0; d < C::DI; d++) {
                state.out[i][d][2 * h] *= factor;
                state.out[i][d][2 * h + 1] *= factor;
            }
        }
}

// Scores to probabilities, 16 keys at a time, and probabilities times v. The exponentials of the next keys do
// not depend on the products of the present ones, so both overlap even within a warp. Probabilities are
// summed before they are rounded to the module's type.
template <class C>
__device__ __forceinline__ void multiply_values(flash_state<C> &state, const float (&scores)[C::MI][C::NI][4],
                                                const scalar_t *tile_v, flash_offsets at, float scale)
{
#pragma unroll
    for (int j = 0; j < C::NI; j += 2) {
        // mma's left operand: the upper and lower rows of keys 0 to 7, then those of keys 8 to 15
        uint32_t p[C::MI][4];
#pragma unroll
        for (int i = 0; i < C::MI; i++)
#pragma unroll
            for (int part = 0; part < 4; part++) {
                const float *pair = &scores[i][j + part / 2][part % 2 * 2];
                row_state &row = state.rows[i][part % 2];
                const float first = exp2_fast(fmaf(pair[0], scale, -row.max));
                const float second = exp2_fast(fmaf(pair[1], scale, -row.max));
                row.sum += first + second;
                p[i][part] = pack(first, second);
            }
#pragma unroll
        for (int d = 0; d < C::DI; d += 2) {
            uint32_t v[4];
            assay::ldmatrix_x4_trans(v, tile_v + (at.v ^ d * 8) + j * 8 * C::DP);
#pragma unroll
            for (int i = 0; i < C::MI; i++) {
                assay::mma_m16n8k16<scalar_t>(state.out[i][d], p[i], v, state.out[i][d]);
                assay::mma_m16n8k16<scalar_t>(state.out[i][d + 1], p[i], v + 2, state.out[i][d + 1]);
            }
        }
    }
}

// Merge the slices' parts into slice 0's, in the order of the slices. `t`: the thread within its slice.
template <class C>
__device__ __forceinline__ void merge_slices(flash_state<C> &state, float *shared, int slice, int t)
{
    constexpr int COUNT = C::MI * C::DI * 4;
    const auto at = [&](int part, int i) -> float & {
        return shared[((part - 1) * C::PART_FLOATS + i) * C::SLICE_THREADS + t];
    };
    if (slice > 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            at(slice, i) = state.out[i / 4 / C::DI][i / 4 % C::DI][i % 4];
#pragma unroll
        for (int r = 0; r < 2 * C::MI; r++) {
            at(slice, COUNT + 2 * r) = state.rows[r / 2][r % 2].max;
            at(slice, COUNT + 2 * r + 1) = state.rows[r / 2][r % 2].sum;
        }
    }
    __syncthreads();
    if (slice > 0)
        return;
    for (int part = 1; part < C::SLICES; part++)
#pragma unroll
        for (int i = 0; i < C::MI; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                row_state &mine = state.rows[i][h];
                const row_state other = {at(part, COUNT + 4 * i + 2 * h),
                                         at(part, COUNT + 4 * i + 2 * h + 1)};
                const float max = fmaxf(mine.max, other.max);
                const float keep = exp2_fast(mine.max - max), take = exp2_fast(other.max - max);
                mine = {max, mine.sum * keep + other.sum * take};
#pragma unroll
                for (int d = 0; d < C::DI; d++)
#pragma unroll
                    for (int e = 2 * h; e < 2 * h + 2; e++)
                        state.out[i][d][e] =
                            state.out[i][d][e] * keep + at(part, (i * C::DI + d) * 4 + e) * take;
            }
}

// Divide by the sums and write the warp's rows, through its own rows of q's tile so that whole 16-byte chunks
// are written.
template <class C, bool ALIGNED>
__device__ __forceinline__ void store_rows(flash_state<C> &state, const mha_shape &s, scalar_t *out,
                                           scalar_t *tile, int warp, int query)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __syncwarp(); // where q stays in shared memory, all lanes have read it
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = state.rows[i][h].sum; // of this thread's columns; four threads share a row
            sum += __shfl_xor_sync(0xffffffff, sum, 1);
            sum += __shfl_xor_sync(0xffffffff, sum, 2);
            const int row = i * 16 + h * 8 + lane / 4;
            const float inverse = inverse_of(s, query + row, sum);
#pragma unroll
            for (int d = 0; d < C::DI; d++) {
                const float first = state.out[i][d][2 * h] * inverse,
                            second = state.out[i][d][2 * h + 1] * inverse;
                const uint32_t bits = pack(first, second);
                memcpy(tile + swizzled<C>(warp * 16 * C::MI + row, d) + lane % 4 * 2, &bits, sizeof bits);
            }
        }
    __syncwarp();
    constexpr int PIECE = ALIGNED ? 8 : 1, PIECES = C::DP / PIECE;
    for (int i = lane; i < 16 * C::MI * PIECES; i += 32) {
        const int row = i / PIECES, column = i % PIECES * PIECE;
        if (query + row < s.queries && column < s.dim)
            assay::store_vec(
                out + static_cast<int64_t>(query + row) * s.dim + column,
                assay::load_vec<PIECE>(tile + swizzled<C>(warp * 16 * C::MI + row, column / 8) + column % 8));
    }
}

// Write the warp's rows as this block's part of them, not divided by their sums.
template <class C>
__device__ __forceinline__ void store_part(const flash_state<C> &state, const mha_shape &s,
                                           const mha_parts &parts, int head, int query)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::MI; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = state.rows[i][h].sum; // of this thread's columns; four threads share a row
            sum += __shfl_xor_sync(0xffffffff, sum, 1);
            sum += __shfl_xor_sync(0xffffffff, sum, 2);
            const int row = query + i * 16 + h * 8 + lane / 4;
            if (row >= s.queries)
                continue;
            const int64_t at = parts.at(static_cast<int64_t>(head) * s.queries + row);
            if (lane % 4 == 0)
                assay::store_vec(parts.stats + at * 2, assay::vec<float, 2>{{state.rows[i][h].max, sum}});
#pragma unroll
            for (int d = 0; d < C::DI; d++)
                if (d * 8 + lane % 4 * 2 < s.dim)
                    assay::store_vec(
                        parts.out + at * s.dim + d * 8 + lane % 4 * 2,
                        assay::vec<float, 2>{{state.out[i][d][2 * h], state.out[i][d][2 * h + 1]}});
        }
}

#endif

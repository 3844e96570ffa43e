// What steps 3c and 3d share: tiles as TMA and wgmma lay them out, the softmax of a tile's scores, and the
// way out.
//
// A tile of ROWS rows lies in boxes of 64 columns, each of ROWS rows of 128 bytes with TMA's swizzle. wgmma
// leaves to thread t of a warpgroup the rows 16 * (t / 32) + t % 32 / 4 and 8 below it, and of every 8
// columns those from 2 * (t % 4) on, two of them.
#ifndef ASSAY_OPS_MHA_WARPGROUP_TILES_CUH
#define ASSAY_OPS_MHA_WARPGROUP_TILES_CUH

#include <assay/hopper.h>
#include <cstring>
#include "../common/exp2_fast.h"
#include "attention.cuh"

static constexpr int BM = 128,
                     STAGES = 2; // queries of a block, 64 a warpgroup; stages of the pipeline of k and v

// DP: row length in shared memory; shorter rows are padded with zeros. BN: keys of a tile.
template <int DP_, int BN_>
struct tile_config {
    static constexpr int DP = DP_, BN = BN_, TILE = BN * DP; // TILE: elements
    static constexpr int BARRIER_BYTES = 1024,
                         SHARED_BYTES = BARRIER_BYTES + 2 * (BM * DP + STAGES * 2 * TILE);
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

struct tile_maps {
    assay::tensor_map q, k, v;
};

// Maps of [heads, rows, dim] in boxes of 64 columns. None where TMA cannot address the rows, or no key is
// copied.
template <class C>
static assay_status make_maps(const attention_shape &s, tile_maps *maps)
{
    const auto rows = [&](assay::tensor_map *map, const scalar_t *base, int heads, int64_t count,
                          int64_t in_memory, int box) {
        return assay::tensor_map_nd<scalar_t, 3>(map, base, {s.dim, count, heads}, {s.dim, in_memory * s.dim},
                                                 {64, box, 1}, true);
    };
    *maps = {};
    if (!s.aligned || s.keys == 0)
        return ASSAY_OK;
    assay_status status = rows(&maps->q, s.q, s.heads, s.queries, s.queries, BM);
    if (status == ASSAY_OK)
        status = rows(&maps->k, s.k, s.heads / s.group, s.keys, s.key_rows, C::BN);
    if (status == ASSAY_OK)
        status = rows(&maps->v, s.v, s.heads / s.group, s.keys, s.key_rows, C::BN);
    return status;
}

// Element offset of a 16-byte chunk.
template <int ROWS>
__device__ __forceinline__ int swizzled(int row, int chunk)
{
    return chunk / 8 * 64 * ROWS + row * 64 + (chunk % 8 ^ row % 8) * 8;
}

#if ASSAY_HOPPER_CODE

// One thread: start the TMA copies of rows [first, first + ROWS) of a head; zeros lie behind the last one.
template <class C, int ROWS>
__device__ __forceinline__ void load_rows(scalar_t *to, const assay::tensor_map *map, uint64_t *full,
                                          int first, int64_t head)
{
#pragma unroll
    for (int column = 0; column < C::DP; column += 64)
        assay::tma_load_3d(to + column * ROWS, map, full, column, first, static_cast<int>(head));
}

// The same by ordinary stores of `threads` threads, for rows that TMA cannot address: right, but slow. `from`:
// the head's first row.
template <class C, int ROWS>
__device__ __forceinline__ void copy_rows(scalar_t *to, const scalar_t *from, int first, int count, int dim,
                                          int threads)
{
    from += static_cast<int64_t>(first) * dim;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < ROWS * C::DP; i += threads) {
        const int row = i / C::DP, column = i % C::DP;
        const bool inside = first + row < count && column < dim;
        to[swizzled<ROWS>(row, column / 8) + column % 8] =
            inside ? from[static_cast<int64_t>(row) * dim + column] : assay::from_float<scalar_t>(0.0f);
    }
    assay::fence_async_shared();
}

struct row_state { // of a thread's two rows
    float max[2] = {kNoKeys, kNoKeys}, sum[2] = {};
};

// Scale and mask the scores and turn them into exponentials, where they are. factor[]: for what has been
// summed so far. A score is scaled, and rounded, before the maximum is taken, so that the largest exponent is
// 0 whatever the scores' size. `key`: the tile's first. `query`: of the thread's first row.
template <class C>
__device__ __forceinline__ void softmax_tile(float (&scores)[C::BN / 2], row_state &rows, float (&factor)[2],
                                             const attention_shape &s, int key, int query)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int visible = visible_keys(s, query + h * 8, key) - static_cast<int>(threadIdx.x) % 4 * 2;
        float max = rows.max[h];
#pragma unroll
        for (int n = 0; n < C::BN / 4; n++)
            scores[n / 2 * 4 + h * 2 + n % 2] = __fmul_rn(scores[n / 2 * 4 + h * 2 + n % 2], s.scale);
        if (visible < C::BN)
#pragma unroll
            for (int n = 0; n < C::BN / 4; n++)
                if (n / 2 * 8 + n % 2 >= visible)
                    scores[n / 2 * 4 + h * 2 + n % 2] = -INFINITY;
#pragma unroll
        for (int n = 0; n < C::BN / 4; n++)
            max = fmaxf(max, scores[n / 2 * 4 + h * 2 + n % 2]);
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 1));
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 2));
        factor[h] = exp2_fast(rows.max[h] - max);
        rows.max[h] = max;
        rows.sum[h] *= factor[h];
#pragma unroll
        for (int n = 0; n < C::BN / 4; n++) {
            float &score = scores[n / 2 * 4 + h * 2 + n % 2];
            score = exp2_fast(score - max);
            rows.sum[h] += score; // before it is rounded to the module's type
        }
    }
}

// Exponentials as left operands of the product with v, and the output so far relative to the new maxima.
template <class C>
__device__ __forceinline__ void round_and_rescale(uint32_t (&p)[C::BN / 16][4], float (&out)[C::DP / 2],
                                                  const float (&scores)[C::BN / 2], const float (&factor)[2])
{
#pragma unroll
    for (int i = 0; i < C::BN / 4; i++) {
        const assay::vec<scalar_t, 2> pair = {
            {assay::from_float<scalar_t>(scores[i * 2]), assay::from_float<scalar_t>(scores[i * 2 + 1])}};
        memcpy(&p[i / 4][i % 4], &pair, 4);
    }
#pragma unroll
    for (int i = 0; i < C::DP / 2; i++)
        out[i] *= factor[i % 4 / 2];
}

// Begin scores = q * k^T. Descriptors count 16 bytes, 8 elements.
template <class C>
__device__ __forceinline__ void begin_scores(float (&scores)[C::BN / 2], uint64_t q, uint64_t k)
{
#pragma unroll
    for (int d = 0; d < C::DP; d += 16)
        assay::wgmma_m64k16<scalar_t, C::BN, false>::run(scores, q + (d / 64 * 64 * BM + d % 64) / 8,
                                                         k + (d / 64 * 64 * C::BN + d % 64) / 8, d > 0);
    assay::wgmma_commit();
}

// Begin out += p * v.
template <class C>
__device__ __forceinline__ void begin_output(float (&out)[C::DP / 2], const uint32_t (&p)[C::BN / 16][4],
                                             uint64_t v)
{
#pragma unroll
    for (int j = 0; j < C::BN / 16; j++)
        assay::wgmma_m64k16<scalar_t, C::DP>::run_registers(out, p[j], v + j * 16 * 64 / 8, 1);
    assay::wgmma_commit();
}

// Divide by the sums and write the warp's 16 rows, through q's tile, which nobody reads any more, so that
// 16-byte chunks are written. `row`: the warp's first in the tile.
template <class C>
__device__ __forceinline__ void store_rows(const float (&out)[C::DP / 2], const row_state &rows,
                                           scalar_t *tile, const attention_shape &s, const attention_tile &at,
                                           int row)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = rows.sum[h]; // of this thread's columns; four threads share a row
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        const float inverse = inverse_of(s, at.first + row + h * 8 + lane / 4, sum);
#pragma unroll
        for (int d = 0; d < C::DP / 8; d++)
            assay::store_vec(
                tile + swizzled<BM>(row + h * 8 + lane / 4, d) + lane % 4 * 2,
                assay::vec<scalar_t, 2>{{assay::from_float<scalar_t>(out[d * 4 + h * 2] * inverse),
                                         assay::from_float<scalar_t>(out[d * 4 + h * 2 + 1] * inverse)}});
    }
    __syncwarp();
    for (int i = lane; i < 16 * C::DP / 8; i += 32) {
        const int down = row + i / (C::DP / 8), chunk = i % (C::DP / 8), column = chunk * 8;
        const scalar_t *from = tile + swizzled<BM>(down, chunk);
        scalar_t *to = s.out + (at.head * s.queries + at.first + down) * s.dim + column;
        if (at.first + down >= s.queries || column >= s.dim)
            continue;
        if (s.aligned)
            assay::store_vec(to, assay::load_vec<8>(from));
        else
            for (int e = 0; e < 8 && column + e < s.dim; e++)
                to[e] = from[e];
    }
}

#endif

#endif

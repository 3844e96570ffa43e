// How the consumer warpgroup of split.cuh writes a finished tile of f32. A configuration C has TILE_N, STAGED_ROW and
// STAGED_FLOATS.
#ifndef ASSAY_OPS_MATMUL_V4_SPLIT_STORE_CUH
#define ASSAY_OPS_MATMUL_V4_SPLIT_STORE_CUH

#include <assay/kernel.h>
#include <assay/hopper.h>
#include "order.cuh"
#include <type_traits>

// Sums of 8 columns of a lane, number j of TILE_N / 8, in the upper or lower half of a warp's rows, after the epilogue.
template <class C, class Epilogue>
__device__ __forceinline__ assay::vec<float, 2>
split_pair(const float (&sums)[C::TILE_N / 2], int j, int half, const typename Epilogue::columns *columns,
           const Epilogue &epilogue)
{
    assay::vec<float, 2> pair = {{sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]}};
    epilogue(pair[0], pair[1], columns[4 * j + static_cast<int>(threadIdx.x) % 4]);
    return pair;
}

// `row`, `column`: of sums[0] in c, see wgmma_m64k16. Rows are whole sectors of 32 bytes.
// `columns`: the epilogue's data for every two columns of the tile.
template <class C, class Epilogue>
__device__ __forceinline__ void
split_store(float *c, const float (&sums)[C::TILE_N / 2], const matmul_shape &s, int row, int column,
            const typename Epilogue::columns *columns, const Epilogue &epilogue)
{
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int j = 0; j < C::TILE_N / 8; j++) {
            const int m = row + 8 * half, n = column + 8 * j;
            const assay::vec<float, 2> pair = split_pair<C>(sums, j, half, columns, epilogue);
            if (m < s.m && n < s.n)
                assay::store_vec(c + static_cast<int64_t>(m) * s.n + n, pair);
        }
}

// Other rows: a warp lays 8 of its 16 rows out in `staged`, 64 columns at a time, and writes them by whole lines.
// `row`, `column`: the warp's first.
template <class C, class Epilogue>
__device__ __forceinline__ void
split_store_staged(float *c, const float (&sums)[C::TILE_N / 2], const matmul_shape &s, int row, int column,
                   float *staged, const typename Epilogue::columns *columns, const Epilogue &epilogue)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float *to = staged + lane / 4 * C::STAGED_ROW + lane % 4 * 2;
#pragma unroll
    for (int part = 0; part < C::TILE_N / 32; part++) { // half of the rows, 64 columns
        const int half = part % 2, first = part / 2 * 8, n = column + first * 8 + lane;
#pragma unroll
        for (int j = 0; j < 8; j++)
            assay::store_vec(to + 8 * j, split_pair<C>(sums, first + j, half, columns, epilogue));
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            const int m = row + 8 * half + r;
            float *line = c + static_cast<int64_t>(m) * s.n + n;
            if (m < s.m && n < s.n)
                line[0] = staged[r * C::STAGED_ROW + lane];
            if (m < s.m && n + 32 < s.n)
                line[32] = staged[r * C::STAGED_ROW + lane + 32];
        }
        __syncwarp();
    }
}

// Apply the epilogue and store a tile. `fetched`: the epilogue's data for two columns, in each of the first
// TILE_N / 2 threads. The threads share it through `columns`, a double buffer, so that a late reader of the
// previous tile's data is not overtaken. `staged`: STAGED_FLOATS for each warp.
template <class C, class Epilogue>
__device__ __forceinline__ void
split_finish(float *c, const float (&sums)[C::TILE_N / 2], const matmul_shape &s, matmul_tile tile,
             typename Epilogue::columns *columns, const typename Epilogue::columns &fetched, float *staged,
             const Epilogue &epilogue)
{
    const int t = static_cast<int>(threadIdx.x) % 128;
    if (!std::is_empty_v<typename Epilogue::columns>) {
        if (t < C::TILE_N / 2)
            columns[t] = fetched;
        assay::named_barrier_sync(1, 128);
    }
    const int row = tile.m + t / 32 * 16;
    if (s.n % 8 == 0)
        split_store<C>(c, sums, s, row + t % 32 / 4, tile.n + 2 * (t % 4), columns, epilogue);
    else
        split_store_staged<C>(c, sums, s, row, tile.n, staged + t / 32 * C::STAGED_FLOATS, columns, epilogue);
}

#endif

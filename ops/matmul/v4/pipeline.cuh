// Shared by the persistent kernels: the tile order, and the TMA pipeline of STAGES stages in shared memory
// with its mbarriers. A configuration C has TILE_M, TILE_N, TILE_K, STAGES, STAGE_ELEMENTS, THREADS and
// RASTER (tile rows of a band).
#ifndef ASSAY_OPS_MATMUL_V4_PIPELINE_CUH
#define ASSAY_OPS_MATMUL_V4_PIPELINE_CUH

#include <assay/kernel.h>
#include <assay/hopper.h>
#include "order.cuh"

// Tile `index` of all: down a band of RASTER tile rows, then to the right. Divisions by run-time values are
// avoided where possible, since in a small matmul the first copies wait for them. (A loop that remembers its band
// needs no division, but then the compiler cannot see that a warp's threads stay uniform, and moves the addresses
// of wgmma through ordinary registers.)
template <class C>
__device__ __forceinline__ void place_tile(unsigned tiles_m, unsigned tiles_n, unsigned index,
                                           matmul_tile &tile)
{
    const unsigned band = tiles_m > C::RASTER ? index / (C::RASTER * tiles_n) : 0;
    const unsigned inside = index - band * (C::RASTER * tiles_n), rest = tiles_m - band * C::RASTER;
    const bool whole = rest >= static_cast<unsigned>(C::RASTER);
    const unsigned rows = whole ? C::RASTER : rest, column = whole ? inside / C::RASTER : inside / rest;
    tile.m = static_cast<int>((band * C::RASTER + inside - column * rows) * C::TILE_M);
    tile.n = static_cast<int>(column * C::TILE_N);
}

// A block's nth tile (from 0). False when there is none.
template <class C>
__device__ __forceinline__ bool find_tile(const matmul_shape &s, int nth, matmul_tile &tile)
{
    const unsigned tiles_m = (s.m + C::TILE_M - 1) / C::TILE_M, tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N;
    const unsigned index = nth * gridDim.x + blockIdx.x;
    if (index >= tiles_m * tiles_n)
        return false;
    place_tile<C>(tiles_m, tiles_n, index, tile);
    return true;
}

// A block's first tile. A small matmul's first copies wait for it, so bands are counted by a loop instead of
// a division.
template <class C>
__device__ __forceinline__ matmul_tile find_first_tile(const matmul_shape &s)
{
    const unsigned tiles_m = (s.m + C::TILE_M - 1) / C::TILE_M, tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N;
    unsigned inside = blockIdx.x, above = 0;
    while (tiles_m - above > C::RASTER && inside >= C::RASTER * tiles_n)
        inside -= C::RASTER * tiles_n, above += C::RASTER;
    const unsigned rest = tiles_m - above;
    const bool whole = rest >= static_cast<unsigned>(C::RASTER);
    const unsigned rows = whole ? C::RASTER : rest, column = whole ? inside / C::RASTER : inside / rest;
    return {static_cast<int>((above + inside - column * rows) * C::TILE_M),
            static_cast<int>(column * C::TILE_N)};
}

// Grid of a persistent kernel: one block a multiprocessor, each takes tile after tile.
inline dim3 persistent_grid(int64_t tiles)
{
    const int64_t resident = assay::multiprocessor_count();
    return dim3(static_cast<unsigned>(tiles < resident ? tiles : resident));
}

// Consumers wait until thread 0 has initialised the mbarriers. The producer warpgroup, to which thread 0
// belongs, only arrives and starts its first copies at once.
template <class C>
__device__ __forceinline__ void pipeline_start(int group)
{
    if (group == 0)
        assay::named_barrier_arrive(4, C::THREADS);
    else
        assay::named_barrier_sync(4, C::THREADS);
}

// A stage of the pipeline and the parity of the phase that is awaited there.
template <int STAGES>
struct pipeline_position {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES)
            stage = 0, parity ^= 1;
    }
};

// A consumer warp has read a stage.
__device__ __forceinline__ void release_stage(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// Thread 0, before pipeline_start: initialise the mbarriers. A stage is free again after `releases` warps
// have released it.
template <class C>
__device__ __forceinline__ void pipeline_init(uint64_t *full, uint64_t *empty, int releases,
                                              const assay::tensor_map *map_a, const assay::tensor_map *map_b)
{
    assay::tma_prefetch_map(map_a);
    assay::tma_prefetch_map(map_b);
#pragma unroll
    for (int i = 0; i < C::STAGES; i++) {
        assay::mbarrier_init(&full[i], 1);
        assay::mbarrier_init(&empty[i], releases);
    }
    assay::mbarrier_fence_init();
}

// The producer thread: load the operands of every TILE_K of k of every tile of this block. `copy(stage, full,
// tile, k)` starts the copies of a whole stage, STAGE_ELEMENTS elements, which complete on the mbarrier
// `full`.
template <class C, class T, class Copy>
__device__ __forceinline__ void pipeline_produce(const matmul_shape &s, T *stages, uint64_t *full,
                                                 uint64_t *empty, const Copy &copy)
{
    pipeline_position<C::STAGES> at;
    matmul_tile tile;
    for (int nth = 0; find_tile<C>(s, nth, tile); nth++)
        for (int step = 0; step < (s.k + C::TILE_K - 1) / C::TILE_K; step++, at.advance()) {
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], C::STAGE_ELEMENTS * static_cast<int>(sizeof(T)));
            copy(stages + at.stage * C::STAGE_ELEMENTS, &full[at.stage], tile, step * C::TILE_K);
        }
}

#endif

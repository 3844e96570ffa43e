// What the kernels share that stay on their multiprocessor, take tile after tile of c and pass operands through a ring of
// stages in shared memory: the order of the tiles and the bookkeeping of the ring. A configuration C has BM, BN, THREADS and RASTER.
#ifndef ASSAY_OPS_MATMUL_V4_PIPELINE_CUH
#define ASSAY_OPS_MATMUL_V4_PIPELINE_CUH

#include <assay/kernel.h>
#include <assay/hopper.h>
#include "order.cuh"

// The tile that a block takes as its `turn`-th: down RASTER rows of tiles, then to the right. Divisions by what is known only at run time are
// left out where they can be: in a small product every copy waits for them. (A walk that remembers its band needs none, but then the
// compiler no longer sees that all threads of a warp go the same way, and moves all addresses of the products through ordinary registers.)
template <class C>
__device__ __forceinline__ bool hopper_tile(const matmul_shape &s, int turn, matmul_tile &tile)
{
    const unsigned tiles_m = (s.m + C::BM - 1) / C::BM, tiles_n = (s.n + C::BN - 1) / C::BN;
    const unsigned index = turn * gridDim.x + blockIdx.x;
    if (index >= tiles_m * tiles_n)
        return false;
    const unsigned band = tiles_m > C::RASTER ? index / (C::RASTER * tiles_n) : 0;
    const unsigned inside = index - band * (C::RASTER * tiles_n), rest = tiles_m - band * C::RASTER;
    const bool whole = rest >= static_cast<unsigned>(C::RASTER);
    const unsigned rows = whole ? C::RASTER : rest, column = whole ? inside / C::RASTER : inside / rest;
    tile.m = static_cast<int>((band * C::RASTER + inside - column * rows) * C::BM);
    tile.n = static_cast<int>(column * C::BN);
    return true;
}

// The first of them, on which a small product's first copies wait: bands are counted instead of divided for.
template <class C>
__device__ __forceinline__ matmul_tile hopper_first_tile(const matmul_shape &s)
{
    const unsigned tiles_m = (s.m + C::BM - 1) / C::BM, tiles_n = (s.n + C::BN - 1) / C::BN;
    unsigned inside = blockIdx.x, above = 0;
    while (tiles_m - above > C::RASTER && inside >= C::RASTER * tiles_n)
        inside -= C::RASTER * tiles_n, above += C::RASTER;
    const unsigned rest = tiles_m - above;
    const bool whole = rest >= static_cast<unsigned>(C::RASTER);
    const unsigned rows = whole ? C::RASTER : rest, column = whole ? inside / C::RASTER : inside / rest;
    return {static_cast<int>((above + inside - column * rows) * C::BM), static_cast<int>(column * C::BN)};
}

// Blocks for a product of `tiles` tiles: each stays on its multiprocessor and takes tile after tile.
inline dim3 hopper_grid(int64_t tiles)
{
    const int64_t resident = assay::multiprocessor_count();
    return dim3(static_cast<unsigned>(tiles < resident ? tiles : resident));
}

// Go on when thread 0's barriers are there. Its own warpgroup, the producer, need not wait for anyone: it only tells the
// others, and its first copies start at once.
template <class C>
__device__ __forceinline__ void ring_start(int group)
{
    if (group == 0)
        assay::named_barrier_arrive(4, C::THREADS);
    else
        assay::named_barrier_sync(4, C::THREADS);
}

// A position in the ring and the parity of the phase that is awaited there.
template <int STAGES>
struct ring_position {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES)
            stage = 0, parity ^= 1;
    }
};

// A consumer warp is done with a stage.
__device__ __forceinline__ void hopper_release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// What thread 0 does before ring_start: the barriers of C::STAGES stages, each of which is free when `releases` warps have released it.
template <class C>
__device__ __forceinline__ void ring_create(uint64_t *full, uint64_t *empty, int releases,
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

// The producer thread's part: fill the ring with the operands of every BK of k of every tile of this block. `copy(stage, full, tile, k)` starts
// the copies of a whole stage, STAGE_ELEMENTS, which are counted on the barrier `full`.
template <class C, class T, class Copy>
__device__ __forceinline__ void ring_produce(const matmul_shape &s, T *ring, uint64_t *full, uint64_t *empty,
                                             const Copy &copy)
{
    ring_position<C::STAGES> at;
    matmul_tile tile;
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++)
        for (int step = 0; step < (s.k + C::BK - 1) / C::BK; step++, at.advance()) {
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], C::STAGE_ELEMENTS * static_cast<int>(sizeof(T)));
            copy(ring + at.stage * C::STAGE_ELEMENTS, &full[at.stage], tile, step * C::BK);
        }
}

#endif

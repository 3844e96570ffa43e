// f16 and bf16 matmul with wgmma and TMA where tiles do not come out even: the last round of tiles is divided by
// k ("stream-K").
//
// A persistent kernel (hopper.cuh) takes as long as its rounds of tiles: with 144 tiles of c on 132 multiprocessors
// 120 of them wait for the second round. Here the blocks take whole tiles while there is a whole round of them.
// The steps of k of all tiles that are left (64 of k each) are put in a row and divided evenly, so a block gets
// the end of one tile and the beginning of the next. Whoever has a part of a tile writes its fp32 sums to the
// workspace, and a second kernel adds the parts, in order (partial_sums.cuh). One long k is the same thing with no
// whole round: 128 x 128 x 65536 is one tile for all blocks.
// What that costs, and when it pays: tile_model.h.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_STREAM_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_STREAM_CUH

#include "hopper.cuh"
#include "partial_sums.cuh"
#include "tile_model.h"

// A block's part of a tile: steps of TILE_K from `begin` to `end`; `slot`: where its sums go, -1: it has the whole.
struct stream_work {
    matmul_tile tile;
    int begin, end, slot;
};

// A block's nth work (from 0): whole tiles, then its parts of the rest. Slots count up with every part, since
// each part either begins a tile or a block.
template <class C>
__device__ __forceinline__ bool find_work(const matmul_shape &s, const stream_plan &p, int nth,
                                          stream_work &work)
{
    const unsigned tiles_m = (s.m + C::TILE_M - 1) / C::TILE_M, tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N;
    const unsigned steps = p.steps, block = blockIdx.x, whole = p.whole * gridDim.x;
    if (nth < p.whole) {
        place_tile<C>(tiles_m, tiles_n, nth * gridDim.x + block, work.tile);
        work.begin = 0, work.end = p.steps, work.slot = -1;
        return true;
    }
    const unsigned total = p.rest * steps;
    const unsigned first = total * block / gridDim.x, last = total * (block + 1) / gridDim.x;
    const unsigned tile = first / steps + (nth - p.whole), at = nth == p.whole ? first : tile * steps;
    if (at >= last)
        return false;
    const unsigned begin = at - tile * steps, end = last - tile * steps < steps ? last - tile * steps : steps;
    const bool all = begin == 0 && end == steps;
    place_tile<C>(tiles_m, tiles_n, whole + tile, work.tile);
    work.begin = static_cast<int>(begin), work.end = static_cast<int>(end);
    work.slot = all ? -1 : static_cast<int>(block + tile);
    return true;
}

// The tiles of the rest, for the second stage.
template <class C>
struct stream_tiles {
    static constexpr int TILE_M = C::TILE_M, TILE_N = C::TILE_N;
    int m, n;
    stream_plan p;
    __device__ __forceinline__ partial_tile operator()(int tile) const
    {
        const unsigned tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
        const unsigned blocks = p.blocks, total = p.rest * p.steps, begin = tile * p.steps;
        // The blocks that have its first and its last step.
        const unsigned first = ((begin + 1) * blocks - 1) / total,
                       last = ((begin + p.steps) * blocks - 1) / total;
        matmul_tile at;
        place_tile<C>(tiles_m, tiles_n, p.whole * blocks + tile, at);
        return {at.m, at.n, static_cast<int>(first) + tile,
                first == last ? 0 : static_cast<int>(last - first) + 1};
    }
};

template <class C>
__device__ __forceinline__ void stream_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                               const matmul_shape &s, const stream_plan &p, scalar_t *stages,
                                               uint64_t *full, uint64_t *empty)
{
    pipeline_position<C::STAGES> at;
    stream_work work;
    for (int nth = 0; find_work<C>(s, p, nth, work); nth++)
        for (int step = work.begin; step < work.end; step++, at.advance()) {
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], C::STAGE_ELEMENTS * 2);
            hopper_load_stage<C>(map_a, map_b, stages + at.stage * C::STAGE_ELEMENTS, &full[at.stage],
                                 work.tile, step * C::TILE_K);
        }
}

// Write a consumer's sums to its 64 rows of a slot, whole 32-byte sectors.
template <class C>
__device__ __forceinline__ void stream_store_part(float *slot, const float (&sums)[C::TILE_N / 2])
{
    const int t = static_cast<int>(threadIdx.x) % 128, row = t / 32 * 16 + t % 32 / 4, column = 2 * (t % 4);
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int j = 0; j < C::TILE_N / 8; j++)
            assay::store_vec(slot + (row + 8 * half) * C::TILE_N + column + 8 * j,
                             assay::vec<float, 2>{{sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]}});
}

template <class C, class Epilogue>
__device__ __forceinline__ void stream_consume(const assay::tensor_map *map_c, scalar_t *c, float *partial,
                                               const matmul_shape &s, const stream_plan &p, int consumer,
                                               const hopper_shared<C, Epilogue> &shared,
                                               const Epilogue &epilogue)
{
    const int t = static_cast<int>(threadIdx.x) % 128;
    pipeline_position<C::STAGES> at;
    stream_work work;
    float sums[C::TILE_N / 2];
    for (int nth = 0; find_work<C>(s, p, nth, work); nth++) {
        const typename Epilogue::columns fetched = epilogue.fetch(work.tile.n + t % (C::TILE_N / 2) * 2);
        hopper_multiply_tile<C>(sums, (work.end - work.begin) * C::TILE_K, consumer, shared.stages,
                                shared.full, shared.empty, at);
        if (work.slot < 0)
            hopper_finish_tile<C>(map_c, c, s, consumer, sums, work.tile, fetched, shared, epilogue);
        else
            stream_store_part<C>(
                partial + (static_cast<int64_t>(work.slot) * C::TILE_M + consumer * 64) * C::TILE_N, sums);
    }
    if (t == 0)
        assay::tma_store_wait_read<0>();
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_hopper_stream(const __grid_constant__ assay::tensor_map map_a,
                         const __grid_constant__ assay::tensor_map map_b,
                         const __grid_constant__ assay::tensor_map map_c, scalar_t *c, float *partial,
                         const matmul_shape s, const stream_plan plan, const Epilogue epilogue)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    const int group = static_cast<int>(threadIdx.x) / 128;
    hopper_shared<C, Epilogue> mine;
    mine.full = reinterpret_cast<uint64_t *>(shared);
    mine.empty = mine.full + C::STAGES;
    mine.stages = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES);
    assay::let_next_begin();
    if (threadIdx.x == 0)
        pipeline_init<C>(mine.full, mine.empty, C::CONSUMERS * 4, &map_a, &map_b);
    pipeline_start<C>(group);
    if (group == 0) {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            stream_produce<C>(&map_a, &map_b, s, plan, mine.stages, mine.full, mine.empty);
    } else {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_increase<232>();
        scalar_t *outs = mine.stages + C::STAGES * C::STAGE_ELEMENTS;
        mine.out = outs + (group - 1) * C::OUT_ELEMENTS;
        mine.columns = reinterpret_cast<typename Epilogue::columns *>(outs + C::CONSUMERS * C::OUT_ELEMENTS) +
                       (group - 1) * (C::TILE_N / 2);
        stream_consume<C>(&map_c, c, partial, s, plan, group - 1, mine, epilogue);
    }
#endif
}

// See hopper_launch. The workspace must have room for the plan's slots.
template <class C, class Epilogue>
static assay_status stream_launch(const matmul_args *args, const matmul_shape &shape, const stream_plan &plan,
                                  const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return stream_launch<with_transposed_b<C>>(args, shape, plan, epilogue, stream);
    hopper_operands<C> operands;
    assay_status status = hopper_prepare<C>(args, shape, &operands, stream);
    if (status != ASSAY_OK)
        return status;
    float *partial = partial_sums_of(args).sums;
    status = assay::launch(matmul_hopper_stream<C, Epilogue>, dim3(static_cast<unsigned>(plan.blocks)),
                           dim3(C::THREADS), C::SHARED_BYTES, stream, operands.a, operands.b, operands.c,
                           static_cast<scalar_t *>(args->c), partial, operands.s, plan, epilogue);
    if (status != ASSAY_OK || plan.rest == 0)
        return status;
    const stream_tiles<C> tiles = {operands.s.m, operands.s.n, plan};
    return add_partial_sums(partial, args, plan.rest, plan.blocks / plan.rest + 2, tiles, epilogue, stream);
}

#endif

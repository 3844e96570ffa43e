// f16 and bf16 matmul with wgmma and TMA (sm_90a), warp-specialised and persistent.
//
// One block a multiprocessor stays for the whole matmul and takes tile after tile. Its warpgroups have fixed
// roles:
//   producer   one thread starts the TMA copies: a pipeline of STAGES stages (TILE_M x 64 of a, 64 x TILE_N
//              of b), also across the boundary between two tiles of c;
//   consumers  one to three warpgroups multiply straight from shared memory (wgmma, 64 x TILE_N each).
// The mbarriers `full` count bytes that have landed, `empty` the consumer warps that have read a stage. The
// finished tile is rounded to shared memory and written by TMA while the next tile is multiplied. TMA fills
// everything past the edges with zeros and leaves it out when it writes.
//
// A launch may differ from that in three ways (tile_plan):
//   cluster    two blocks of a cluster take tiles one above the other, and each loads half of b's stage into both
//              (multicast), so that three quarters to half of the bytes come from L2. It pays where L2 is the
//              limit: rows that start at no multiple of 128 bytes come at half the rate.
//   splits     several blocks share the k of a tile; their fp32 sums go to the workspace (partial_sums.cuh). It
//              pays where there are few tiles and a long k.
//   batch      the tiles of many products, one behind the other; TMA sees each operand as so many matrices.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_CUH

#include "hopper_items.cuh"
#include "hopper_store.cuh"
#include "../../common/value_barrier.h"
#include "tensor.cuh"
#include <type_traits>

template <int M, int N, int STAGE_COUNT, int RASTER_ROW_COUNT>
struct hopper_config {
    static constexpr int TILE_M = M, TILE_N = N, TILE_K = 64, STAGES = STAGE_COUNT;
    static constexpr int RASTER = RASTER_ROW_COUNT; // tile rows of a band
    static constexpr bool TRANSPOSE_B = false;      // see with_transposed_b
    static constexpr bool ALONE =
        M * N == 128 * 256; // the tile of large matrices has a kernel without clusters too
    static constexpr int CONSUMERS = TILE_M / 64, THREADS = 128 * (1 + CONSUMERS);
    static constexpr int BOXES = TILE_N / 64; // of 64 columns
    static constexpr int A_ELEMENTS = TILE_M * TILE_K, B_ELEMENTS = TILE_K * BOXES * 64,
                         STAGE_ELEMENTS = A_ELEMENTS + B_ELEMENTS;
    static constexpr int OUT_ELEMENTS = 64 * BOXES * 64; // one consumer's part of the finished tile
    static constexpr int COLUMN_BYTES = TILE_N / 2 * 8;  // one consumer's epilogue data: see hopper_shared
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES =
        BARRIER_BYTES + STAGES * STAGE_ELEMENTS * 2 + CONSUMERS * (OUT_ELEMENTS * 2 + COLUMN_BYTES);
    static_assert(TILE_M % 64 == 0 && TILE_N % 64 == 0, "64 rows a consumer, whole boxes");
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

// Start the copies of a stage by load(to, map, x, y). Rows of a box have 128 bytes: 64 of k, or for a b that is not
// transposed 64 columns.
template <class C, class Load>
__device__ __forceinline__ void hopper_load_boxes(const assay::tensor_map *map_a,
                                                  const assay::tensor_map *map_b, scalar_t *to,
                                                  matmul_tile tile, int k, const Load &load)
{
    load(to, map_a, k, tile.m);
    if constexpr (C::TRANSPOSE_B) {
        load(to + C::A_ELEMENTS, map_b, k, tile.n);
    } else {
#pragma unroll
        for (int box = 0; box < C::TILE_N / 64; box++)
            load(to + C::A_ELEMENTS + box * C::TILE_K * 64, map_b, tile.n + box * 64, k);
    }
}

// Of a matmul alone.
template <class C>
__device__ __forceinline__ void hopper_load_stage(const assay::tensor_map *map_a,
                                                  const assay::tensor_map *map_b, scalar_t *to,
                                                  uint64_t *landed, matmul_tile tile, int k)
{
    hopper_load_boxes<C>(map_a, map_b, to, tile, k,
                         [=](scalar_t *box, const assay::tensor_map *map, int x, int y) {
                             assay::tma_load_2d(box, map, landed, x, y);
                         });
}

// Of a product of a batch, whose maps have three dimensions.
template <class C>
__device__ __forceinline__ void hopper_load_stage_of(const assay::tensor_map *map_a,
                                                     const assay::tensor_map *map_b, scalar_t *to,
                                                     uint64_t *landed, matmul_tile tile, int k, int product)
{
    hopper_load_boxes<C>(map_a, map_b, to, tile, k,
                         [=](scalar_t *box, const assay::tensor_map *map, int x, int y) {
                             assay::tma_load_3d(box, map, landed, x, y, product);
                         });
}

// The same for block `rank` of a cluster of two: its a, and its half of the rows of b's boxes for both blocks.
template <class C>
__device__ __forceinline__ void hopper_load_shared_stage(const assay::tensor_map *map_a,
                                                         const assay::tensor_map *map_b, scalar_t *to,
                                                         uint64_t *landed, matmul_tile tile, int k, int rank)
{
    constexpr int ROWS = (C::TRANSPOSE_B ? C::TILE_N : C::TILE_K) / 2;
    static_assert(ROWS % 8 == 0, "whole periods of the swizzle");
    assay::tma_load_2d(to, map_a, landed, k, tile.m);
    scalar_t *half = to + C::A_ELEMENTS + rank * ROWS * 64;
    if constexpr (C::TRANSPOSE_B) {
        assay::tma_load_2d_multicast(half, map_b, landed, k, tile.n + rank * ROWS, 3);
    } else {
#pragma unroll
        for (int box = 0; box < C::BOXES; box++)
            assay::tma_load_2d_multicast(half + box * C::TILE_K * 64, map_b, landed, tile.n + box * 64,
                                         k + rank * ROWS, 3);
    }
}

// How TMA sees b, whose rows are s.ldb elements apart, in boxes of a stage, or of half of one for a cluster of two.
template <class C>
static assay_status hopper_map_b(assay::tensor_map *map, const scalar_t *b, const matmul_shape &s,
                                 int cluster = 1)
{
    return C::TRANSPOSE_B ? assay::tensor_map_2d(map, b, s.n, s.k, s.ldb, C::TILE_N / cluster, C::TILE_K)
                          : assay::tensor_map_2d(map, b, s.k, s.n, s.ldb, C::TILE_K / cluster, 64);
}

template <class C, class Work>
__device__ __forceinline__ void hopper_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                               const matmul_shape &s, const Work &work, scalar_t *stages,
                                               uint64_t *full, uint64_t *empty)
{
    constexpr int BYTES = (C::A_ELEMENTS + (C::TRANSPOSE_B ? C::TILE_N * C::TILE_K : C::B_ELEMENTS)) * 2;
    pipeline_position<C::STAGES> at;
    hopper_item item;
    for (int nth = 0; find_item<C>(s, work, nth, item); nth++)
        for (int step = 0; step < item.count; step++, at.advance()) {
            scalar_t *to = stages + at.stage * C::STAGE_ELEMENTS;
            const int k = (item.begin + step) * C::TILE_K;
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], BYTES);
            if constexpr (Work::ALONE)
                hopper_load_stage<C>(map_a, map_b, to, &full[at.stage], item.tile, k);
            else if (work.cluster == 1)
                hopper_load_stage_of<C>(map_a, map_b, to, &full[at.stage], item.tile, k, item.product);
            else
                hopper_load_shared_stage<C>(map_a, map_b, to, &full[at.stage], item.tile, k,
                                            assay::cluster_rank());
        }
}

// A consumer's shared memory.
template <class C, class Epilogue>
struct hopper_shared {
    uint64_t *full, *empty;
    scalar_t *stages, *out;
    typename Epilogue::columns *columns; // the epilogue's data for every two columns of the tile
    static_assert(sizeof(typename Epilogue::columns) <= 8, "see COLUMN_BYTES");
};

// A matrix descriptor advanced by `units` of 16 bytes. The upper half stays as it is: no carry, and no
// instruction.
__device__ __forceinline__ uint64_t advance_descriptor(uint64_t descriptor, int units)
{
    return (descriptor & 0xffffffff00000000) |
           (static_cast<uint32_t>(descriptor) + static_cast<uint32_t>(units));
}

// One stage: 64 x TILE_N += 64 x 64 times 64 x TILE_N. a and b are matrix descriptors.
template <class C>
__device__ __forceinline__ void hopper_multiply_stage(float (&sums)[C::TILE_N / 2], uint64_t a, uint64_t b,
                                                      int accumulate)
{
#pragma unroll
    for (int k = 0; k < C::TILE_K; k += 16) // a: 32 bytes of a row of 128; b: 16 rows, or as a
        assay::wgmma_m64k16<scalar_t, C::TILE_N, !C::TRANSPOSE_B>::run(
            sums, advance_descriptor(a, k / 8), advance_descriptor(b, C::TRANSPOSE_B ? k / 8 : k * 8),
            k > 0 || accumulate);
}

// A consumer warp has read a stage, into which every block of the cluster loads. `cluster` is kept here, or the compiler
// makes two loops of the one around this, and moves sums where they end, while the last product still writes them.
__device__ __forceinline__ void release_stage_of(uint64_t *empty, const hopper_work &work)
{
    int cluster = work.cluster;
    value_barrier(cluster);
    if (cluster == 1)
        release_stage(empty);
    else if (threadIdx.x % 32 < 2)
        assay::mbarrier_arrive_cluster(empty, static_cast<int>(threadIdx.x) % 32);
}
__device__ __forceinline__ void release_stage_of(uint64_t *empty, hopper_alone)
{
    release_stage(empty);
}

// Multiply `count` stages, at least 1, of one tile.
template <class C, class Work = hopper_alone>
__device__ __forceinline__ void hopper_multiply_tile(float (&sums)[C::TILE_N / 2], int count, int consumer,
                                                     const scalar_t *stages, uint64_t *full, uint64_t *empty,
                                                     pipeline_position<C::STAGES> &at, const Work &work = {})
{
    // a: 8 rows of 128 bytes are 1024 bytes. b: the next 64 columns are one box further, the next 8 of k 1024
    // bytes; transposed as a.
    const uint64_t first_a = assay::wgmma_descriptor(stages + consumer * 64 * C::TILE_K, 16, 1024);
    const uint64_t first_b =
        assay::wgmma_descriptor(stages + C::A_ELEMENTS, C::TRANSPOSE_B ? 16 : C::TILE_K * 128, 1024);
    int previous = -1;
    for (int step = 0; step < count; step++, at.advance()) {
        const int stage = at.stage * (C::STAGE_ELEMENTS * 2 / 16);
        assay::mbarrier_wait(&full[at.stage], at.parity);
        assay::wgmma_fence();
        hopper_multiply_stage<C>(sums, advance_descriptor(first_a, stage), advance_descriptor(first_b, stage),
                                 previous >= 0);
        assay::wgmma_commit();
        assay::wgmma_wait<1>(); // the previous stage has been read
        if (previous >= 0)
            release_stage_of(&empty[previous], work);
        previous = at.stage;
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    release_stage_of(&empty[previous], work);
}

// Apply the epilogue to a consumer's finished sums, round, and write them to c. `fetched`: the epilogue's data for
// two columns, in each of the first TILE_N / 2 threads.
template <class C, bool ALONE, class Epilogue>
__device__ __forceinline__ void
hopper_finish_tile(const assay::tensor_map *map_c, scalar_t *c, const matmul_shape &s, int consumer,
                   const float (&sums)[C::TILE_N / 2], const hopper_item &item,
                   const typename Epilogue::columns &fetched, const hopper_shared<C, Epilogue> &shared,
                   const Epilogue &epilogue)
{
    const int t = threadIdx.x % 128;
    if (t == 0)
        assay::tma_store_wait_read<0>(); // the previous tile has left the buffer
    if (!std::is_empty_v<typename Epilogue::columns> && t < C::TILE_N / 2)
        shared.columns[t] = fetched;
    assay::named_barrier_sync(1 + consumer, 128);
    hopper_round_to_shared<C>(shared.out, sums, shared.columns, epilogue);
    assay::fence_async_shared();
    assay::named_barrier_sync(1 + consumer, 128);
    hopper_store<C, ALONE>(map_c, c, shared.out, s, {item.tile.m + consumer * 64, item.tile.n}, item.product);
}

template <class C, bool SPLIT, class Work, class Epilogue>
__device__ __forceinline__ void
hopper_consume(const assay::tensor_map *map_c, scalar_t *c, const matmul_shape &s, const Work &work,
               int consumer, const hopper_shared<C, Epilogue> &shared, const Epilogue &epilogue)
{
    const int t = threadIdx.x % 128;
    pipeline_position<C::STAGES> at;
    hopper_item item;
    float sums[C::TILE_N / 2];
    for (int nth = 0; find_item<C>(s, work, nth, item); nth++) {
        // A thread fetches the data of two columns long before the end of the tile.
        const typename Epilogue::columns fetched = epilogue.fetch(item.tile.n + t % (C::TILE_N / 2) * 2);
        hopper_multiply_tile<C>(sums, item.count, consumer, shared.stages, shared.full, shared.empty, at,
                                work);
        if constexpr (!SPLIT)
            hopper_finish_tile<C, Work::ALONE>(map_c, c, s, consumer, sums, item, fetched, shared, epilogue);
        else if (item.tile.m < s.m)
            store_part<C>(work.partial + (item.part * C::TILE_M + consumer * 64) * C::TILE_N, sums);
    }
    if (t == 0)
        assay::tma_store_wait_read<0>();
}

// SPLIT: blocks share the k of a tile. A kernel of its own, so that the other one has neither its code nor the copies of
// sums in PTX that two endings bring about. Work: hopper_work, or hopper_alone.
template <class C, bool SPLIT, class Work, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_hopper(const __grid_constant__ assay::tensor_map map_a,
                  const __grid_constant__ assay::tensor_map map_b,
                  const __grid_constant__ assay::tensor_map map_c, scalar_t *c, const matmul_shape s,
                  const Work work, const Epilogue epilogue)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    const int group = static_cast<int>(threadIdx.x) / 128;
    hopper_shared<C, Epilogue> mine;
    mine.full = reinterpret_cast<uint64_t *>(shared);
    mine.empty = mine.full + C::STAGES;
    mine.stages = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x == 0)
        pipeline_init<C>(mine.full, mine.empty, C::CONSUMERS * 4 * work.cluster, &map_a, &map_b);
    if (work.cluster == 1) {
        pipeline_start<C>(group);
    } else {
        __syncwarp();
        assay::cluster_meet(); // the other block's mbarriers are initialised
    }
    if (group == 0) {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_decrease<40>();
        if (threadIdx.x == 0) {
            assay::wait_for_previous(); // the operands are packed, if they have to be
            hopper_produce<C>(&map_a, &map_b, s, work, mine.stages, mine.full, mine.empty);
        }
    } else {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_increase<C::CONSUMERS == 2 ? 232 : 152>();
        scalar_t *outs = mine.stages + C::STAGES * C::STAGE_ELEMENTS;
        mine.out = outs + (group - 1) * C::OUT_ELEMENTS;
        mine.columns = reinterpret_cast<typename Epilogue::columns *>(outs + C::CONSUMERS * C::OUT_ELEMENTS) +
                       (group - 1) * (C::TILE_N / 2);
        hopper_consume<C, SPLIT>(&map_c, c, s, work, group - 1, mine, epilogue);
    }
    if (work.cluster > 1) {
        __syncwarp();
        assay::cluster_meet(); // the other block arrives on mbarriers here
    }
#endif
}

#endif

// matmul, step 3d: warp specialisation in a persistent kernel; f16 and bf16 on Hopper.
//
// The tile, the stages and wgmma are as in step 3c. What is new is who does what, and for how long:
//   - One warpgroup is the producer: one of its threads starts the TMA copies, as far ahead as the pipeline
//     allows. Two warpgroups are consumers: they multiply, and start no copies.
//   - Persistent: a block stays on its multiprocessor and takes tile after tile. The producer runs ahead
//     across the boundary between two tiles, so the operands of the next arrive while this one is rounded and
//     stored.
//   - setmaxnreg moves registers from the producer to the consumers: 40 and 232 a thread.
//   - A consumer rounds its 64 x 256 sums to shared memory (stmatrix), and TMA writes them to c while the
//     next tile is multiplied. That takes 64 KiB, so the pipeline has 3 stages.
//   - Rasterisation: tiles are taken down bands of 8 tile rows, so that concurrent blocks share rows of a and
//     columns of b in L2.
// A transposed b is copied and read as in step 3c.
// TMA needs rows that begin at multiples of 16 bytes: others are padded first (padded_rows.cuh), and such
// rows of c are stored by threads, element by element.
// Expected effect: 700 TFLOP/s on an H100, limited by the tensor cores and their power, as long as there are
// several tiles for each multiprocessor; few tiles leave multiprocessors idle.
// Devices before Hopper have no wgmma: there this step is reported as unsupported.
// Tunables: TILE_M, 64 rows for each consumer; TILE_N; STAGES; RASTER_ROWS, tile rows of a band; BLOCKS of a
// multiprocessor.
#include <assay/kernel.h>
#include <assay/hopper.h>
#include <cstring>
#include "matmul.h"
#include "batch.cuh"
#include "padded_rows.cuh"

#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 256
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef RASTER_ROWS
#define RASTER_ROWS 8
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif

static constexpr int TILE_K = 64, BAND = RASTER_ROWS;
static constexpr int CONSUMERS = TILE_M / 64, THREADS = 128 * (1 + CONSUMERS);
// Registers of a thread, in eights: what a block is launched with, and what is left of it for consumers.
static constexpr int LAUNCH_REGISTERS = 512 / BLOCKS / (1 + CONSUMERS) / 8 * 8, PRODUCER_REGISTERS = 40;
static constexpr int SHARE = (LAUNCH_REGISTERS * (1 + CONSUMERS) - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8,
                     CONSUMER_REGISTERS = SHARE < 232 ? SHARE : 232;
static constexpr int SUMS = TILE_N / 2; // of a thread
static constexpr int BOX = 64,
                     BOXES = TILE_N / BOX; // columns of b and of c in a box: 128 bytes; boxes in a tile
static constexpr int A_ELEMENTS = TILE_M * TILE_K, STAGE_ELEMENTS = A_ELEMENTS + TILE_K * TILE_N;
static constexpr int OUT_ELEMENTS = 64 * TILE_N; // of a consumer's part of the finished tile
static constexpr int BARRIER_BYTES = 1024;
static constexpr int SHARED_BYTES = BARRIER_BYTES + (STAGES * STAGE_ELEMENTS + CONSUMERS * OUT_ELEMENTS) * 2;
static_assert(TILE_M % 64 == 0 && TILE_N % BOX == 0, "64 rows a consumer, whole boxes");
static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
static_assert(CONSUMERS == 1 || CONSUMER_REGISTERS > SUMS, "the sums lie in registers");

struct gemm {
    scalar_t *c;
    int m, n, k;
};

// What a block has in shared memory.
struct pipeline {
    uint64_t *full, *empty; // of each stage: bytes that have landed; consumer warps that are done
    scalar_t *stages;
};

// A stage of the pipeline, and the parity of the phase that is waited for there.
struct position {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES)
            stage = 0, parity ^= 1;
    }
};

struct tile {
    int m, n; // first row and column in c
};

// A block's nth tile (from 0): down a band of tile rows, then to the right.
// False when there is none.
__device__ __forceinline__ bool find_tile(const gemm &p, int nth, tile &at)
{
    const unsigned tiles_m = (p.m + TILE_M - 1) / TILE_M, tiles_n = (p.n + TILE_N - 1) / TILE_N;
    const unsigned index = nth * gridDim.x + blockIdx.x, first = index / (BAND * tiles_n) * BAND;
    const unsigned inside = index % (BAND * tiles_n), rows = tiles_m - first < BAND ? tiles_m - first : BAND;
    if (index >= tiles_m * tiles_n)
        return false;
    at = {static_cast<int>((first + inside % rows) * TILE_M), static_cast<int>(inside / rows * TILE_N)};
    return true;
}

// One thread: fill stage after stage with the operands of every tile of this block.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void produce(const pipeline &pipe, const assay::tensor_map *map_a,
                                        const assay::tensor_map *map_b, const gemm &p)
{
    position at;
    tile where;
    for (int nth = 0; find_tile(p, nth, where); nth++)
        for (int k = 0; k < p.k; k += TILE_K, at.advance()) {
            scalar_t *to = pipe.stages + at.stage * STAGE_ELEMENTS;
            uint64_t *full = &pipe.full[at.stage];
            assay::mbarrier_wait(&pipe.empty[at.stage],
                                 at.parity ^ 1); // at first nothing is there to wait for
            assay::mbarrier_arrive_expect(full, STAGE_ELEMENTS * 2);
            assay::tma_load_2d(to, map_a, full, k, where.m);
            if constexpr (TRANSPOSE_B)
                assay::tma_load_2d(to + A_ELEMENTS, map_b, full, k, where.n);
#pragma unroll
            for (int box = 0; box < BOXES && !TRANSPOSE_B; box++)
                assay::tma_load_2d(to + A_ELEMENTS + box * TILE_K * BOX, map_b, full, where.n + box * BOX, k);
        }
}

// Multiply all stages of a tile. The wgmmas of a stage are started before those of the previous stage are
// done.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void multiply(float (&sums)[SUMS], const pipeline &pipe, int consumer, int k,
                                         position &at)
{
    // a: 8 rows of 128 bytes are 1024 bytes. b: the next 64 columns are a box further, the next 8 rows 1024
    // bytes; transposed as a.
    const uint64_t first_a = assay::wgmma_descriptor(pipe.stages + consumer * 64 * TILE_K, 16, 1024);
    const uint64_t first_b =
        assay::wgmma_descriptor(pipe.stages + A_ELEMENTS, TRANSPOSE_B ? 16 : TILE_K * BOX * 2, 1024);
    int last = -1; // the stage whose wgmmas are running
    for (int k0 = 0; k0 < k; k0 += TILE_K, at.advance()) {
        const uint64_t further = at.stage * (STAGE_ELEMENTS * 2 / 16); // matrix descriptors count in 16 bytes
        assay::mbarrier_wait(&pipe.full[at.stage], at.parity);
        assay::wgmma_fence();
#pragma unroll
        for (int i = 0; i < TILE_K; i += 16) // 32 bytes of a's rows of 128, 16 rows of 128 bytes of b
            assay::wgmma_m64k16<scalar_t, TILE_N, !TRANSPOSE_B>::run(
                sums, first_a + further + i / 8, first_b + further + (TRANSPOSE_B ? i / 8 : i * 8), 1);
        assay::wgmma_commit();
        assay::wgmma_wait<1>();
        if (last >= 0 && threadIdx.x % 32 == 0)
            assay::mbarrier_arrive(&pipe.empty[last]);
        last = at.stage;
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    if (last >= 0 && threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(&pipe.empty[last]);
}

// Round a consumer's sums to shared memory, as boxes of 64 x 64 with the swizzle of TMA: chunk c of row r
// lies at c ^ r % 8.
__device__ __forceinline__ void round_to_shared(scalar_t *out, const float (&sums)[SUMS])
{
    const int t = static_cast<int>(threadIdx.x) % 128, lane = t % 32, row = t / 32 * 16 + lane % 16;
#pragma unroll
    for (int chunk = 0; chunk < TILE_N / 8; chunk += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const assay::vec<scalar_t, 2> pair = {{assay::from_float<scalar_t>(sums[chunk * 4 + i * 2]),
                                                   assay::from_float<scalar_t>(sums[chunk * 4 + i * 2 + 1])}};
            memcpy(&r[i], &pair, 4);
        }
        const int column = chunk % 8 + lane / 16; // in the box
        assay::stmatrix_x4(out + chunk / 8 * 64 * BOX + row * BOX + (column ^ row % 8) * 8, r);
    }
}

// Rows of c that TMA cannot write: from shared memory by threads, neighbouring elements by neighbouring
// threads.
__device__ __forceinline__ void store_by_threads(const gemm &p, const scalar_t *out, tile at)
{
    for (int i = static_cast<int>(threadIdx.x) % 128; i < OUT_ELEMENTS; i += 128) {
        const int row = i / TILE_N, column = i % TILE_N, chunk = column % BOX / 8 ^ row % 8;
        if (at.m + row < p.m && at.n + column < p.n)
            p.c[static_cast<int64_t>(at.m + row) * p.n + at.n + column] =
                out[column / BOX * 64 * BOX + row * BOX + chunk * 8 + column % 8];
    }
}

template <bool TRANSPOSE_B>
__device__ __forceinline__ void consume(const pipeline &pipe, const assay::tensor_map *map_c, const gemm &p,
                                        int consumer)
{
    const int t = static_cast<int>(threadIdx.x) % 128;
    scalar_t *out = pipe.stages + STAGES * STAGE_ELEMENTS + consumer * OUT_ELEMENTS;
    position at;
    tile where;
    for (int nth = 0; find_tile(p, nth, where); nth++) {
        float sums[SUMS] = {};
        multiply<TRANSPOSE_B>(sums, pipe, consumer, p.k, at);
        where.m += consumer * 64;
        if (t == 0)
            assay::tma_store_wait_read<0>(); // the last tile has left `out`
        assay::named_barrier_sync(1 + consumer, 128);
        round_to_shared(out, sums);
        assay::fence_async_shared();
        assay::named_barrier_sync(1 + consumer, 128);
        if (p.n % 8 != 0) {
            store_by_threads(p, out, where);
        } else if (t == 0) {
#pragma unroll
            for (int box = 0; box < BOXES; box++)
                assay::tma_store_2d(map_c, out + box * 64 * BOX, where.n + box * BOX, where.m);
            assay::tma_store_commit();
        }
    }
    if (t == 0)
        assay::tma_store_wait_read<0>();
}

template <bool TRANSPOSE_B>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    matmul_v3d(const __grid_constant__ assay::tensor_map map_a,
               const __grid_constant__ assay::tensor_map map_b,
               const __grid_constant__ assay::tensor_map map_c, const gemm p)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    pipeline pipe;
    pipe.full = reinterpret_cast<uint64_t *>(shared);
    pipe.empty = pipe.full + STAGES;
    pipe.stages = reinterpret_cast<scalar_t *>(shared + BARRIER_BYTES);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < STAGES; i++) {
            assay::mbarrier_init(&pipe.full[i], 1);
            assay::mbarrier_init(&pipe.empty[i], 4 * CONSUMERS);
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    const int warpgroup = static_cast<int>(threadIdx.x) / 128;
    if (warpgroup == 0) {
        if constexpr (CONSUMERS > 1) // one consumer has all it needs from the start
            assay::registers_decrease<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce<TRANSPOSE_B>(pipe, &map_a, &map_b, p);
    } else {
        if constexpr (CONSUMERS > 1)
            assay::registers_increase<CONSUMER_REGISTERS>();
        consume<TRANSPOSE_B>(pipe, &map_c, p, warpgroup - 1);
    }
#endif
}

static assay_status launch(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit || !assay::hopper_available())
        return ASSAY_ERR_UNSUPPORTED;
    const int64_t tiles_m = (args->m + TILE_M - 1) / TILE_M, tiles_n = (args->n + TILE_N - 1) / TILE_N;
    if (tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    padded_operand a, b;
    const gemm p = {static_cast<scalar_t *>(args->c), static_cast<int>(args->m), static_cast<int>(args->n),
                    static_cast<int>(args->k)};
    assay::tensor_map map_a = {}, map_b = {}, map_c = {}; // a's and b's are not used where k is 0
    assay_status status = pad_operands(&a, &b, args, stream);
    if (status == ASSAY_OK && p.k > 0)
        status = assay::tensor_map_2d(&map_a, a.at, p.m, p.k, a.row, TILE_M, TILE_K);
    if (status == ASSAY_OK && p.k > 0)
        status = args->transpose_b ? assay::tensor_map_2d(&map_b, b.at, p.n, p.k, b.row, TILE_N, TILE_K)
                                   : assay::tensor_map_2d(&map_b, b.at, p.k, p.n, b.row, TILE_K, BOX);
    if (status == ASSAY_OK && p.n % 8 == 0)
        status = assay::tensor_map_2d(&map_c, p.c, p.m, p.n, p.n, 64, BOX);
    if (status != ASSAY_OK)
        return status;
    const int64_t tiles = tiles_m * tiles_n, resident = assay::multiprocessor_count() * BLOCKS;
    return assay::launch(args->transpose_b ? matmul_v3d<true> : matmul_v3d<false>,
                         dim3(static_cast<unsigned>(tiles < resident ? tiles : resident)), dim3(THREADS),
                         SHARED_BYTES, stream, map_a, map_b, map_c, p);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, 1, [=](const matmul_args *part) { return launch(part, stream); });
}

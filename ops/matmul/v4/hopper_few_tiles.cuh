// f16 and bf16 matmul with wgmma and TMA for few tiles: lowest latency at both ends.
//
// Roles and pipeline are those of hopper.cuh, with one consumer warpgroup and a single producer warp. A
// matmul of a few microseconds waits for different things: the copies of the first tile start as soon as
// their `full` barriers exist, before the other barriers; the first tile is found without a division; and
// each warp rounds its own 16 rows to shared memory and writes them by its own stores, so neither the
// warpgroup nor TMA has to be waited for. Epilogues that fetch data by column were slower this way, so they
// use hopper.cuh.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_FEW_TILES_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_FEW_TILES_CUH

#include "hopper.cuh"

template <int N, int STAGE_COUNT, int RASTER_ROW_COUNT>
struct few_config {
    static constexpr int TILE_M = 64, TILE_N = N, TILE_K = 64, STAGES = STAGE_COUNT;
    static constexpr int RASTER = RASTER_ROW_COUNT; // tile rows of a band
    static constexpr bool TRANSPOSE_B = false;      // see with_transposed_b
    static constexpr int THREADS = 128 + 32;        // four consumer warps, one producer warp
    static constexpr int A_ELEMENTS = TILE_M * TILE_K, B_ELEMENTS = TILE_K * TILE_N,
                         STAGE_ELEMENTS = A_ELEMENTS + B_ELEMENTS;
    static constexpr int BOXES = TILE_N / 64; // of 64 columns in the tile of c
    static constexpr int OUT_BOX = 16 * 64,
                         OUT_WARP = BOXES * OUT_BOX; // a warp's part of one box of c, and of all boxes
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES = BARRIER_BYTES + (STAGES * STAGE_ELEMENTS + 4 * OUT_WARP) * 2;
    static_assert(TILE_N % 64 == 0 && SHARED_BYTES <= 232448, "whole boxes, a block's shared memory");
};

// Start the TMA copies of a stage.
template <class C>
__device__ __forceinline__ void few_load_stage(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                               scalar_t *stages, uint64_t *full, int stage, matmul_tile tile,
                                               int k)
{
    scalar_t *to = stages + stage * C::STAGE_ELEMENTS;
    assay::mbarrier_arrive_expect(&full[stage], C::STAGE_ELEMENTS * 2);
    hopper_load_stage<C>(map_a, map_b, to, &full[stage], tile, k);
}

// Initialise the mbarriers, and start the first tile's copies as early as possible.
template <class C>
__device__ __forceinline__ void few_start(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                          const matmul_shape &s, scalar_t *stages, uint64_t *full,
                                          uint64_t *empty)
{
    assay::tma_prefetch_map(map_a);
    assay::tma_prefetch_map(map_b);
#pragma unroll
    for (int i = 0; i < C::STAGES; i++)
        assay::mbarrier_init(&full[i], 1);
    assay::mbarrier_fence_init();
    const matmul_tile tile = find_first_tile<C>(s);
    assay::wait_for_previous(); // the operands are packed, if they have to be
#pragma unroll
    for (int stage = 0; stage < C::STAGES; stage++)
        if (stage * C::TILE_K < s.k)
            few_load_stage<C>(map_a, map_b, stages, full, stage, tile, stage * C::TILE_K);
#pragma unroll
    for (int i = 0; i < C::STAGES; i++)
        assay::mbarrier_init(&empty[i], 4);
    assay::mbarrier_fence_init();
}

// All copies after those of few_start.
template <class C>
__device__ __forceinline__ void few_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                            const matmul_shape &s, scalar_t *stages, uint64_t *full,
                                            uint64_t *empty)
{
    const int steps = (s.k + C::TILE_K - 1) / C::TILE_K;
    int step = steps < C::STAGES ? steps : C::STAGES;
    pipeline_position<C::STAGES> at;
    at.stage = step % C::STAGES, at.parity = step / C::STAGES;
    matmul_tile tile;
    for (int nth = 0; find_tile<C>(s, nth, tile); nth++, step = 0)
        for (; step < steps; step++, at.advance()) {
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            few_load_stage<C>(map_a, map_b, stages, full, at.stage, tile, step * C::TILE_K);
        }
}

// Round a warp's sums of the 64 columns from 64 * box on, 16 rows, to shared memory with the 128-byte
// swizzle.
template <class C, class Epilogue>
__device__ __forceinline__ void few_round_to_shared(scalar_t *rows, const float (&sums)[C::TILE_N / 2],
                                                    int box, const Epilogue &epilogue)
{
    const int lane = threadIdx.x % 32, row = lane % 16;
#pragma unroll
    for (int chunk = 0; chunk < 8; chunk += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int from = (box * 8 + chunk) * 4 + i * 2;
            float x = sums[from], y = sums[from + 1];
            epilogue(x, y, {});
            const assay::vec<scalar_t, 2> pair = {
                {assay::from_float<scalar_t>(x), assay::from_float<scalar_t>(y)}};
            memcpy(&r[i], &pair, 4);
        }
        assay::stmatrix_x4(rows + row * 64 + ((chunk + lane / 16) ^ row % 8) * 8, r);
    }
}

// Write a warp's 16 rows from shared memory to c.
template <class C>
__device__ __forceinline__ void few_store(scalar_t *c, const scalar_t *rows, const matmul_shape &s, int m,
                                          int n)
{
    const int lane = threadIdx.x % 32;
    if (s.n % 8 == 0) {
#pragma unroll
        for (int box = 0; box < C::BOXES; box++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int row = i * 4 + lane / 8, chunk = lane % 8, column = n + box * 64 + chunk * 8;
                const assay::vec16<scalar_t> v =
                    assay::load_vec<8>(rows + box * C::OUT_BOX + row * 64 + (chunk ^ row % 8) * 8);
                if (m + row < s.m && column < s.n)
                    assay::store_vec(c + (static_cast<int64_t>(m + row) * s.n + column), v);
            }
    } else {
        write_unaligned_rows<16, C::TILE_N>(c, s, m, n, [=](unsigned row, unsigned i) {
            return rows + i / 8 * C::OUT_BOX + row * 64 + (i % 8 ^ row % 8) * 8;
        });
    }
}

template <class C, class Epilogue>
__device__ __forceinline__ void few_consume(scalar_t *c, const matmul_shape &s, const scalar_t *stages,
                                            scalar_t *out, uint64_t *full, uint64_t *empty,
                                            const Epilogue &epilogue)
{
    const int warp = static_cast<int>(threadIdx.x) / 32;
    scalar_t *rows = out + warp * C::OUT_WARP;
    pipeline_position<C::STAGES> at;
    matmul_tile tile;
    float sums[C::TILE_N / 2];
    for (int nth = 0; find_tile<C>(s, nth, tile); nth++) {
        hopper_multiply_tile<C>(sums, (s.k + C::TILE_K - 1) / C::TILE_K, 0, stages, full, empty, at);
        __syncwarp(); // the previous tile has been read
#pragma unroll
        for (int box = 0; box < C::BOXES; box++)
            few_round_to_shared<C>(rows + box * C::OUT_BOX, sums, box, epilogue);
        __syncwarp();
        few_store<C>(c, rows, s, tile.m + warp * 16, tile.n);
    }
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_few(const __grid_constant__ assay::tensor_map map_a,
               const __grid_constant__ assay::tensor_map map_b, scalar_t *c, const matmul_shape s,
               const Epilogue epilogue)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + C::STAGES;
    scalar_t *stages = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x >= 128) {
        if (assay::elect_one())
            few_start<C>(&map_a, &map_b, s, stages, full, empty);
        __syncwarp();
        assay::named_barrier_arrive(4, C::THREADS);
        if (assay::elect_one())
            few_produce<C>(&map_a, &map_b, s, stages, full, empty);
    } else {
        assay::named_barrier_sync(4, C::THREADS); // the mbarriers are initialised
        few_consume<C>(c, s, stages, stages + C::STAGES * C::STAGE_ELEMENTS, full, empty, epilogue);
    }
#endif
}

// See hopper_launch.
template <class C, class Epilogue>
static assay_status few_launch(const matmul_args *args, const matmul_shape &shape, const Epilogue &epilogue,
                               assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return few_launch<with_transposed_b<C>>(args, shape, epilogue, stream);
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    matmul_shape s = shape;
    bool packed = false;
    assay_status status = tensor_align_operands(&a, &b, &s, &packed, args, stream);
    assay::tensor_map map_a = {}, map_b = {};
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_a, a, s.m, s.k, s.lda, C::TILE_M, C::TILE_K);
    if (status == ASSAY_OK)
        status = hopper_map_b<C>(&map_b, b, s);
    if (status != ASSAY_OK)
        return status;
    return tensor_launch_behind(packed, matmul_few<C, Epilogue>,
                                persistent_grid(count_tiles(s.m, s.n, C::TILE_M, C::TILE_N)),
                                dim3(C::THREADS), C::SHARED_BYTES, stream, map_a, map_b,
                                static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif

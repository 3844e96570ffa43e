// f16 and bf16 plain product on Hopper for few tiles: one consumer, and the shortest way from launch to first product and from the last
// product to the end.
//
// The roles and the ring are those of hopper.cuh, with one warpgroup that multiplies and a single warp that starts copies. What differs is
// what a product of a few microseconds waits for: the copies of the first tile start as soon as the barriers that count them are made, before
// the others; their tile is found without a division; and each warp lays out its own 16 rows of the finished tile and writes them by its own
// stores, where barriers of the warpgroup and of the copy engine would stand.
// For epilogues that fetch something by column this lost time, so those keep the kernel of hopper.cuh.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_FEW_TILES_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_FEW_TILES_CUH

#include "hopper.cuh"

template <int BN_, int STAGES_, int RASTER_>
struct few_config {
    static constexpr int BM = 64, BN = BN_, BK = 64, STAGES = STAGES_;
    static constexpr int RASTER = RASTER_;   // tiles that consecutive blocks go down before they move right
    static constexpr int THREADS = 128 + 32; // four warps multiply, one starts copies
    static constexpr int A_ELEMENTS = BM * BK, B_ELEMENTS = BK * BN, STAGE_ELEMENTS = A_ELEMENTS + B_ELEMENTS;
    static constexpr int BOXES = BN / 64; // of 64 columns each, in which b's tile lies, and c's
    static constexpr int OUT_BOX = 16 * 64,
                         OUT_WARP = BOXES * OUT_BOX; // elements of one of a warp's boxes, and of all
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES = BARRIER_BYTES + (STAGES * STAGE_ELEMENTS + 4 * OUT_WARP) * 2;
    static_assert(BN % 64 == 0 && SHARED_BYTES <= 232448, "whole boxes, a block's shared memory");
};

// Start the copies of a stage.
template <class C>
__device__ __forceinline__ void few_copy(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                         scalar_t *ring, uint64_t *full, int stage, matmul_tile tile, int k)
{
    scalar_t *to = ring + stage * C::STAGE_ELEMENTS;
    assay::mbarrier_arrive_expect(&full[stage], C::STAGE_ELEMENTS * 2);
    assay::tma_load_2d(to, map_a, &full[stage], k, tile.m);
#pragma unroll
    for (int box = 0; box < C::BOXES; box++)
        assay::tma_load_2d(to + C::A_ELEMENTS + box * C::BK * 64, map_b, &full[stage], tile.n + box * 64, k);
}

// Make the barriers, and start the first tile's copies as soon as there is what they need.
template <class C>
__device__ __forceinline__ void few_begin(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                          const matmul_shape &s, scalar_t *ring, uint64_t *full,
                                          uint64_t *empty)
{
    assay::tma_prefetch_map(map_a);
    assay::tma_prefetch_map(map_b);
#pragma unroll
    for (int i = 0; i < C::STAGES; i++)
        assay::mbarrier_init(&full[i], 1);
    assay::mbarrier_fence_init();
    const matmul_tile tile = hopper_first_tile<C>(s);
#pragma unroll
    for (int stage = 0; stage < C::STAGES; stage++)
        if (stage * C::BK < s.k)
            few_copy<C>(map_a, map_b, ring, full, stage, tile, stage * C::BK);
#pragma unroll
    for (int i = 0; i < C::STAGES; i++)
        assay::mbarrier_init(&empty[i], 4);
    assay::mbarrier_fence_init();
}

// All copies that few_begin did not start.
template <class C>
__device__ __forceinline__ void few_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                            const matmul_shape &s, scalar_t *ring, uint64_t *full,
                                            uint64_t *empty)
{
    const int steps = (s.k + C::BK - 1) / C::BK;
    int step = steps < C::STAGES ? steps : C::STAGES;
    ring_position<C::STAGES> at;
    at.stage = step % C::STAGES, at.parity = step / C::STAGES;
    matmul_tile tile;
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++, step = 0)
        for (; step < steps; step++, at.advance()) {
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            few_copy<C>(map_a, map_b, ring, full, at.stage, tile, step * C::BK);
        }
}

// Round a warp's sums of the 64 columns from 64 * box on, into 16 rows of the layout of the copy engine.
template <class C, class Epilogue>
__device__ __forceinline__ void few_lay_out(scalar_t *rows, const float (&sums)[C::BN / 2], int box,
                                            const Epilogue &epilogue)
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

// Write 16 rows of c that a warp laid out.
template <class C>
__device__ __forceinline__ void few_write(scalar_t *c, const scalar_t *rows, const matmul_shape &s, int m,
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
        write_unaligned_rows<16, C::BN>(c, s, m, n, [=](unsigned row, unsigned i) {
            return rows + i / 8 * C::OUT_BOX + row * 64 + (i % 8 ^ row % 8) * 8;
        });
    }
}

template <class C, class Epilogue>
__device__ __forceinline__ void few_consume(scalar_t *c, const matmul_shape &s, const scalar_t *ring,
                                            scalar_t *out, uint64_t *full, uint64_t *empty,
                                            const Epilogue &epilogue)
{
    const int warp = static_cast<int>(threadIdx.x) / 32;
    scalar_t *rows = out + warp * C::OUT_WARP;
    ring_position<C::STAGES> at;
    matmul_tile tile;
    float sums[C::BN / 2];
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++) {
        hopper_sum<C>(sums, s.k, 0, ring, full, empty, at);
        __syncwarp(); // what lay there is read
#pragma unroll
        for (int box = 0; box < C::BOXES; box++)
            few_lay_out<C>(rows + box * C::OUT_BOX, sums, box, epilogue);
        __syncwarp();
        few_write<C>(c, rows, s, tile.m + warp * 16, tile.n);
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
    scalar_t *ring = reinterpret_cast<scalar_t *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x >= 128) {
        if (assay::elect_one())
            few_begin<C>(&map_a, &map_b, s, ring, full, empty);
        __syncwarp();
        assay::named_barrier_arrive(4, C::THREADS);
        if (assay::elect_one())
            few_produce<C>(&map_a, &map_b, s, ring, full, empty);
    } else {
        assay::named_barrier_sync(4, C::THREADS); // the barriers are there
        few_consume<C>(c, s, ring, ring + C::STAGES * C::STAGE_ELEMENTS, full, empty, epilogue);
    }
#endif
}

// As hopper_launch.
template <class C, class Epilogue>
static assay_status few_launch(const matmul_args *args, const matmul_shape &shape, const Epilogue &epilogue,
                               assay_stream stream)
{
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    matmul_shape s = shape;
    s.lda = matmul_padded_row(s.k), s.ldb = matmul_padded_row(s.n);
    int64_t offset = 0;
    assay_status status = tensor_align_rows(&a, s.m, s.k, args, &offset, stream);
    if (status == ASSAY_OK)
        status = tensor_align_rows(&b, s.k, s.n, args, &offset, stream);
    assay::tensor_map map_a = {}, map_b = {};
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_a, a, s.m, s.k, s.lda, C::BM, C::BK);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_b, b, s.k, s.n, s.ldb, C::BK, 64);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(matmul_few<C, Epilogue>, hopper_grid(count_tiles(s.m, s.n, C::BM, C::BN)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, map_a, map_b,
                         static_cast<scalar_t *>(args->c), s, epilogue);
}

#endif

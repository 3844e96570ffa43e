// f32 product in the math mode tf32 with Hopper's warpgroup instructions (sm_90a).
//
// The roles and the ring are those of v4_hopper.cuh. wgmma takes tf32 operands from shared memory only where k lies along their rows, as
// it does in a but not in b, and its first operand also from registers. So the product is turned around: c^T = b^T * a^T. The rows of
// wgmma's tile are columns of c: a consumer reads its 64 of them from b's tile into registers, element by element, which transposes
// them on the way and rounds them to nearest, and a's tile is the second operand as it lies. The tensor cores cut a's fractions off.
// While the products of one stage are under way the registers for the next are filled.
// A thread's sums then lie along columns of c; 8 lanes write 32 bytes of a row together. The copy engine fills everything past the
// edges with zeros; it needs rows that are aligned to 16 bytes.
#ifndef ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH
#define ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH

#include "v4_epilogue.cuh"
#include "v4_ring.cuh"
#include "v4_tf32.cuh"
#include <type_traits>

template <int BM_, int STAGES_, int RASTER_>
struct tf32_hopper_config {
    static constexpr int BM = BM_, BN = 128, BK = 32, STAGES = STAGES_, RASTER = RASTER_;
    static constexpr int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);
    static constexpr int B_BOXES = BN / 32; // of 32 columns, 128 bytes, each
    static constexpr int A_ELEMENTS = BM * BK, STAGE_ELEMENTS = A_ELEMENTS + BK * BN;
    static constexpr int BARRIER_BYTES = 1024, SHARED_BYTES = BARRIER_BYTES + STAGES * STAGE_ELEMENTS * 4;
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

template <class C>
__device__ __forceinline__ void tf32_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                             const matmul_shape &s, float *ring, uint64_t *full,
                                             uint64_t *empty)
{
    ring_produce<C>(s, ring, full, empty, [=](float *to, uint64_t *landed, matmul_tile tile, int k) {
        assay::tma_load_2d(to, map_a, landed, k, tile.m);
#pragma unroll
        for (int box = 0; box < C::B_BOXES; box++)
            assay::tma_load_2d(to + C::A_ELEMENTS + box * C::BK * 32, map_b, landed, tile.n + box * 32, k);
    });
}

// One stage of b^T for one consumer: 64 columns by 32 of k, in wgmma's register layout and rounded. `column`: the warp's first in
// the tile. Element (k, n) of a box lies in row k, chunk n / 4 ^ k % 8.
//
// Register i holds k = lane % 4 + 4 * (i / 2) and column lane / 4 + 8 * (i % 2). Were all lanes to read the same register at a time, lanes 0
// and 1 of four would meet in a bank, and so would 2 and 3. So read number r of a lane is for its register r ^ lane % 4, which
// spreads the warp over all banks; two exchanges then put the values where they belong.
template <class C>
__device__ __forceinline__ void tf32_transpose(uint32_t (&to)[C::BK / 8][4], const float *b, int column)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, which = lane % 4, n = column % 32 + lane / 4;
    const float *box = b + column / 32 * C::BK * 32 + n % 4;
    int offset[4];
#pragma unroll
    for (int read = 0; read < 4; read++) {
        const int i = read ^ which, k = which + 4 * (i >> 1);
        offset[read] = k * 32 + ((n / 4 + 2 * (i & 1)) ^ k) * 4;
    }
#pragma unroll
    for (int step = 0; step < C::BK / 8; step++) {
        uint32_t value[4], half[4];
#pragma unroll
        for (int read = 0; read < 4; read++)
            value[read] = assay::to_tf32(box[step * 8 * 32 + offset[read]]);
#pragma unroll
        for (int i = 0; i < 4; i++)
            half[i] = which & 1 ? value[i ^ 1] : value[i];
#pragma unroll
        for (int i = 0; i < 4; i++)
            to[step][i] = which & 2 ? half[i ^ 2] : half[i];
    }
}

template <class C>
__device__ __forceinline__ void tf32_multiply(float (&sums)[C::BM / 2], const uint32_t (&b)[C::BK / 8][4],
                                              const float *a, int accumulate)
{
#pragma unroll
    for (int step = 0; step < C::BK / 8; step++) // 8 of k are 32 bytes of a row of 128
        assay::wgmma_m64k8_tf32<C::BM>::run_registers(
            sums, b[step], assay::wgmma_descriptor(a + step * 8, 16, 1024), step > 0 || accumulate);
}

// What a consumer keeps between stages.
template <class C>
struct tf32_progress {
    ring_position<C::STAGES> at;
    int previous; // the stage whose products may still be under way; -1 none
};

template <class C>
__device__ __forceinline__ void tf32_stage(float (&sums)[C::BM / 2], uint32_t (&registers)[C::BK / 8][4],
                                           const float *ring, uint64_t *full, uint64_t *empty, int column,
                                           tf32_progress<C> &p)
{
    const float *a = ring + p.at.stage * C::STAGE_ELEMENTS;
    assay::mbarrier_wait(&full[p.at.stage], p.at.parity);
    tf32_transpose<C>(registers, a + C::A_ELEMENTS, column);
    assay::wgmma_fence();
    tf32_multiply<C>(sums, registers, a, p.previous >= 0);
    assay::wgmma_commit();
    assay::wgmma_wait<1>(); // the stage before this is multiplied, its registers are free
    if (p.previous >= 0)
        hopper_release(&empty[p.previous]);
    p.previous = p.at.stage;
    p.at.advance();
}

// Sums 4 * j + 2 * h + i belong to column lane / 4 + 8 * h and row 8 * j + 2 * (lane % 4) + i of the warp's part.
template <class C>
__device__ __forceinline__ void tf32_store_columns(float *c, const float (&sums)[C::BM / 2],
                                                   const matmul_shape &s, int row, int column)
{
#pragma unroll
    for (int j = 0; j < C::BM / 8; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float *to = c + static_cast<int64_t>(row + 8 * j + i) * s.n + column;
            if (row + 8 * j + i >= s.m)
                continue;
            if (column < s.n)
                to[0] = sums[4 * j + i];
            if (column + 8 < s.n)
                to[8] = sums[4 * j + 2 + i];
        }
}

template <class C>
__device__ __forceinline__ void tf32_consume(float *c, const matmul_shape &s, int consumer, const float *ring,
                                             uint64_t *full, uint64_t *empty)
{
    const int steps = (s.k + C::BK - 1) / C::BK, t = static_cast<int>(threadIdx.x) % 128, lane = t % 32;
    const int column = consumer * 64 + t / 32 * 16;
    tf32_progress<C> p = {};
    matmul_tile tile;
    float sums[C::BM / 2];
    uint32_t even[C::BK / 8][4], odd[C::BK / 8][4];
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++) {
        p.previous = -1;
        int step = 0;
        for (; step + 1 < steps; step += 2) {
            tf32_stage<C>(sums, even, ring, full, empty, column, p);
            tf32_stage<C>(sums, odd, ring, full, empty, column, p);
        }
        if (step < steps)
            tf32_stage<C>(sums, even, ring, full, empty, column, p);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        hopper_release(&empty[p.previous]);
        tf32_store_columns<C>(c, sums, s, tile.m + 2 * (lane % 4), tile.n + column + lane / 4);
    }
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_tf32_hopper(const __grid_constant__ assay::tensor_map map_a,
                       const __grid_constant__ assay::tensor_map map_b, float *c, const matmul_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + C::STAGES;
    float *ring = reinterpret_cast<float *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x == 0)
        ring_create<C>(full, empty, C::CONSUMERS * 4, &map_a, &map_b);
    const int group = static_cast<int>(threadIdx.x) / 128;
    ring_start<C>(group);
    if (group == 0) {
        assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            tf32_produce<C>(&map_a, &map_b, s, ring, full, empty);
    } else {
        assay::registers_increase<232>();
        tf32_consume<C>(c, s, group - 1, ring, full, empty);
    }
#endif
}

// a, b and c must have at least one element, and rows of a and b must be aligned to 16 bytes.
template <class C, class Epilogue>
static assay_status tf32_hopper_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &,
                                       assay_stream stream)
{
    static_assert(std::is_same_v<Epilogue, keep_sums>,
                  "sums lie along columns here, an epilogue wants them along rows");
    assay::tensor_map map_a = {}, map_b = {};
    assay_status status =
        assay::tensor_map_2d(&map_a, static_cast<const float *>(args->a), s.m, s.k, s.lda, C::BM, C::BK);
    if (status == ASSAY_OK)
        status =
            assay::tensor_map_2d(&map_b, static_cast<const float *>(args->b), s.k, s.n, s.ldb, C::BK, 32);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(matmul_tf32_hopper<C>, hopper_grid(count_tiles(s.m, s.n, C::BM, C::BN)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, map_a, map_b,
                         static_cast<float *>(args->c), s);
}

#endif

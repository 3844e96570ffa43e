// f32 product in the math mode tf32 with Hopper's warpgroup instructions (sm_90a).
//
// The roles and the ring are those of hopper.cuh. wgmma takes tf32 operands from shared memory only where k lies along their rows, as
// it does in a but not in b, and its first operand also from registers. So the product is turned around: c^T = b^T * a^T. The rows of
// wgmma's tile are columns of c: a consumer reads its 64 of them from b's tile into registers, two neighbours at a time, which transposes
// them on the way, and rounds them to nearest, and a's tile is the second operand as it lies. The tensor cores cut a's fractions off.
// While the products of one stage are under way the registers for the next are filled.
// A thread's sums then lie along two columns of c and are exchanged so that it writes 16 bytes of a row. The copy engine fills everything past the
// edges with zeros; it needs rows that are aligned to 16 bytes.
#ifndef ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH
#define ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH

#include "epilogue.cuh"
#include "pipeline.cuh"
#include "tf32.cuh"
#include <type_traits>

template <int BM_, int CONSUMERS_, int STAGES_, int RASTER_>
struct tf32_hopper_config {
    static constexpr int BM = BM_, BN = 64 * CONSUMERS_, BK = 32, STAGES = STAGES_, RASTER = RASTER_;
    static constexpr int CONSUMERS = CONSUMERS_, THREADS = 128 * (1 + CONSUMERS);
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

// Which row of wgmma's tile is which column of a consumer's 64 is free, as long as the sums are stored accordingly. A lane gets rows
// lane / 4 and lane / 4 + 8 of its warp's 16, and they are made neighbours in b, which one load of 8 bytes brings: this is the left
// one. Bits of lane / 4 are spread so that 16 lanes that load together (4 of k, 4 such pairs) meet all banks once in
// b's swizzle, where chunk n / 4 of row k lies at n / 4 ^ k % 8, and that 2 lanes write 32 neighbouring bytes of c.
__device__ __forceinline__ int tf32_column(int thread)
{
    const int warp = thread / 32, g = thread % 32 / 4;
    return 32 * (warp >> 1) + 16 * (g >> 1 & 1) + 8 * (warp & 1) + 4 * (g >> 2) + 2 * (g & 1);
}

// One stage of b^T for one consumer in wgmma's register layout, rounded: register i of a step holds k = lane % 4 + 4 * (i / 2) of the
// thread's column + i % 2. `column`: in the block's tile.
template <class C>
__device__ __forceinline__ void tf32_transpose(uint32_t (&to)[C::BK / 8][4], const float *b, int column)
{
    const int k = static_cast<int>(threadIdx.x) % 4, chunk = column % 32 / 4;
    const float *box = b + column / 32 * C::BK * 32 + column % 4;
    const float *near = box + k * 32 + (chunk ^ k) * 4, *far = box + (k + 4) * 32 + (chunk ^ (k + 4)) * 4;
#pragma unroll
    for (int step = 0; step < C::BK / 8; step++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const assay::vec<float, 2> pair = assay::load_vec<2>((half ? far : near) + step * 8 * 32);
            to[step][2 * half] = assay::to_tf32_operand(pair[0]);
            to[step][2 * half + 1] = assay::to_tf32_operand(pair[1]);
        }
}

template <class C>
__device__ __forceinline__ void tf32_multiply(float (&sums)[C::BM / 2], const uint32_t (&b)[C::BK / 8][4],
                                              const float *a)
{
#pragma unroll
    for (int step = 0; step < C::BK / 8; step++) // 8 of k are 32 bytes of a row of 128
        assay::wgmma_m64k8_tf32<C::BM>::run_registers(sums, b[step],
                                                      assay::wgmma_descriptor(a + step * 8, 16, 1024), 1);
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
    tf32_multiply<C>(sums, registers, a);
    assay::wgmma_commit();
    assay::wgmma_wait<1>(); // the stage before this is multiplied, its registers are free
    if (p.previous >= 0)
        hopper_release(&empty[p.previous]);
    p.previous = p.at.stage;
    p.at.advance();
}

// Sums 4 * j + 2 * h + i belong to column + h and row 8 * j + i of the thread's part. Of two threads whose columns are neighbours each takes
// one of the two rows, so that it has 16 bytes to write; n is a multiple of 4, so all of them are inside or none.
template <class C>
__device__ __forceinline__ void tf32_store_columns(float *c, const float (&sums)[C::BM / 2],
                                                   const matmul_shape &s, int row, int column)
{
    const bool right = column & 2;
    row += right, column -= right * 2;
#pragma unroll
    for (int j = 0; j < C::BM / 8; j++) {
        const float *four = sums + 4 * j;
        const float other0 = __shfl_xor_sync(0xffffffffu, right ? four[0] : four[1], 4),
                    other1 = __shfl_xor_sync(0xffffffffu, right ? four[2] : four[3], 4);
        const float4 out = {right ? other0 : four[0], right ? other1 : four[2], right ? four[1] : other0,
                            right ? four[3] : other1};
        if (row + 8 * j < s.m && column < s.n)
            __stwb(reinterpret_cast<float4 *>(c + static_cast<int64_t>(row + 8 * j) * s.n + column), out);
    }
}

template <class C>
__device__ __forceinline__ void tf32_consume(float *c, const matmul_shape &s, int consumer, const float *ring,
                                             uint64_t *full, uint64_t *empty)
{
    const int steps = (s.k + C::BK - 1) / C::BK, thread = static_cast<int>(threadIdx.x) % 128;
    const int column = consumer * 64 + tf32_column(thread);
    tf32_progress<C> p = {};
    matmul_tile tile;
    uint32_t even[C::BK / 8][4], odd[C::BK / 8][4];
    for (int turn = 0; hopper_tile<C>(s, turn, tile); turn++) {
        // Zeroed, not carried on from the last tile: carried, they would be kept where the exchange above wants them, and the compiler, which
        // then sees them moved while products are under way, would wait for every single product.
        float sums[C::BM / 2] = {};
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
        tf32_store_columns<C>(c, sums, s, tile.m + 2 * (thread % 4), tile.n + column);
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
        if constexpr (C::CONSUMERS > 1)
            assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            tf32_produce<C>(&map_a, &map_b, s, ring, full, empty);
    } else {
        if constexpr (C::CONSUMERS > 1)
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

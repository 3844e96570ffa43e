// f32 matmul in the math mode tf32 with wgmma and TMA (sm_90a).
//
// Roles and pipeline are those of hopper.cuh. wgmma reads tf32 operands from shared memory only with k along
// their rows, as it lies in a but not in b; its first operand may also come from registers. So the kernel
// computes c^T = b^T * a^T: the rows of a wgmma tile are columns of c. A consumer loads its 64 columns of b's
// tile into registers, two neighbours at a time, which transposes them, and rounds them to nearest. a's tile
// is the second operand as it lies; the tensor cores truncate it. While the wgmmas of one stage run, the
// registers for the next are filled. A thread's sums lie along two columns of c and are exchanged between
// lanes so that it writes 16 bytes of a row. A transposed b goes to registers all the same, to be rounded. TMA fills everything past the edges with zeros; it needs rows
// that are aligned to 16 bytes.
#ifndef ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH
#define ASSAY_OPS_MATMUL_V4_TF32_HOPPER_CUH

#include "epilogue.cuh"
#include "pipeline.cuh"
#include "tf32.cuh"
#include <type_traits>

template <int M, int CONSUMER_COUNT, int STAGE_COUNT, int RASTER_ROW_COUNT>
struct tf32_hopper_config {
    static constexpr int TILE_M = M, TILE_N = 64 * CONSUMER_COUNT, TILE_K = 32, STAGES = STAGE_COUNT,
                         RASTER = RASTER_ROW_COUNT;
    static constexpr int CONSUMERS = CONSUMER_COUNT, THREADS = 128 * (1 + CONSUMERS);
    static constexpr bool TRANSPOSE_B = false;  // see with_transposed_b
    static constexpr int B_BOXES = TILE_N / 32; // TMA boxes of 32 columns (128 bytes) in b's tile
    static constexpr int A_ELEMENTS = TILE_M * TILE_K, STAGE_ELEMENTS = A_ELEMENTS + TILE_K * TILE_N;
    static constexpr int BARRIER_BYTES = 1024, SHARED_BYTES = BARRIER_BYTES + STAGES * STAGE_ELEMENTS * 4;
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

template <class C>
__device__ __forceinline__ void tf32_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                             const matmul_shape &s, float *stages, uint64_t *full,
                                             uint64_t *empty)
{
    pipeline_produce<C>(s, stages, full, empty, [=](float *to, uint64_t *landed, matmul_tile tile, int k) {
        assay::tma_load_2d(to, map_a, landed, k, tile.m);
        if constexpr (C::TRANSPOSE_B)
            assay::tma_load_2d(to + C::A_ELEMENTS, map_b, landed, k, tile.n);
#pragma unroll
        for (int box = 0; box < C::B_BOXES && !C::TRANSPOSE_B; box++)
            assay::tma_load_2d(to + C::A_ELEMENTS + box * C::TILE_K * 32, map_b, landed, tile.n + box * 32,
                               k);
    });
}

// The column of b that a thread holds as a row of wgmma's tile. The mapping is free, as long as the sums are
// stored accordingly. A lane holds rows lane / 4 and lane / 4 + 8 of its warp's 16; they are neighbouring
// columns of b, loaded by one 8-byte load, and this is the left one. The bits of lane / 4 are spread so that
// the 16 lanes that load together (4 of k, 4 pairs) hit all banks once in b's swizzle (chunk n / 4 of row k
// lies at n / 4 ^ k % 8), and so that 2 lanes write 32 neighbouring bytes of c.
__device__ __forceinline__ int tf32_column(int thread)
{
    const int warp = thread / 32, g = thread % 32 / 4;
    return 32 * (warp >> 1) + 16 * (g >> 1 & 1) + 8 * (warp & 1) + 4 * (g >> 2) + 2 * (g & 1);
}

// The same as tf32_transpose for a b that lies transposed, rows of 32 of k with the swizzle: two neighbouring columns
// by 4 + 4 of k with one ldmatrix, for which lane l gives the address of matrix l / 8 and the column of lane
// 4 * (l % 8).
template <class C>
__device__ __forceinline__ void tf32_load_columns(uint32_t (&to)[C::TILE_K / 8][4], const float *b,
                                                  int column)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = __shfl_sync(0xffffffffu, column, lane % 8 * 4) + lane / 8 % 2;
#pragma unroll
    for (int step = 0; step < C::TILE_K / 8; step++) {
        assay::ldmatrix_x4(to[step], b + tf32_swizzled(row, step * 8 + lane / 16 * 4));
#pragma unroll
        for (int i = 0; i < 4; i++)
            to[step][i] = assay::to_tf32_operand(__uint_as_float(to[step][i]));
    }
}

// Load one stage of b^T for one consumer in wgmma's register layout, rounded: register i of a step holds k =
// lane % 4 + 4 * (i / 2) of the thread's column + i % 2. `column`: in the block's tile.
template <class C>
__device__ __forceinline__ void tf32_transpose(uint32_t (&to)[C::TILE_K / 8][4], const float *b, int column)
{
    if constexpr (C::TRANSPOSE_B) {
        tf32_load_columns<C>(to, b, column);
        return;
    }
    const int k = static_cast<int>(threadIdx.x) % 4, chunk = column % 32 / 4;
    const float *box = b + column / 32 * C::TILE_K * 32 + column % 4;
    const float *near = box + k * 32 + (chunk ^ k) * 4, *far = box + (k + 4) * 32 + (chunk ^ (k + 4)) * 4;
#pragma unroll
    for (int step = 0; step < C::TILE_K / 8; step++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const assay::vec<float, 2> pair = assay::load_vec<2>((half ? far : near) + step * 8 * 32);
            to[step][2 * half] = assay::to_tf32_operand(pair[0]);
            to[step][2 * half + 1] = assay::to_tf32_operand(pair[1]);
        }
}

template <class C>
__device__ __forceinline__ void tf32_multiply(float (&sums)[C::TILE_M / 2],
                                              const uint32_t (&b)[C::TILE_K / 8][4], const float *a)
{
#pragma unroll
    for (int step = 0; step < C::TILE_K / 8; step++) // 8 of k are 32 bytes of a row of 128
        assay::wgmma_m64k8_tf32<C::TILE_M>::run_registers(sums, b[step],
                                                          assay::wgmma_descriptor(a + step * 8, 16, 1024), 1);
}

// A consumer's state between stages.
template <class C>
struct tf32_progress {
    pipeline_position<C::STAGES> at;
    int previous; // the stage whose wgmmas may still run; -1: none
};

template <class C>
__device__ __forceinline__ void tf32_stage(float (&sums)[C::TILE_M / 2],
                                           uint32_t (&registers)[C::TILE_K / 8][4], const float *stages,
                                           uint64_t *full, uint64_t *empty, int column, tf32_progress<C> &p)
{
    const float *a = stages + p.at.stage * C::STAGE_ELEMENTS;
    assay::mbarrier_wait(&full[p.at.stage], p.at.parity);
    tf32_transpose<C>(registers, a + C::A_ELEMENTS, column);
    assay::wgmma_fence();
    tf32_multiply<C>(sums, registers, a);
    assay::wgmma_commit();
    assay::wgmma_wait<1>(); // the previous stage is multiplied, its registers are free
    if (p.previous >= 0)
        release_stage(&empty[p.previous]);
    p.previous = p.at.stage;
    p.at.advance();
}

// Sum 4 * j + 2 * h + i belongs to column + h and row 8 * j + i of the thread's part. Two threads with
// neighbouring columns exchange sums, so that each has 16 bytes of one row to write; n is a multiple of 4, so
// all of them are inside or none.
template <class C>
__device__ __forceinline__ void tf32_store_columns(float *c, const float (&sums)[C::TILE_M / 2],
                                                   const matmul_shape &s, int row, int column)
{
    const bool right = column & 2;
    row += right, column -= right * 2;
#pragma unroll
    for (int j = 0; j < C::TILE_M / 8; j++) {
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
__device__ __forceinline__ void tf32_consume(float *c, const matmul_shape &s, int consumer,
                                             const float *stages, uint64_t *full, uint64_t *empty)
{
    const int steps = (s.k + C::TILE_K - 1) / C::TILE_K, thread = static_cast<int>(threadIdx.x) % 128;
    const int column = consumer * 64 + tf32_column(thread);
    tf32_progress<C> p = {};
    matmul_tile tile;
    uint32_t even[C::TILE_K / 8][4], odd[C::TILE_K / 8][4];
    for (int nth = 0; find_tile<C>(s, nth, tile); nth++) {
        // Zeroed, not carried over from the previous tile: the compiler would keep carried sums where the
        // exchange above wants them, move them while wgmmas run, and then wait for every single wgmma
        // (warning C7514).
        float sums[C::TILE_M / 2] = {};
        p.previous = -1;
        int step = 0;
        for (; step + 1 < steps; step += 2) {
            tf32_stage<C>(sums, even, stages, full, empty, column, p);
            tf32_stage<C>(sums, odd, stages, full, empty, column, p);
        }
        if (step < steps)
            tf32_stage<C>(sums, even, stages, full, empty, column, p);
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        release_stage(&empty[p.previous]);
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
    float *stages = reinterpret_cast<float *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x == 0)
        pipeline_init<C>(full, empty, C::CONSUMERS * 4, &map_a, &map_b);
    const int group = static_cast<int>(threadIdx.x) / 128;
    pipeline_start<C>(group);
    if (group == 0) {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            tf32_produce<C>(&map_a, &map_b, s, stages, full, empty);
    } else {
        if constexpr (C::CONSUMERS > 1)
            assay::registers_increase<232>();
        tf32_consume<C>(c, s, group - 1, stages, full, empty);
    }
#endif
}

// a, b and c must not be empty, and rows of a and b must be aligned to 16 bytes.
template <class C, class Epilogue>
static assay_status tf32_hopper_launch(const matmul_args *args, const matmul_shape &s, tile_plan plan,
                                       const Epilogue &, assay_stream stream)
{
    static_assert(std::is_same_v<Epilogue, keep_sums>,
                  "sums lie along columns here, an epilogue wants them along rows");
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return tf32_hopper_launch<with_transposed_b<C>>(args, s, plan, keep_sums{}, stream);
    assay::tensor_map map_a = {}, map_b = {};
    assay_status status = assay::tensor_map_2d(&map_a, static_cast<const float *>(args->a), s.m, s.k, s.lda,
                                               C::TILE_M, C::TILE_K);
    if (status == ASSAY_OK)
        status = C::TRANSPOSE_B ? assay::tensor_map_2d(&map_b, static_cast<const float *>(args->b), s.n, s.k,
                                                       s.ldb, C::TILE_N, C::TILE_K)
                                : assay::tensor_map_2d(&map_b, static_cast<const float *>(args->b), s.k, s.n,
                                                       s.ldb, C::TILE_K, 32);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(matmul_tf32_hopper<C>, persistent_grid(count_tiles(s.m, s.n, C::TILE_M, C::TILE_N)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, map_a, map_b,
                         static_cast<float *>(args->c), s);
}

#endif

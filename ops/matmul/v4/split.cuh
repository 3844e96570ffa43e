// f32 matmul at full accuracy on Hopper's tensor cores: each operand split into three bfloat16 parts.
//
// A binary32 number is the sum of three bfloat16 numbers of 8 bits each: x = x0 + x1 + x2. Of the nine
// products of parts six are computed (a0*b2, a2*b0, a1*b1, a0*b1, a1*b0, a0*b0; the others are below 2^-24 of
// the largest), each exact in the tensor core. Six bfloat16 products cost less than half of one on the
// ordinary arithmetic units. Tensor cores truncate when they add, so a long sum drifts. Therefore each stage
// (64 of k) starts a new sum, the smallest products first, so that only the last four additions are to a sum
// of full magnitude. That partial sum is then added, correctly rounded, to fp32 sums in registers, while the
// next stage is multiplied into another set of registers. The result is more accurate than a chain of FFMA.
//
// Three launches: split both operands into the workspace; multiply; and an ordinary f32 matmul that does
// nothing unless the split met a number it cannot represent (NaN, infinity, larger than bfloat16's largest,
// or so small that the third part is lost). So every input gives the result of f32 arithmetic. Roles and
// pipeline are those of hopper.cuh, and blocks can share the k of a tile as there; a stage holds the three parts of
// both tiles.
#ifndef ASSAY_OPS_MATMUL_V4_SPLIT_CUH
#define ASSAY_OPS_MATMUL_V4_SPLIT_CUH

#include "../../common/bf16_parts.h"
#include "hopper_items.cuh"
#include "sgemm.cuh"
#include "split_store.cuh"

template <int STAGE_COUNT, int RASTER_ROW_COUNT>
struct split_config {
    static constexpr int STAGES = STAGE_COUNT, RASTER = RASTER_ROW_COUNT;
    static constexpr bool TRANSPOSE_B = false; // see with_transposed_b
    static constexpr int TILE_M = 64, TILE_N = 128, TILE_K = 64, PARTS = 3,
                         THREADS = 256; // a producer and a consumer warpgroup
    static constexpr int A_ELEMENTS = TILE_M * TILE_K, B_ELEMENTS = TILE_K * TILE_N;
    static constexpr int STAGE_ELEMENTS = PARTS * (A_ELEMENTS + B_ELEMENTS);
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int COLUMN_BYTES = 2 * TILE_N / 2 * 8; // see split_finish
    static constexpr int STAGED_ROW = 64 + 8;               // floats; 8 of padding against bank conflicts
    static constexpr int STAGED_FLOATS = 8 * STAGED_ROW;    // of a warp: see split_store_staged
    static constexpr int SHARED_BYTES =
        BARRIER_BYTES + STAGES * STAGE_ELEMENTS * 2 + COLUMN_BYTES + 4 * STAGED_FLOATS * 4;
    static_assert(SHARED_BYTES <= 232448, "a block's shared memory");
};

// ---- splitting ----

static constexpr int kSplitBlocks =
    512; // for an operand, at most; each sets a flag if it met a number it cannot split
static constexpr int kSplitThreads = 256, kSplitLoads = 4; // of 16 bytes, under way before the first is used

// An operand, of all products of a batch, whose rows are `stride` elements apart.
struct split_matrix {
    const float *from;
    __nv_bfloat16 *to; // 3 x rows x padded
    int64_t rows, length, stride, padded;
    int blocks;
};

// Write the parts of elements i to i + 3 of a row; false if one cannot be split.
__device__ __forceinline__ bool split_four(const split_matrix &m, int64_t row, int64_t i,
                                           const assay::vec<float, 4> &x)
{
    bool good = true;
    assay::vec<__nv_bfloat16, 4> parts[3];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        __nv_bfloat16 of_one[3];
        good &= split_element(x[e], of_one);
        for (int p = 0; p < 3; p++)
            parts[p][e] = of_one[p];
    }
#pragma unroll
    for (int p = 0; p < 3; p++)
        assay::store_vec(m.to + (p * m.rows + row) * m.padded + i, parts[p]);
    return good;
}

// Threads count fours of all rows, so that none is idle where rows are short or few.
__device__ __forceinline__ bool split_rows(const split_matrix &m, int block)
{
    const int64_t across = m.padded / 4, fours = m.rows * across;
    const bool aligned = m.length % 4 == 0 && m.stride % 4 == 0;
    bool good = true;
    for (int64_t base = static_cast<int64_t>(block) * (kSplitThreads * kSplitLoads) + threadIdx.x;
         base < fours; base += static_cast<int64_t>(m.blocks) * (kSplitThreads * kSplitLoads)) {
        int64_t row[kSplitLoads], at[kSplitLoads];
        assay::vec<float, 4> x[kSplitLoads] = {};
#pragma unroll
        for (int l = 0; l < kSplitLoads; l++) {
            const int64_t four = base + l * kSplitThreads;
            row[l] = divide_index(four, across, fours);
            at[l] = 4 * (four - row[l] * across);
            const float *from = m.from + row[l] * m.stride + at[l];
            if (four < fours && aligned && at[l] < m.length)
                x[l] = assay::load_vec<4>(from);
            for (int e = 0; e < 4 && !aligned; e++)
                if (four < fours && at[l] + e < m.length)
                    x[l][e] = from[e];
        }
#pragma unroll
        for (int l = 0; l < kSplitLoads; l++)
            if (base + l * kSplitThreads < fours)
                good &= split_four(m, row[l], at[l], x[l]);
    }
    return good;
}

static __global__ void __launch_bounds__(kSplitThreads)
    matmul_split(const split_matrix a, const split_matrix b, int *flags)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    const int block = static_cast<int>(blockIdx.x);
    const bool good = block < a.blocks ? split_rows(a, block) : split_rows(b, block - a.blocks);
    const int bad = __syncthreads_or(!good);
    if (threadIdx.x == 0)
        flags[block] = bad;
}

// ---- multiplying ----

// Start the copies of the three parts of b's tile: each by boxes of 64 columns, or transposed in one box. Where the last
// rows of a box are those of another product, a has zeros; numbers that no zero may meet are multiplied by the fallback.
template <class C>
__device__ __forceinline__ void split_load_b(__nv_bfloat16 *to, const assay::tensor_map *map_b,
                                             uint64_t *landed, const matmul_shape &s, const hopper_work &work,
                                             const hopper_item &item, int k)
{
    const int rows = C::TRANSPOSE_B ? s.n : s.k;               // of a product
    constexpr int BOXES = C::TRANSPOSE_B ? 1 : C::TILE_N / 64; // of a part
#pragma unroll
    for (int box = 0; box < C::PARTS * BOXES; box++) {
        const int part = box / BOXES, first = (part * work.batch + item.product) * rows;
        if constexpr (C::TRANSPOSE_B)
            assay::tma_load_2d(to + part * C::B_ELEMENTS, map_b, landed, k, first + item.tile.n);
        else
            assay::tma_load_2d(to + box * C::TILE_K * 64, map_b, landed, item.tile.n + box % BOXES * 64,
                               first + k);
    }
}

template <class C>
__device__ __forceinline__ void split_produce(const assay::tensor_map *map_a, const assay::tensor_map *map_b,
                                              const matmul_shape &s, const hopper_work &work,
                                              __nv_bfloat16 *stages, uint64_t *full, uint64_t *empty)
{
    pipeline_position<C::STAGES> at;
    hopper_item item;
    for (int nth = 0; find_item<C>(s, work, nth, item); nth++)
        for (int step = 0; step < item.count; step++, at.advance()) {
            __nv_bfloat16 *to = stages + at.stage * C::STAGE_ELEMENTS;
            const int k = (item.begin + step) * C::TILE_K;
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], C::STAGE_ELEMENTS * 2);
#pragma unroll
            for (int p = 0; p < C::PARTS; p++)
                assay::tma_load_2d(to + p * C::A_ELEMENTS, map_a, &full[at.stage], k,
                                   (p * work.batch + item.product) * s.m + item.tile.m);
            split_load_b<C>(to + C::PARTS * C::A_ELEMENTS, map_b, &full[at.stage], s, work, item, k);
        }
}

// One stage: the six products, the smallest first.
template <class C>
__device__ __forceinline__ void split_multiply(float (&partial)[C::TILE_N / 2], const __nv_bfloat16 *a,
                                               const __nv_bfloat16 *b)
{
    constexpr int PART_A[6] = {0, 2, 1, 0, 1, 0}, PART_B[6] = {2, 0, 1, 1, 0, 0};
#pragma unroll
    for (int p = 0; p < 6; p++)
#pragma unroll
        for (int k = 0; k < C::TILE_K; k += 16) {
            const uint64_t da = assay::wgmma_descriptor(a + PART_A[p] * C::A_ELEMENTS + k, 16, 1024);
            const uint64_t db =
                C::TRANSPOSE_B
                    ? assay::wgmma_descriptor(b + PART_B[p] * C::B_ELEMENTS + k, 16, 1024)
                    : assay::wgmma_descriptor(b + PART_B[p] * C::B_ELEMENTS + k * 64, C::TILE_K * 128, 1024);
            assay::wgmma_m64k16<__nv_bfloat16, C::TILE_N, !C::TRANSPOSE_B>::run(partial, da, db, p + k > 0);
        }
}

// Start the wgmmas of the stage at `at` into `partial`, and advance.
template <class C>
__device__ __forceinline__ void split_start(float (&partial)[C::TILE_N / 2], const __nv_bfloat16 *stages,
                                            uint64_t *full, pipeline_position<C::STAGES> &at)
{
    const __nv_bfloat16 *a = stages + at.stage * C::STAGE_ELEMENTS, *b = a + C::PARTS * C::A_ELEMENTS;
    assay::mbarrier_wait(&full[at.stage], at.parity);
    assay::wgmma_fence();
    split_multiply<C>(partial, a, b);
    assay::wgmma_commit();
    at.advance();
}

// Wait until only `Pending` stages are being multiplied, and add the partial sums of the one before.
template <class C, int Pending>
__device__ __forceinline__ void split_add(float (&sums)[C::TILE_N / 2], float (&partial)[C::TILE_N / 2],
                                          uint64_t *empty, pipeline_position<C::STAGES> &done)
{
    assay::wgmma_wait<Pending>();
    assay::wgmma_fence_operands(partial);
    release_stage(&empty[done.stage]);
    done.advance();
#pragma unroll
    for (int i = 0; i < C::TILE_N / 2; i++)
        sums[i] += partial[i];
}

// The partial sums of one stage are added while the next stage is multiplied into other registers.
template <class C, class Epilogue>
__device__ __forceinline__ void split_consume(float *c, const matmul_shape &s, const hopper_work &work,
                                              const __nv_bfloat16 *stages, uint64_t *full, uint64_t *empty,
                                              typename Epilogue::columns *columns, float *staged,
                                              const Epilogue &epilogue)
{
    const int pair = static_cast<int>(threadIdx.x) % (C::TILE_N / 2);
    pipeline_position<C::STAGES> at, done;
    hopper_item item;
    float even[C::TILE_N / 2], odd[C::TILE_N / 2], sums[C::TILE_N / 2];
    for (int nth = 0; find_item<C>(s, work, nth, item); nth++) {
#pragma unroll
        for (int i = 0; i < C::TILE_N / 2; i++)
            sums[i] = 0.0f;
        const typename Epilogue::columns fetched = epilogue.fetch(item.tile.n + 2 * pair);
        split_start<C>(even, stages, full, at);
        int step = 1;
        for (; step + 1 < item.count; step += 2) {
            split_start<C>(odd, stages, full, at);
            split_add<C, 1>(sums, even, empty, done);
            split_start<C>(even, stages, full, at);
            split_add<C, 1>(sums, odd, empty, done);
        }
        if (step < item.count) {
            split_start<C>(odd, stages, full, at);
            split_add<C, 1>(sums, even, empty, done);
            split_add<C, 0>(sums, odd, empty, done);
        } else {
            split_add<C, 0>(sums, even, empty, done);
        }
        if (work.splits == 1)
            split_finish<C>(c + static_cast<int64_t>(item.product) * s.m * s.n, sums, s, item.tile,
                            columns + nth % 2 * (C::TILE_N / 2), fetched, staged, epilogue);
        else
            store_part<C>(work.partial + item.part * (C::TILE_M * C::TILE_N), sums);
    }
}

template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS, 1)
    matmul_split_multiply(const __grid_constant__ assay::tensor_map map_a,
                          const __grid_constant__ assay::tensor_map map_b, float *c, const matmul_shape s,
                          const hopper_work work, const Epilogue epilogue)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + C::STAGES;
    __nv_bfloat16 *stages = reinterpret_cast<__nv_bfloat16 *>(shared + C::BARRIER_BYTES);
    if (threadIdx.x == 0)
        pipeline_init<C>(full, empty, 4, &map_a, &map_b);
    const int group = static_cast<int>(threadIdx.x) / 128;
    pipeline_start<C>(group);
    if (group == 0) {
        if (threadIdx.x == 0) {
            assay::wait_for_previous(); // the operands are split
            split_produce<C>(&map_a, &map_b, s, work, stages, full, empty);
        }
    } else {
        __nv_bfloat16 *const behind = stages + C::STAGES * C::STAGE_ELEMENTS;
        split_consume<C>(c, s, work, stages, full, empty,
                         reinterpret_cast<typename Epilogue::columns *>(behind),
                         reinterpret_cast<float *>(behind + C::COLUMN_BYTES / 2), epilogue);
    }
#endif
}

// ---- launching ----

// Where a matmul's operands go in the workspace as three parts each, and the flags of the blocks that split them.
struct split_operands {
    int *flags;
    split_matrix a, b;
};

static inline split_matrix split_matrix_of(const void *from, __nv_bfloat16 *to, int64_t rows, int64_t length,
                                           int64_t stride)
{
    const int64_t padded = matmul_split_row(length), each = 4 * kSplitThreads * kSplitLoads;
    const int64_t blocks = (rows * padded + each - 1) / each;
    return {static_cast<const float *>(from),
            to,
            rows,
            length,
            stride,
            padded,
            static_cast<int>(blocks < kSplitBlocks ? blocks : kSplitBlocks)};
}

static inline split_operands split_operands_of(const matmul_args *args)
{
    const int64_t rows_a = args->batch * args->m;
    char *space = static_cast<char *>(args->workspace);
    __nv_bfloat16 *parts_a = reinterpret_cast<__nv_bfloat16 *>(space + matmul_split_flag_bytes());
    __nv_bfloat16 *parts_b = reinterpret_cast<__nv_bfloat16 *>(space + matmul_split_flag_bytes() +
                                                               matmul_split_bytes(rows_a, args->k));
    const matmul_stored b = matmul_stored_b(args);
    return {reinterpret_cast<int *>(space),
            split_matrix_of(args->a, parts_a, rows_a, args->k, matmul_row_a(args)),
            split_matrix_of(args->b, parts_b, args->batch * b.rows, b.length, matmul_row_b(args))};
}

// Multiply the operands that were split; the sums of blocks that share a k are added by one more launch.
template <class C, class Epilogue>
static assay_status split_multiply_launch(const matmul_args *args, const matmul_shape &s, int most,
                                          const split_operands &operands, const Epilogue &epilogue,
                                          assay_stream stream)
{
    const split_matrix &a = operands.a, &b = operands.b;
    assay::tensor_map map_a = {}, map_b = {};
    assay_status status =
        assay::tensor_map_2d(&map_a, a.to, 3 * a.rows, a.length, a.padded, C::TILE_M, C::TILE_K);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_b, b.to, 3 * b.rows, b.length, b.padded,
                                      C::TRANSPOSE_B ? C::TILE_N : C::TILE_K, 64);
    if (status != ASSAY_OK)
        return status;
    const int splits = count_parts((s.k + C::TILE_K - 1) / C::TILE_K, most);
    const hopper_work work = {1, splits, static_cast<int>(args->batch), partial_sums_of(args).sums};
    const int64_t tiles = count_tiles(s.m, s.n, C::TILE_M, C::TILE_N);
    status = assay::launch_early(
        matmul_split_multiply<C, Epilogue>, persistent_grid(tiles * splits * args->batch), dim3(C::THREADS),
        C::SHARED_BYTES, stream, map_a, map_b, static_cast<float *>(args->c), s, work, epilogue);
    if (status != ASSAY_OK || splits == 1)
        return status;
    const int tiles_n = (s.n + C::TILE_N - 1) / C::TILE_N;
    return add_partial_sums(work.partial, args, tiles, splits,
                            partial_grid{C::TILE_M, C::TILE_N, tiles_n, splits}, epilogue, stream);
}

// `Fallback`: the sgemm_config for operands that cannot be split. plan.splits: at most; the workspace must have room
// for their sums.
template <class C, class Fallback, class Epilogue>
static assay_status split_launch(const matmul_args *args, const matmul_shape &s, tile_plan plan,
                                 const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return split_launch<with_transposed_b<C>, Fallback>(args, s, plan, epilogue, stream);
    if (args->workspace == nullptr || args->workspace_bytes < matmul_operand_bytes(args, 4))
        return ASSAY_ERR_INVALID;
    const split_operands operands = split_operands_of(args);
    const int blocks = operands.a.blocks + operands.b.blocks;
    assay_status status =
        assay::launch(matmul_split, dim3(static_cast<unsigned>(blocks)), dim3(kSplitThreads), 0, stream,
                      operands.a, operands.b, operands.flags);
    if (status == ASSAY_OK)
        status = split_multiply_launch<C>(args, s, plan.splits, operands, epilogue, stream);
    if (status == ASSAY_OK)
        status = sgemm_launch_if<Fallback>(args, s, operands.flags, blocks, epilogue, stream);
    return status;
}

#endif

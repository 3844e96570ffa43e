// A few rows by a matrix (M up to 8), every dtype: b is streamed once, straight to registers.
//
// 2 M operations on an element of b are far less than the time to bring it: at 3.35 TB/s a multiprocessor gets
// 15 bytes a clock, and can multiply 25 (M = 8, 2-byte elements: 72 instructions for 16 bytes of a lane). So all
// that counts is to have enough loads under way, in whole 128-byte lines. A tile of tensor cores would pass
// through shared memory, with barriers, and waste 8 of its 16 rows or more.
//   lanes    LANES neighbouring lanes load 16 bytes each of one row of b, DEPTH rows one behind the other: 8
//            loads a thread, 32 KB a multiprocessor with two blocks of 128 threads;
//   block    its other threads take other rows: k is split over the threads of a block, and their sums are
//            added through shared memory at the end, always in the same order;
//   grid     where there are fewer than two blocks a multiprocessor, blocks split k too (partial_sums.cuh).
// A thread's 8 rows of b want 8 neighbours of each row of a, which are one or two 16-byte loads from the L1
// cache. Rows of b that are not aligned to 16 bytes are loaded by element, 32 neighbours a warp; such rows of a
// too. f16 and bf16 go through tensor cores (few_rows_tensor.cuh): FFMA and conversions would take longer than
// memory.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_ROWS_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_ROWS_CUH

#include "../factor.cuh"
#include "few_rows_tensor.cuh"
#include "partial_sums.cuh"
#include <type_traits>

template <int ROW_COUNT, bool ALIGNED_ROWS>
struct few_rows_config {
    static constexpr bool TENSOR = false;
    static constexpr int ROWS = ROW_COUNT, VECTOR = 16 / sizeof(scalar_t);
    static constexpr bool ALIGNED = ALIGNED_ROWS; // rows of b
    static constexpr int LANES = ALIGNED ? 8 : 32, COLUMNS = LANES * VECTOR, STRIDE = ALIGNED ? 1 : LANES;
    static constexpr int THREADS = ROWS == 1 ? 256 : 128; // so that two blocks fit into the registers
    static constexpr int WARPS = THREADS / 32, DEPTH = 8;
    static constexpr int K_PASS = THREADS / LANES * DEPTH; // of k for all threads at once
    static constexpr int SHARED_BYTES = WARPS * ROWS * COLUMNS * 4;
};

// Elements column, column + STRIDE, ... of a row of b; zeros beyond the edges.
template <class C>
__device__ __forceinline__ assay::vec<scalar_t, C::VECTOR> few_rows_load_b(const scalar_t *row, int column,
                                                                           int columns, bool inside)
{
    assay::vec<scalar_t, C::VECTOR> v = {};
    if (C::ALIGNED && inside && column < columns)
        v = assay::load_vec<C::VECTOR>(row + column);
    if (!C::ALIGNED)
#pragma unroll
        for (int j = 0; j < C::VECTOR; j++)
            if (inside && column + j * C::STRIDE < columns)
                v[j] = row[column + j * C::STRIDE];
    return v;
}

// Elements k to k + VECTOR - 1 of a row of a; zeros from `end` on.
template <class C>
__device__ __forceinline__ assay::vec<scalar_t, C::VECTOR> few_rows_load_a(const scalar_t *row, int k,
                                                                           int end, bool aligned)
{
    assay::vec<scalar_t, C::VECTOR> v = {};
    if (aligned && k < end)
        v = assay::load_vec<C::VECTOR>(row + k);
    if (!aligned)
#pragma unroll
        for (int i = 0; i < C::VECTOR; i++)
            if (k + i < end)
                v[i] = row[k + i];
    return v;
}

// Add the products of rows k to k + DEPTH - 1 of b.
template <class C>
__device__ __forceinline__ void few_rows_multiply(float (&sums)[C::ROWS][C::VECTOR], const scalar_t *a,
                                                  const scalar_t *b, const matmul_shape &s, int column, int k,
                                                  int end)
{
    assay::vec<scalar_t, C::VECTOR> rows_b[C::DEPTH];
#pragma unroll
    for (int d = 0; d < C::DEPTH; d++)
        rows_b[d] = few_rows_load_b<C>(b + static_cast<int64_t>(k + d) * s.ldb, column, s.n, k + d < end);
    const bool aligned = s.k % C::VECTOR == 0 && s.lda % C::VECTOR == 0;
#pragma unroll
    for (int part = 0; part < C::DEPTH; part += C::VECTOR) {
        assay::vec<scalar_t, C::VECTOR> rows_a[C::ROWS];
#pragma unroll
        for (int r = 0; r < C::ROWS; r++) // a row beyond the last is not stored
            rows_a[r] = few_rows_load_a<C>(a + static_cast<int64_t>(r < s.m ? r : s.m - 1) * s.lda, k + part,
                                           end, aligned);
#pragma unroll
        for (int d = 0; d < C::VECTOR; d++)
#pragma unroll
            for (int j = 0; j < C::VECTOR; j++) {
                const float factor = assay::to_float(as_factor(rows_b[part + d][j]));
#pragma unroll
                for (int r = 0; r < C::ROWS; r++)
                    sums[r][j] = fmaf(assay::to_float(as_factor(rows_a[r][d])), factor, sums[r][j]);
            }
    }
}

// Add the sums of a warp's lanes that have the same columns, and store them to shared memory: rows of COLUMNS
// floats for each warp.
template <class C>
__device__ __forceinline__ void few_rows_share(float *shared, float (&sums)[C::ROWS][C::VECTOR], int column)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float *to = shared + static_cast<int>(threadIdx.x) / 32 * C::ROWS * C::COLUMNS + column;
#pragma unroll
    for (int r = 0; r < C::ROWS; r++)
#pragma unroll
        for (int j = 0; j < C::VECTOR; j++) {
            float sum = sums[r][j];
#pragma unroll
            for (int other = C::LANES; other < 32; other *= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, other);
            if (lane < C::LANES)
                to[r * C::COLUMNS + j * C::STRIDE] = sum;
        }
}

// A block's sums, over `begin` to `end` of k: for each warp ROWS rows of COLUMNS floats in shared memory.
template <class C>
__device__ __forceinline__ void few_rows_sums(float *shared, const scalar_t *a, const scalar_t *b,
                                              const matmul_shape &s, int first, int begin, int end)
{
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (C::TENSOR) {
        const int warp = thread / 32;
        few_rows_tensor_sums<C>(shared + warp * C::ROWS * C::COLUMNS, a, b, s, first,
                                begin + warp * C::STEPS * 16, end);
    } else {
        const int lane = thread % C::LANES, column = C::ALIGNED ? lane * C::VECTOR : lane;
        float sums[C::ROWS][C::VECTOR] = {};
        for (int k = begin + thread / C::LANES * C::DEPTH; k < end; k += C::K_PASS)
            few_rows_multiply<C>(sums, a, b, s, first + column, k, end);
        few_rows_share<C>(shared, sums, column);
    }
}

// Block (x, y, z) has columns x * COLUMNS on and `chunk` of k from y * chunk on of product z. With several parts of k the
// sums go to `partial`.
template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_few_rows(const scalar_t *a, const scalar_t *b, scalar_t *c, float *partial, const matmul_shape s,
                    int chunk, const Epilogue epilogue)
{
    ASSAY_DYNAMIC_SHARED(float, shared);
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    take_product_of<false>(a, b, s);
    const int first = static_cast<int>(blockIdx.x) * C::COLUMNS;
    const int begin = static_cast<int>(blockIdx.y) * chunk, end = s.k - begin < chunk ? s.k : begin + chunk;
    few_rows_sums<C>(shared, a, b, s, first, begin, end);
    __syncthreads();

    float *slot = slot_of_block(partial, C::ROWS * C::COLUMNS);
    for (int i = static_cast<int>(threadIdx.x) * 4; i < C::ROWS * C::COLUMNS; i += C::THREADS * 4) {
        float total[4] = {};
#pragma unroll
        for (int warp = 0; warp < C::WARPS; warp++) {
            const assay::vec<float, 4> part = assay::load_vec<4>(shared + warp * C::ROWS * C::COLUMNS + i);
#pragma unroll
            for (int j = 0; j < 4; j++)
                total[j] += part[j];
        }
        const int m = i / C::COLUMNS, n = first + i % C::COLUMNS;
        if (gridDim.y > 1)
            assay::store_vec(slot + i, assay::vec<float, 4>{{total[0], total[1], total[2], total[3]}});
        else if (m < s.m && n < s.n)
            partial_store(product_of(c, s.m, s.n), total, m, n, s.n, epilogue);
    }
}

template <class C, class Epilogue>
static assay_status few_rows_launch(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                    assay_stream stream)
{
    const int64_t tiles = (args->n + C::COLUMNS - 1) / C::COLUMNS,
                  passes = (args->k + C::K_PASS - 1) / C::K_PASS;
    const partial_room room = partial_sums_of(args);
    const int64_t slots = room.floats / (C::ROWS * C::COLUMNS) / (tiles * args->batch);
    const int64_t wanted =
        count_splits(tiles * args->batch, 2 * assay::multiprocessor_count(), slots < passes ? slots : passes);
    const int64_t chunk = (passes + wanted - 1) / wanted * C::K_PASS; // whole passes
    const int splits = chunk > 0 ? static_cast<int>((args->k + chunk - 1) / chunk) : 1;
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(splits),
                    static_cast<unsigned>(args->batch));
    const assay_status status =
        assay::launch(matmul_few_rows<C, Epilogue>, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                      static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
                      static_cast<scalar_t *>(args->c), room.sums, s, static_cast<int>(chunk), epilogue);
    if (status != ASSAY_OK || splits == 1)
        return status;
    const partial_grid parts = {C::ROWS, C::COLUMNS, static_cast<int>(tiles), splits};
    return add_partial_sums(room.sums, args, tiles, splits, parts, epilogue, stream);
}

template <int ROWS, bool ALIGNED>
using few_rows_config_of = std::conditional_t < ASSAY_DTYPE_F32,
      few_rows_config<ROWS, ALIGNED>, few_rows_tensor_config<ROWS<8 ? 8 : ROWS, ALIGNED>>;

template <int ROWS, class Epilogue>
static assay_status few_rows_aligned_or_not(const matmul_args *args, const matmul_shape &s,
                                            const Epilogue &epilogue, assay_stream stream)
{
    constexpr int VECTOR = 16 / sizeof(scalar_t);
    return s.n % VECTOR == 0 && s.ldb % VECTOR == 0
               ? few_rows_launch<few_rows_config_of<ROWS, true>>(args, s, epilogue, stream)
               : few_rows_launch<few_rows_config_of<ROWS, false>>(args, s, epilogue, stream);
}

// M of at most 8, or of 32 with rows of b that are not aligned, and b not transposed (then see few_columns.cuh).
template <class Epilogue>
static assay_status few_rows_run(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                 assay_stream stream)
{
#if !ASSAY_DTYPE_F32
    if (args->m > 8)
        return few_rows_launch<few_rows_tensor_config<32, false>>(args, s, epilogue, stream);
#endif
    return args->m == 1   ? few_rows_aligned_or_not<1>(args, s, epilogue, stream)
           : args->m <= 4 ? few_rows_aligned_or_not<4>(args, s, epilogue, stream)
                          : few_rows_aligned_or_not<8>(args, s, epilogue, stream);
}

#endif

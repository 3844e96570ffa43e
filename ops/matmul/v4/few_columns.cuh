// A matrix by a few columns (N up to 8), every dtype: a is streamed once, straight to registers. And a few rows by
// a transposed matrix, which is the same with the operands exchanged and c transposed (FEW_ROWS).
//
// The mirror image of few_rows.cuh. Rows of a lie along k, so a lane loads 16 bytes of k of ROWS rows, and the
// same k of all columns of b, which is 16 N neighbouring bytes if there are as many columns as the kernel has
// sums for, or 16 bytes of each column of a transposed b; they come from the L1 and L2 caches, ROWS times less
// often than if each row had its own. A warp's lanes add their sums by shuffles.
//   k_warps  as many warps of a block share the k of one group of ROWS rows: 1, or up to 8 where there are too few
//            rows for two blocks a multiprocessor and k is long enough;
//   grid     where that is not enough, blocks split k too (partial_sums.cuh).
// Rows of a that are not aligned to 16 bytes are loaded by element, 32 neighbours a warp. f16 and bf16 go through tensor
// cores (few_columns_tensor.cuh): FFMA and conversions would take longer than memory.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_CUH

#include "../factor.cuh"
#include "few_columns_tensor.cuh"
#include "partial_sums.cuh"
#include <type_traits>

template <int COLUMN_COUNT, bool ALIGNED_ROWS, few_columns_kind KIND>
struct few_columns_config {
    static constexpr bool ALONG_K = KIND != FEW_COLUMNS; // a column of b lies along k
    static constexpr bool TRANSPOSE_C = KIND == FEW_ROWS;
    static constexpr int COLUMNS = COLUMN_COUNT, ROWS = 4;
    static constexpr bool TENSOR = false;
    static constexpr int VECTOR = ALIGNED_ROWS ? 16 / sizeof(scalar_t) : 1; // elements of a load of a
    static constexpr int K_STEP = 32 * VECTOR, ROUNDS = 4; // of k for a warp at once; at least so often
    static constexpr int THREADS = 256, WARPS = THREADS / 32;
    static constexpr int TILE_M = ROWS * WARPS, TILE_N = COLUMNS < 4 ? 4 : COLUMNS;
    static_assert(TILE_M * TILE_N / 4 <= THREADS, "four sums a thread at the end");
};

// b[k + i][j] for VECTOR of k; zeros beyond the edges.
template <class C>
__device__ __forceinline__ void few_columns_load_b(float (&to)[C::VECTOR][C::COLUMNS], const scalar_t *b,
                                                   const matmul_shape &s, int k)
{
    const scalar_t *from = b + k * s.ldb;
    if constexpr (C::ALONG_K) {
#pragma unroll
        for (int j = 0; j < C::COLUMNS; j++) { // a column beyond the last is not stored
            const assay::vec<scalar_t, C::VECTOR> part =
                assay::load_vec<C::VECTOR>(b + ((j < s.n ? j : s.n - 1) * s.ldb + k));
#pragma unroll
            for (int i = 0; i < C::VECTOR; i++)
                to[i][j] = assay::to_float(as_factor(part[i]));
        }
    } else if (C::VECTOR > 1 && s.n == C::COLUMNS && s.ldb == C::COLUMNS) {
#pragma unroll
        for (int v = 0; v < C::COLUMNS; v++) {
            const assay::vec<scalar_t, C::VECTOR> part = assay::load_vec<C::VECTOR>(from + v * C::VECTOR);
#pragma unroll
            for (int e = 0; e < C::VECTOR; e++)
                to[(v * C::VECTOR + e) / C::COLUMNS][(v * C::VECTOR + e) % C::COLUMNS] =
                    assay::to_float(as_factor(part[e]));
        }
    } else {
#pragma unroll
        for (int i = 0; i < C::VECTOR; i++)
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++)
                to[i][j] = j < s.n ? assay::to_float(as_factor(from[i * s.ldb + j])) : 0.0f;
    }
}

// Add the products of VECTOR of k. A row beyond the last is not stored, so the last one serves for it.
template <class C>
__device__ __forceinline__ void few_columns_multiply(float (&sums)[C::ROWS][C::COLUMNS], const scalar_t *a,
                                                     const scalar_t *b, const matmul_shape &s, int row, int k)
{
    assay::vec<scalar_t, C::VECTOR> rows[C::ROWS];
#pragma unroll
    for (int r = 0; r < C::ROWS; r++)
        rows[r] = assay::load_vec<C::VECTOR>(
            a + (static_cast<int64_t>(row + r < s.m ? row + r : s.m - 1) * s.lda + k));
    float columns[C::VECTOR][C::COLUMNS];
    few_columns_load_b<C>(columns, b, s, k);
#pragma unroll
    for (int i = 0; i < C::VECTOR; i++)
#pragma unroll
        for (int r = 0; r < C::ROWS; r++) {
            const float factor = assay::to_float(as_factor(rows[r][i]));
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++)
                sums[r][j] = fmaf(factor, columns[i][j], sums[r][j]);
        }
}

// A warp's ROWS x TILE_N sums, of `row` on, over every `step`-th K_STEP of k from `from` to `end`.
template <class C>
__device__ __forceinline__ void few_columns_sums(float *to, const scalar_t *a, const scalar_t *b,
                                                 const matmul_shape &s, int row, int from, int end, int step)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float sums[C::ROWS][C::COLUMNS] = {};
    for (int k = from + lane * C::VECTOR; k < end; k += step)
        few_columns_multiply<C>(sums, a, b, s, row, k);
#pragma unroll
    for (int r = 0; r < C::ROWS; r++)
#pragma unroll
        for (int j = 0; j < C::TILE_N; j++) {
            float sum = j < C::COLUMNS ? sums[r][j % C::COLUMNS] : 0.0f;
#pragma unroll
            for (int other = 16; j < C::COLUMNS && other > 0; other /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, other);
            if (lane == 0)
                to[r * C::TILE_N + j] = sum;
        }
}

// Four neighbours of a row of c in a block's tile of `rows` rows: row and column of the first in c, from the tile's
// on. `element`: its number in the tile as it lies in c.
struct few_columns_four {
    int m, n;
};
template <class C>
__device__ __forceinline__ few_columns_four few_columns_place(int element, int rows)
{
    if constexpr (C::TRANSPOSE_C)
        return {element / rows, element % rows};
    else
        return {element / C::TILE_N, element % C::TILE_N};
}

// Add the sums of the k_warps warps that have them. `all`: each warp's ROWS x TILE_N sums.
template <class C>
__device__ __forceinline__ void few_columns_add(float (&total)[4], const float *all, few_columns_four at,
                                                int k_warps)
{
    const int row = C::TRANSPOSE_C ? at.n : at.m, column = C::TRANSPOSE_C ? at.m : at.n;
    constexpr int NEXT = C::TRANSPOSE_C ? C::TILE_N : 1; // four rows, or four columns of the kernel
    for (int w = 0; w < k_warps; w++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            total[j] += all[((row / C::ROWS * k_warps + w) * C::ROWS + row % C::ROWS) * C::TILE_N + column +
                            j * NEXT];
}

// Block (x, y, z) has rows from x * rows of a block on and `chunk` of k from y * chunk on of product z.
template <class C, class Epilogue>
static __global__ void __launch_bounds__(C::THREADS)
    matmul_few_columns(const scalar_t *a, const scalar_t *b, scalar_t *c, float *partial,
                       const matmul_shape s, int k_warps, int chunk, const Epilogue epilogue)
{
    __shared__ assay::vec<float, 4> shared[C::TILE_M * C::TILE_N / 4];
    float *const all = &shared[0][0]; // each warp's ROWS x TILE_N sums
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    take_product_of<C::ALONG_K>(a, b, s);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int rows = C::TILE_M / k_warps, first = static_cast<int>(blockIdx.x) * rows;
    const int row = first + warp / k_warps * C::ROWS;
    const int begin = static_cast<int>(blockIdx.y) * chunk, end = s.k - begin < chunk ? s.k : begin + chunk;
    float *const mine = all + warp * C::ROWS * C::TILE_N;
    const int from = begin + warp % k_warps * C::K_STEP;
    if constexpr (C::TENSOR)
        few_columns_tensor_sums<C>(mine, a, b, s, row, from, end, k_warps * C::K_STEP);
    else
        few_columns_sums<C>(mine, a, b, s, row, from, end, k_warps * C::K_STEP);
    __syncthreads();

    const int element = static_cast<int>(threadIdx.x) * 4;
    if (element >= rows * C::TILE_N)
        return;
    const few_columns_four at = few_columns_place<C>(element, rows);
    const int m = C::TRANSPOSE_C ? at.m : first + at.m, n = C::TRANSPOSE_C ? first + at.n : at.n;
    const int rows_of_c = C::TRANSPOSE_C ? s.n : s.m, columns_of_c = C::TRANSPOSE_C ? s.m : s.n;
    float total[4] = {};
    few_columns_add<C>(total, all, at, k_warps);
    if (gridDim.y > 1)
        assay::store_vec(slot_of_block(partial, rows * C::TILE_N) + element,
                         assay::vec<float, 4>{{total[0], total[1], total[2], total[3]}});
    else if (m < rows_of_c && n < columns_of_c)
        partial_store(product_of(c, s.m, s.n), total, m, n, columns_of_c, epilogue);
}

// `s`: as the kernel sees it.
template <class C, class Epilogue>
static assay_status few_columns_launch(const matmul_args *args, const matmul_shape &s,
                                       const Epilogue &epilogue, assay_stream stream)
{
    const int64_t wanted = 2 * assay::multiprocessor_count();
    const int64_t rows_of_a = s.m;
    const bool shared_k = (rows_of_a + C::TILE_M - 1) / C::TILE_M * args->batch < wanted;
    int k_warps = shared_k ? C::WARPS : 1;
    while (k_warps > 1 && k_warps / 2 * C::K_STEP >= args->k)
        k_warps /= 2; // the others would have no k
    const int rows = C::TILE_M / k_warps;
    const int64_t tiles = (rows_of_a + rows - 1) / rows, pass = C::ROUNDS * k_warps * C::K_STEP;
    const int64_t passes = (args->k + pass - 1) / pass;
    const partial_room room = partial_sums_of(args);
    const int64_t slots = room.floats / (rows * C::TILE_N) / (tiles * args->batch);
    const int64_t parts =
        shared_k ? count_splits(tiles * args->batch, wanted, slots < passes ? slots : passes) : 1;
    const int64_t chunk = (passes + parts - 1) / parts * pass;
    const int splits = chunk > 0 ? static_cast<int>((args->k + chunk - 1) / chunk) : 1;
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    const assay_status status = assay::launch(
        matmul_few_columns<C, Epilogue>,
        dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(splits), static_cast<unsigned>(args->batch)),
        dim3(C::THREADS), 0, stream, C::TRANSPOSE_C ? b : a, C::TRANSPOSE_C ? a : b,
        static_cast<scalar_t *>(args->c), room.sums, s, k_warps, static_cast<int>(chunk), epilogue);
    if (status != ASSAY_OK || splits == 1)
        return status;
    if constexpr (C::TRANSPOSE_C)
        return add_partial_sums(room.sums, args, tiles, splits,
                                partial_grid{C::TILE_N, C::ROWS, static_cast<int>(tiles), splits}, epilogue,
                                stream);
    else
        return add_partial_sums(room.sums, args, tiles, splits, partial_grid{C::ROWS, C::TILE_N, 1, splits},
                                epilogue, stream);
}

template <few_columns_kind KIND, int COLUMNS, class Epilogue>
static assay_status few_columns_aligned_or_not(const matmul_args *args, const matmul_shape &s,
                                               const Epilogue &epilogue, assay_stream stream)
{
    constexpr bool TENSOR = !ASSAY_DTYPE_F32;
    constexpr int VECTOR = 16 / sizeof(scalar_t);
    using other = std::conditional_t<TENSOR, few_columns_tensor_config<KIND, false>,
                                     few_columns_config<COLUMNS, false, KIND>>;
    // Several rows past aligned ones of a transposed b take tiles there (few_rows_pay), so they need no kernel.
    using of_many = std::conditional_t<KIND == FEW_ROWS, other, few_columns_tensor_config<KIND, true>>;
    using aligned =
        std::conditional_t<TENSOR && (COLUMNS > 1), of_many, few_columns_config<COLUMNS, true, KIND>>;
    return s.k % VECTOR == 0 && s.lda % VECTOR == 0 && (KIND == FEW_COLUMNS || s.ldb % VECTOR == 0)
               ? few_columns_launch<aligned>(args, s, epilogue, stream)
               : few_columns_launch<other>(args, s, epilogue, stream);
}

template <few_columns_kind KIND, class Epilogue>
static assay_status few_columns_by_count(const matmul_args *args, const matmul_shape &s,
                                         const Epilogue &epilogue, assay_stream stream)
{
    return s.n == 1   ? few_columns_aligned_or_not<KIND, 1>(args, s, epilogue, stream)
           : s.n <= 4 ? few_columns_aligned_or_not<KIND, 4>(args, s, epilogue, stream)
                      : few_columns_aligned_or_not<KIND, 8>(args, s, epilogue, stream);
}

// N of at most 8.
template <class Epilogue>
static assay_status few_columns_run(const matmul_args *args, const matmul_shape &s, const Epilogue &epilogue,
                                    assay_stream stream)
{
    return args->transpose_b ? few_columns_by_count<FEW_TRANSPOSED_COLUMNS>(args, s, epilogue, stream)
                             : few_columns_by_count<FEW_COLUMNS>(args, s, epilogue, stream);
}

// M of at most 8, and a transposed b.
template <class Epilogue>
static assay_status few_rows_by_columns_run(const matmul_args *args, const matmul_shape &s,
                                            const Epilogue &epilogue, assay_stream stream)
{
    return few_columns_by_count<FEW_ROWS>(args, {s.n, s.m, s.k, s.ldb, s.lda}, epilogue, stream);
}

#endif

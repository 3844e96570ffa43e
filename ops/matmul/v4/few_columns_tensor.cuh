// The sums of few_columns.cuh in f16 and bf16 by mma.sync.
//
// The 8 columns are the n of an m16n8k16. The order of k inside a sum is free as long as a and b agree, so lane (g, t)
// takes k = 8t..8t+7 of rows g and g + 8 of a by 16-byte loads straight to registers, and the same k of column g of b,
// for two products. A warp has 8 such loads of a a lane under way, 4 KB, and 30 instructions for them. Other rows
// than aligned ones: load_eight.cuh.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_TENSOR_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_TENSOR_CUH

#include <assay/kernel.h>
#include "load_eight.cuh"
#include "order.cuh"

enum few_columns_kind {
    FEW_COLUMNS,            // b is k x n
    FEW_TRANSPOSED_COLUMNS, // b is n x k
    FEW_ROWS // for the kernel a is the op's b, n x k, and b is the op's a: rows of c are its columns
};

template <few_columns_kind KIND, bool ALIGNED_ROWS>
struct few_columns_tensor_config {
    static constexpr bool TENSOR = true, ALIGNED = ALIGNED_ROWS;
    static constexpr bool ALONG_K = KIND != FEW_COLUMNS; // a column of b lies along k
    static constexpr bool TRANSPOSE_C = KIND == FEW_ROWS;
    static constexpr int COLUMNS = 8, ROWS = 16;
    static constexpr int LOADS = ALIGNED ? 4 : 2, K_STEP = 32 * LOADS, ROUNDS = 2; // as in few_columns_config
    static constexpr int THREADS = 256, WARPS = THREADS / 32;
    static constexpr int TILE_M = ROWS * WARPS, TILE_N = COLUMNS;
    static_assert(TILE_M * TILE_N / 4 <= THREADS, "four sums a thread at the end");
};

// Eight of k of a column of a b that is k x n, whose rows are `row` elements apart.
__device__ __forceinline__ eight_elements few_columns_load_column(const scalar_t *from, int64_t row, int left)
{
    eight_elements v;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        assay::vec<scalar_t, 2> pair = {};
#pragma unroll
        for (int j = 0; j < 2; j++)
            if (2 * i + j < left)
                pair[j] = from[(2 * i + j) * row];
        memcpy(&v.pairs[i], &pair, 4);
    }
    return v;
}

// Add the products of eight of k of rows g and g + 8 and of column g.
template <class C>
__device__ __forceinline__ void few_columns_multiply_eight(float (&sums)[4], const eight_elements &upper,
                                                           const eight_elements &lower,
                                                           const eight_elements &column)
{
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const uint32_t piece[4] = {upper.pairs[i], lower.pairs[i], upper.pairs[i + 1], lower.pairs[i + 1]},
                       pair[2] = {column.pairs[i], column.pairs[i + 1]};
        assay::mma_m16n8k16<scalar_t>(sums, piece, pair, sums);
    }
}

// A warp's ROWS x TILE_N sums, of `row` on, over every `step`-th K_STEP of k from `from` to `end`.
template <class C>
__device__ __forceinline__ void few_columns_tensor_sums(float *to, const scalar_t *a, const scalar_t *b,
                                                        const matmul_shape &s, int row, int from, int end,
                                                        int step)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const bool column = g < s.n; // the others' sums are not stored
    const scalar_t *rows[2], *end_a = a + ((s.m - 1) * s.lda + s.k), *end_b = b + ((s.n - 1) * s.ldb + s.k);
#pragma unroll
    for (int i = 0; i < 2; i++) // a row beyond the last is not stored
        rows[i] = a + (row + g + 8 * i < s.m ? row + g + 8 * i : s.m - 1) * s.lda;
    float sums[4] = {};
    for (int base = from; base < end; base += step) {
        eight_under_way of_a[C::LOADS][2], of_b[C::LOADS];
        eight_elements columns[C::LOADS];
#pragma unroll
        for (int i = 0; i < C::LOADS; i++) {
            const int k = base + 32 * i + 8 * t, left = end - k;
            of_a[i][0] = load_eight<C::ALIGNED>(rows[0] + k, end_a, left);
            of_a[i][1] = load_eight<C::ALIGNED>(rows[1] + k, end_a, left);
            if constexpr (C::ALONG_K)
                of_b[i] = load_eight<C::ALIGNED>(b + (g * s.ldb + k), end_b, column ? left : 0);
            else
                columns[i] = few_columns_load_column(b + (k * s.ldb + g), s.ldb, column ? left : 0);
        }
#pragma unroll
        for (int i = 0; i < C::LOADS; i++) {
            const int k = base + 32 * i + 8 * t, left = end - k;
            const eight_elements upper = take_eight<C::ALIGNED>(of_a[i][0], rows[0] + k, left),
                                 lower = take_eight<C::ALIGNED>(of_a[i][1], rows[1] + k, left);
            if constexpr (C::ALONG_K)
                columns[i] = take_eight<C::ALIGNED>(of_b[i], b + (g * s.ldb + k), column ? left : 0);
            few_columns_multiply_eight<C>(sums, upper, lower, columns[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        assay::store_vec(to + (g + 8 * i) * C::TILE_N + 2 * t,
                         assay::vec<float, 2>{{sums[2 * i], sums[2 * i + 1]}});
}

#endif

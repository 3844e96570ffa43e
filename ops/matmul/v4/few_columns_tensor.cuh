// The sums of few_columns.cuh in f16 and bf16 by mma.sync, for rows of a that are aligned to 16 bytes.
//
// The 8 columns are the n of an m16n8k16. The order of k inside a sum is free as long as a and b agree, so lane (g, t)
// takes k = 8t..8t+7 of rows g and g + 8 of a by 16-byte loads straight to registers, and the same k of column g of b,
// for two products. A warp has 8 such loads of a a lane under way, 4 KB, and 30 instructions for them.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_TENSOR_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_COLUMNS_TENSOR_CUH

#include <assay/kernel.h>
#include "order.cuh"

enum few_columns_kind {
    FEW_COLUMNS,            // b is k x n
    FEW_TRANSPOSED_COLUMNS, // b is n x k
    FEW_ROWS // for the kernel a is the op's b, n x k, and b is the op's a: rows of c are its columns
};

template <few_columns_kind KIND>
struct few_columns_tensor_config {
    static constexpr bool TENSOR = true;
    static constexpr bool ALONG_K = KIND != FEW_COLUMNS; // a column of b lies along k
    static constexpr bool TRANSPOSE_C = false;
    static constexpr int COLUMNS = 8, ROWS = 16;
    static constexpr int LOADS = 4, K_STEP = 32 * LOADS, ROUNDS = 2; // as in few_columns_config
    static constexpr int THREADS = 256, WARPS = THREADS / 32;
    static constexpr int TILE_M = ROWS * WARPS, TILE_N = COLUMNS;
    static_assert(TILE_M * TILE_N / 4 <= THREADS, "four sums a thread at the end");
};

struct eight_elements {
    uint32_t pairs[4];
};

// k to k + 7 of a row; zeros where not inside.
__device__ __forceinline__ eight_elements few_columns_load_row(const scalar_t *from, bool inside)
{
    assay::vec<uint32_t, 4> v = {};
    if (inside)
        v = assay::load_vec<4>(reinterpret_cast<const uint32_t *>(from));
    return {{v[0], v[1], v[2], v[3]}};
}

// The same of a column of a b that is k x n.
__device__ __forceinline__ eight_elements few_columns_load_column(const scalar_t *from, int columns,
                                                                  bool inside)
{
    eight_elements v;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        assay::vec<scalar_t, 2> pair = {};
#pragma unroll
        for (int j = 0; j < 2; j++)
            if (inside)
                pair[j] = from[(2 * i + j) * columns];
        memcpy(&v.pairs[i], &pair, 4);
    }
    return v;
}

// A warp's ROWS x TILE_N sums, of `row` on, over every `step`-th K_STEP of k from `from` to `end`.
template <class C>
__device__ __forceinline__ void few_columns_tensor_sums(float *to, const scalar_t *a, const scalar_t *b,
                                                        const matmul_shape &s, int row, int from, int end,
                                                        int step)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const bool column = g < s.n; // the others' sums are not stored
    const scalar_t *rows[2];
#pragma unroll
    for (int i = 0; i < 2; i++) // a row beyond the last is not stored
        rows[i] = a + (row + g + 8 * i < s.m ? row + g + 8 * i : s.m - 1) * s.lda;
    float sums[4] = {};
    for (int base = from; base < end; base += step) {
        eight_elements of_a[C::LOADS][2], of_b[C::LOADS];
#pragma unroll
        for (int i = 0; i < C::LOADS; i++) {
            const int k = base + 32 * i + 8 * t;
            of_a[i][0] = few_columns_load_row(rows[0] + k, k < end);
            of_a[i][1] = few_columns_load_row(rows[1] + k, k < end);
            if constexpr (C::ALONG_K)
                of_b[i] = few_columns_load_row(b + (g * s.ldb + k), column && k < end);
            else
                of_b[i] =
                    few_columns_load_column(b + (static_cast<int64_t>(k) * s.n + g), s.n, column && k < end);
        }
#pragma unroll
        for (int i = 0; i < 2 * C::LOADS; i++) {
            const uint32_t *upper = of_a[i / 2][0].pairs + i % 2 * 2,
                           *lower = of_a[i / 2][1].pairs + i % 2 * 2,
                           *of_column = of_b[i / 2].pairs + i % 2 * 2;
            const uint32_t piece[4] = {upper[0], lower[0], upper[1], lower[1]},
                           pair[2] = {of_column[0], of_column[1]};
            assay::mma_m16n8k16<scalar_t>(sums, piece, pair, sums);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        assay::store_vec(to + (g + 8 * i) * C::TILE_N + 2 * t,
                         assay::vec<float, 2>{{sums[2 * i], sums[2 * i + 1]}});
}

#endif

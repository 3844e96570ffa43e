// The sums of few_rows.cuh in f16 and bf16 by mma.sync.
//
// The product is turned around, c^T = b^T a^T: 16 columns of b are the m of an m16n8k16, the rows of a its n. The order
// of k and of the columns is free: lane (g, t) loads columns 8g..8g+7 of rows k = 4t..4t+3 of b, whole 128-byte lines a
// warp, and pairs neighbouring rows in registers. Columns 8g + 2i and 8g + 2i + 1 are rows g and g + 8 of product i.
// More than 8 rows take several n8; that pays where b would have to be packed for tiles.
#ifndef ASSAY_OPS_MATMUL_V4_FEW_ROWS_TENSOR_CUH
#define ASSAY_OPS_MATMUL_V4_FEW_ROWS_TENSOR_CUH

#include <assay/kernel.h>
#include "load_eight.cuh"
#include "order.cuh"

// Members as those of few_rows_config.
template <int ROW_COUNT, bool ALIGNED_ROWS>
struct few_rows_tensor_config {
    static constexpr bool TENSOR = true, ALIGNED = ALIGNED_ROWS; // of b
    static constexpr int ROWS = ROW_COUNT, COLUMNS = 64;
    static constexpr int STEPS = ALIGNED ? 2 : 1; // of 16 of k, whose loads are under way together
    static constexpr int THREADS = 256, WARPS = THREADS / 32, K_PASS = WARPS * STEPS * 16;
    static constexpr int SHARED_BYTES = WARPS * ROWS * COLUMNS * 4;
};

// Four elements from `from` on, of which `left` are inside; zeros for the others. `aligned`: to 8 bytes, all four inside or
// none.
__device__ __forceinline__ assay::vec<uint32_t, 2> few_rows_load_four(const scalar_t *from, int left,
                                                                      bool aligned)
{
    assay::vec<uint32_t, 2> words = {};
    if (aligned && left > 0)
        words = assay::load_vec<2>(reinterpret_cast<const uint32_t *>(from));
    if (!aligned) {
        assay::vec<scalar_t, 4> four = {};
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i < left)
                four[i] = from[i];
        memcpy(&words, &four, 8);
    }
    return words;
}

// Add the products of four rows of b, eight columns of each lane, and as much of k of 8 rows of a.
template <class C>
__device__ __forceinline__ void few_rows_multiply_four(float (&sums)[4][4], const eight_elements (&rows)[4],
                                                       const assay::vec<uint32_t, 2> &of_a)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t piece[4] = {__byte_perm(rows[0].pairs[i], rows[1].pairs[i], 0x5410),
                                   __byte_perm(rows[0].pairs[i], rows[1].pairs[i], 0x7632),
                                   __byte_perm(rows[2].pairs[i], rows[3].pairs[i], 0x5410),
                                   __byte_perm(rows[2].pairs[i], rows[3].pairs[i], 0x7632)},
                       pair[2] = {of_a[0], of_a[1]};
        assay::mma_m16n8k16<scalar_t>(sums[i], piece, pair, sums[i]);
    }
}

// A warp's sums of COLUMNS columns from `column` on, over every K_PASS-th STEPS * 16 of k from `from` to `end`, to
// shared memory: ROWS rows of COLUMNS floats.
template <class C>
__device__ __forceinline__ void few_rows_tensor_sums(float *to, const scalar_t *a, const scalar_t *b,
                                                     const matmul_shape &s, int column, int from, int end)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const bool aligned = s.k % 4 == 0 && s.lda % 4 == 0;
    const int columns_left = s.n - (column + 8 * g);
    const scalar_t *column_b = b + column + 8 * g, *end_b = b + ((s.k - 1) * s.ldb + s.n);
    float sums[C::ROWS / 8][4][4] = {};
    for (int base = from; base < end; base += C::K_PASS) {
        eight_under_way of_b[C::STEPS][4];
        assay::vec<uint32_t, 2> of_a[C::STEPS][C::ROWS / 8];
#pragma unroll
        for (int step = 0; step < C::STEPS; step++) {
            const int k = base + 16 * step + 4 * t;
#pragma unroll
            for (int r = 0; r < 4; r++)
                of_b[step][r] =
                    load_eight<C::ALIGNED>(column_b + (k + r) * s.ldb, end_b, k + r < end ? columns_left : 0);
#pragma unroll
            for (int part = 0; part < C::ROWS / 8; part++) {
                const int row = 8 * part + g;
                of_a[step][part] = few_rows_load_four(a + (row < s.m ? row : 0) * s.lda + k,
                                                      row < s.m ? end - k : 0, aligned);
            }
        }
#pragma unroll
        for (int step = 0; step < C::STEPS; step++) {
            const int k = base + 16 * step + 4 * t;
            eight_elements rows[4];
#pragma unroll
            for (int r = 0; r < 4; r++)
                rows[r] = take_eight<C::ALIGNED>(of_b[step][r], column_b + (k + r) * s.ldb,
                                                 k + r < end ? columns_left : 0);
#pragma unroll
            for (int part = 0; part < C::ROWS / 8; part++)
                few_rows_multiply_four<C>(sums[part], rows, of_a[step][part]);
        }
    }
#pragma unroll
    for (int part = 0; part < C::ROWS / 8; part++)
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const float(&two)[4] = sums[part][i], (&next)[4] = sums[part][i + 1];
                assay::store_vec(to + (8 * part + 2 * t + e) * C::COLUMNS + 8 * g + 2 * i,
                                 assay::vec<float, 4>{{two[e], two[2 + e], next[e], next[2 + e]}});
            }
}

#endif

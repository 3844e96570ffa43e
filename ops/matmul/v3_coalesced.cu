// matmul, step 3: coalesced 16-byte accesses, and nothing else.
//
// A thread computes 16 bytes of neighbouring elements of one row of c: V = 4 of f32, 8 of the 2-byte types.
// The lanes of a warp lie side by side along n, so a warp reads 512 contiguous bytes of a row of b with one
// instruction; a is read along k, 16 bytes at a time, by all lanes from the same address, a broadcast. A
// multiply-add takes (1 + 1/V) / V loads instead of two.
// There is no shared memory: the rows of a block read the same b again and rely on the caches.
// A transposed b gives a thread 16 bytes along k of each of its V columns, which neighbours read far apart; a
// transposed a gives it V elements of V rows.
// Rows that do not start on 16-byte boundaries (k or n not a multiple of V) take the same kernel with
// 1-element accesses.
// Expected effect: several times step 1, more for the 2-byte types; the reads of b through L1 and L2 are the
// limit.
// Tunables: BLOCK_ROWS, rows of c (one warp each) in a block.
#include <assay/kernel.h>
#include "batch.cuh"
#include "factor.cuh"
#include "matmul.h"
#include "strided.cuh"

#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

// V: elements a thread moves at once, and columns of c it computes.
template <int V, class Operands>
static __global__ void __launch_bounds__(32 * BLOCK_ROWS)
    matmul_v3(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n, int64_t k,
              int64_t blocks_n, const operand_strides strides)
{
    constexpr bool TRANSPOSE_A = Operands::TRANSPOSE_A, TRANSPOSE_B = Operands::TRANSPOSE_B;
    const int64_t i = blockIdx.x / blocks_n * BLOCK_ROWS + threadIdx.y;
    const int64_t j = (blockIdx.x % blocks_n * 32 + threadIdx.x) * V;
    if (i >= m || j >= n)
        return;
    const int64_t row_a = Operands::row_a(strides, k), row_b = Operands::row_b(strides, n);
    int64_t row_of_all = i; // of the batch's matrices, one below the other: of a's, and of c's
    if constexpr (!Operands::PLAIN) {
        row_of_all += blockIdx.z * m;
        take_product(a, b, TRANSPOSE_A ? strides.matrix_a : 0, strides.matrix_b);
    }
    float sums[V] = {};
    for (int64_t p = 0; p < k; p += V) { // V divides k and n, or is 1
        const assay::vec<scalar_t, V> row =
            load_row<TRANSPOSE_A, V>(a, TRANSPOSE_A ? i : row_of_all, p, row_a);
        if constexpr (TRANSPOSE_B) {
#pragma unroll
            for (int l = 0; l < V; l++) {
                const assay::vec<scalar_t, V> column = assay::load_vec<V>(b + (j + l) * row_b + p);
#pragma unroll
                for (int q = 0; q < V; q++)
                    sums[l] += assay::to_float(as_factor(row[q])) * assay::to_float(as_factor(column[q]));
            }
        } else {
#pragma unroll
            for (int q = 0; q < V; q++) {
                const assay::vec<scalar_t, V> columns = assay::load_vec<V>(b + (p + q) * row_b + j);
                const float factor = assay::to_float(as_factor(row[q]));
#pragma unroll
                for (int l = 0; l < V; l++)
                    sums[l] += factor * assay::to_float(as_factor(columns[l]));
            }
        }
    }
    assay::vec<scalar_t, V> out;
#pragma unroll
    for (int l = 0; l < V; l++)
        out[l] = assay::from_float<scalar_t>(sums[l]);
    assay::store_vec(c + row_of_all * n + j, out);
}

template <int V>
static assay_status launch(const matmul_args *args, assay_stream stream)
{
    const int64_t blocks_m = (args->m + BLOCK_ROWS - 1) / BLOCK_ROWS,
                  blocks_n = (args->n + 32 * V - 1) / (32 * V);
    if (blocks_m == 0 || blocks_n == 0)
        return ASSAY_OK;
    if (blocks_n > INT32_MAX / blocks_m)
        return ASSAY_ERR_UNSUPPORTED;
    return with_operands(args, [&](auto operands) {
        return assay::launch(
            matmul_v3<V, decltype(operands)>,
            dim3(static_cast<unsigned>(blocks_m * blocks_n), 1, static_cast<unsigned>(args->batch)),
            dim3(32, BLOCK_ROWS), 0, stream, static_cast<const scalar_t *>(args->a),
            static_cast<const scalar_t *>(args->b), static_cast<scalar_t *>(args->c), args->m, args->n,
            args->k, blocks_n, strides_of(args));
    });
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    constexpr int vector = 16 / sizeof(scalar_t);
    const bool aligned = args->n % vector == 0 && args->k % vector == 0 && args->padding_a % vector == 0 &&
                         args->padding_b % vector == 0;
    return for_each_part(args, kMostPlanes, [=](const matmul_args *part) {
        return aligned ? launch<vector>(part, stream) : launch<1>(part, stream);
    });
}

// matmul_bias_act, step 2: tiles in shared memory, and nothing else.
//
// A block of TILE x TILE threads walks along k in steps of TILE; in each step every thread loads one element
// of a and one of b to shared memory as floats, and all threads multiply from there: an element loaded once
// serves TILE threads. The bias is not tiled: each thread needs one element of it once, at the end, and
// neighbours read neighbours. Elements past an edge are zeros, past the end of k in both tiles, so a zero
// never meets an infinity in a sum that is stored.
// Expected effect: as for a plain matmul, two to three times step 1 for f32, less for the 2-byte types.
// Tunables: TILE, the side of the tile in elements.
#include <assay/kernel.h>
#include "../matmul/strided.cuh"
#include "activation.h"

#ifndef TILE
#define TILE 32
#endif

// The element of a rows x columns matrix, 0 outside.
template <bool TRANSPOSED>
static __device__ __forceinline__ float element_or_zero(const void *matrix, int64_t rows, int64_t columns,
                                                        int64_t row, int64_t column)
{
    if (row >= rows || column >= columns)
        return 0.0f;
    return assay::to_float(static_cast<const scalar_t *>(
        matrix)[element_at<TRANSPOSED>(row, column, TRANSPOSED ? rows : columns)]);
}

// A transposed tile is loaded along its rows as they lie and written to shared memory down its columns.
template <bool TRANSPOSE_A, bool TRANSPOSE_B>
static __global__ void __launch_bounds__(TILE *TILE)
    matmul_bias_act_v2(const matmul_bias_act_args p, const activation f, int64_t tiles_n)
{
    __shared__ float of_a[TILE][TILE + TRANSPOSE_A], of_b[TILE][TILE + TRANSPOSE_B];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int64_t i = blockIdx.x / tiles_n * TILE + y, j = blockIdx.x % tiles_n * TILE + x;
    const int row_a = TRANSPOSE_A ? x : y, k_a = TRANSPOSE_A ? y : x;
    const int k_b = TRANSPOSE_B ? x : y, column_b = TRANSPOSE_B ? y : x;
    float sum = 0.0f;
    for (int64_t k = 0; k < p.k; k += TILE) {
        of_a[row_a][k_a] = element_or_zero<TRANSPOSE_A>(p.a, p.m, p.k, i - y + row_a, k + k_a);
        of_b[k_b][column_b] = element_or_zero<TRANSPOSE_B>(p.b, p.k, p.n, k + k_b, j - x + column_b);
        __syncthreads();
#pragma unroll
        for (int q = 0; q < TILE; q++)
            sum += of_a[y][q] * of_b[q][x];
        __syncthreads();
    }
    if (i < p.m && j < p.n) {
        const float biased = sum + assay::to_float(static_cast<const scalar_t *>(p.bias)[j]);
        static_cast<scalar_t *>(p.out)[i * p.n + j] = assay::from_float<scalar_t>(activate(biased, f));
    }
}

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const int64_t tiles_m = (args->m + TILE - 1) / TILE, tiles_n = (args->n + TILE - 1) / TILE;
    if (tiles_m == 0 || tiles_n == 0)
        return ASSAY_OK;
    if (tiles_n > INT32_MAX / tiles_m)
        return ASSAY_ERR_UNSUPPORTED;
    return with_transpositions(args->transpose_a, args->transpose_b, [&](auto a, auto b) {
        return assay::launch(matmul_bias_act_v2<a.VALUE, b.VALUE>,
                             dim3(static_cast<unsigned>(tiles_m * tiles_n)), dim3(TILE, TILE), 0, stream,
                             *args, activation{args->activation, args->negative_slope}, tiles_n);
    });
}

// matmul_bias_act, step 3: coalesced 16-byte accesses, and nothing else.
//
// A thread computes 16 bytes of neighbouring elements of one row of out: 4 of f32, 8 of the 2-byte types. A
// warp reads 512 contiguous bytes of a row of b with one instruction and broadcasts 16 bytes of a; the bias
// is read like b, one vector a thread, once. No shared memory: the rows of a block read the same b again and
// rely on the caches. Rows that do not start on 16-byte boundaries take the same kernel one element at a
// time.
// Expected effect: as for a plain matmul, several times step 1, more for the 2-byte types.
// Tunables: BLOCK_ROWS, rows of out (one warp each) in a block.
#include <assay/kernel.h>
#include "../matmul/strided.cuh"
#include "activation.h"

#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

// V: elements of a vector; it divides k and n, or is 1.
template <int V, bool TRANSPOSE_A, bool TRANSPOSE_B>
static __global__ void __launch_bounds__(32 * BLOCK_ROWS)
    matmul_bias_act_v3(const matmul_bias_act_args p, const activation f, int64_t strips_n)
{
    using vector = assay::vec<scalar_t, V>;
    const int64_t i = blockIdx.x / strips_n * BLOCK_ROWS + threadIdx.y;
    const int64_t j = (blockIdx.x % strips_n * 32 + threadIdx.x) * V;
    if (i >= p.m || j >= p.n)
        return;
    const scalar_t *a = static_cast<const scalar_t *>(p.a), *b = static_cast<const scalar_t *>(p.b);
    float sums[V] = {};
    for (int64_t k = 0; k < p.k; k += V) {
        const vector factors = load_row<TRANSPOSE_A, V>(a, i, k, TRANSPOSE_A ? p.m : p.k);
        if constexpr (TRANSPOSE_B) {
#pragma unroll
            for (int e = 0; e < V; e++) {
                const vector column = assay::load_vec<V>(b + (j + e) * p.k + k);
#pragma unroll
                for (int q = 0; q < V; q++)
                    sums[e] += assay::to_float(factors[q]) * assay::to_float(column[q]);
            }
        } else {
#pragma unroll
            for (int q = 0; q < V; q++) {
                const vector of_b = assay::load_vec<V>(b + (k + q) * p.n + j);
#pragma unroll
                for (int e = 0; e < V; e++)
                    sums[e] += assay::to_float(factors[q]) * assay::to_float(of_b[e]);
            }
        }
    }
    const vector bias = assay::load_vec<V>(static_cast<const scalar_t *>(p.bias) + j);
    vector out;
#pragma unroll
    for (int e = 0; e < V; e++)
        out[e] = assay::from_float<scalar_t>(activate(sums[e] + assay::to_float(bias[e]), f));
    assay::store_vec(static_cast<scalar_t *>(p.out) + i * p.n + j, out);
}

template <int V>
static assay_status launch(const matmul_bias_act_args *args, assay_stream stream)
{
    const int64_t blocks_m = (args->m + BLOCK_ROWS - 1) / BLOCK_ROWS,
                  strips_n = (args->n + 32 * V - 1) / (32 * V);
    if (blocks_m == 0 || strips_n == 0)
        return ASSAY_OK;
    if (strips_n > INT32_MAX / blocks_m)
        return ASSAY_ERR_UNSUPPORTED;
    return with_transpositions(args->transpose_a, args->transpose_b, [&](auto a, auto b) {
        return assay::launch(matmul_bias_act_v3<V, a.VALUE, b.VALUE>,
                             dim3(static_cast<unsigned>(blocks_m * strips_n)), dim3(32, BLOCK_ROWS), 0,
                             stream, *args, activation{args->activation, args->negative_slope}, strips_n);
    });
}

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    constexpr int vector = 16 / sizeof(scalar_t);
    return args->n % vector == 0 && args->k % vector == 0 ? launch<vector>(args, stream)
                                                          : launch<1>(args, stream);
}

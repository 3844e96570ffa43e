// matmul_bias_act, step 1: one thread an element, bias and activation fused.
//
// The direct translation of the formula: a thread walks along its row of a and its column of b, adds the bias
// to the sum while it is still in a register, applies the activation and rounds once. The fusion is there
// from the first step on: an op that wrote the sum and read it again would be two kernels. Nothing is shared
// between threads, so every multiply-add takes two loads, and K of them hide bias and activation.
// Expected effect: the time of a plain matmul by the same method (../matmul/v1_baseline.cu), at every size.
// Tunables: none.
#include <assay/kernel.h>
#include "../matmul/strided.cuh"
#include "activation.h"

static constexpr int kSide = 16; // of the patch of out that a block covers

template <bool TRANSPOSE_A, bool TRANSPOSE_B>
static __global__ void matmul_bias_act_v1(const matmul_bias_act_args p, const activation f, int64_t patches_n)
{
    const int64_t i = blockIdx.x / patches_n * kSide + threadIdx.y;
    const int64_t j = blockIdx.x % patches_n * kSide + threadIdx.x;
    if (i >= p.m || j >= p.n)
        return;
    const scalar_t *a = static_cast<const scalar_t *>(p.a), *b = static_cast<const scalar_t *>(p.b);
    float sum = 0.0f;
    for (int64_t k = 0; k < p.k; k++)
        sum += assay::to_float(a[element_at<TRANSPOSE_A>(i, k, TRANSPOSE_A ? p.m : p.k)]) *
               assay::to_float(b[element_at<TRANSPOSE_B>(k, j, TRANSPOSE_B ? p.k : p.n)]);
    const float biased = sum + assay::to_float(static_cast<const scalar_t *>(p.bias)[j]);
    static_cast<scalar_t *>(p.out)[i * p.n + j] = assay::from_float<scalar_t>(activate(biased, f));
}

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const int64_t patches_m = (args->m + kSide - 1) / kSide, patches_n = (args->n + kSide - 1) / kSide;
    if (patches_m == 0 || patches_n == 0)
        return ASSAY_OK;
    if (patches_n > INT32_MAX / patches_m) // a grid's first dimension ends there; the others end at 65535
        return ASSAY_ERR_UNSUPPORTED;
    return with_transpositions(args->transpose_a, args->transpose_b, [&](auto a, auto b) {
        return assay::launch(matmul_bias_act_v1<a.VALUE, b.VALUE>,
                             dim3(static_cast<unsigned>(patches_m * patches_n)), dim3(kSide, kSide), 0,
                             stream, *args, activation{args->activation, args->negative_slope}, patches_n);
    });
}

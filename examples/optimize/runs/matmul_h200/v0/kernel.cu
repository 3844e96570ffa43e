// matmul, step 1: one thread for each element of c.
//
// The direct translation of the formula: a thread walks along its row of a and its column of b and keeps the
// sum in a register. Every multiply-add takes two loads, most of them from the caches, so the load units set
// the pace and not the arithmetic. A block covers 16 x 16 elements, so that its threads share a few rows of a
// and columns of b. A transposed operand is the same walk with other strides.
// Expected effect: a few percent of the arithmetic peak, the same for every dtype, as no tensor core is used.
// Tunables: none.
#include <assay/kernel.h>
#include "batch.cuh"
#include "factor.cuh"
#include "matmul.h"
#include "strided.cuh"

static constexpr int kBlock = 16;

template <class Operands>
static __global__ void matmul_v1(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                 int64_t k, int64_t blocks_n, const operand_strides strides)
{
    const int64_t i = blockIdx.x / blocks_n * kBlock + threadIdx.y;
    const int64_t j = blockIdx.x % blocks_n * kBlock + threadIdx.x;
    if (i >= m || j >= n)
        return;
    const int64_t row_a = Operands::row_a(strides, k), row_b = Operands::row_b(strides, n);
    if constexpr (!Operands::PLAIN) {
        take_product(a, b, strides.matrix_a, strides.matrix_b);
        c = product_of(c, m, n);
    }
    float sum = 0.0f;
    for (int64_t p = 0; p < k; p++)
        sum += assay::to_float(as_factor(a[element_at<Operands::TRANSPOSE_A>(i, p, row_a)])) *
               assay::to_float(as_factor(b[element_at<Operands::TRANSPOSE_B>(p, j, row_b)]));
    c[i * n + j] = assay::from_float<scalar_t>(sum);
}

static assay_status launch(const matmul_args *args, assay_stream stream)
{
    const int64_t blocks_m = (args->m + kBlock - 1) / kBlock, blocks_n = (args->n + kBlock - 1) / kBlock;
    if (blocks_m == 0 || blocks_n == 0)
        return ASSAY_OK;
    if (blocks_n > INT32_MAX / blocks_m) // a grid's first dimension ends there; the others end at 65535
        return ASSAY_ERR_UNSUPPORTED;
    return with_operands(args, [&](auto operands) {
        return assay::launch(
            matmul_v1<decltype(operands)>,
            dim3(static_cast<unsigned>(blocks_m * blocks_n), 1, static_cast<unsigned>(args->batch)),
            dim3(kBlock, kBlock), 0, stream, static_cast<const scalar_t *>(args->a),
            static_cast<const scalar_t *>(args->b), static_cast<scalar_t *>(args->c), args->m, args->n,
            args->k, blocks_n, strides_of(args));
    });
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, kMostPlanes, [=](const matmul_args *part) { return launch(part, stream); });
}

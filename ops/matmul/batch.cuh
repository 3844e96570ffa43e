// The products of a batch, for steps 1 to 3d: as many as a launch takes at once, each with a plane of blocks, or one
// launch after the other.
#ifndef ASSAY_OPS_MATMUL_BATCH_CUH
#define ASSAY_OPS_MATMUL_BATCH_CUH

#include <assay/kernel.h>
#include "matmul.h"
#include "strided.cuh"

static constexpr int64_t kMostPlanes = 65535; // of a grid

// Elements from one row to the next of a and of b, as they lie, and from one product's matrix to the next one's.
struct operand_strides {
    int64_t row_a, row_b, matrix_a, matrix_b;
};
static inline operand_strides strides_of(const matmul_args *args)
{
    return {matmul_row_a(args), matmul_row_b(args), matmul_matrix_a(args), matmul_matrix_b(args)};
}

// From the first product of the launch to the block's own. The strides are arguments of the launch, since each product
// of two sizes that a kernel computes takes registers from its loop. c's is asked for at the end: its address would be
// kept in registers all the while.
__device__ __forceinline__ void take_product(const scalar_t *&a, const scalar_t *&b, int64_t matrix_a,
                                             int64_t matrix_b)
{
    a += blockIdx.z * matrix_a, b += blockIdx.z * matrix_b;
}
__device__ __forceinline__ scalar_t *product_of(scalar_t *c, int64_t m, int64_t n)
{
    return c + blockIdx.z * m * n;
}

// How the operands of a launch lie, known when a kernel is compiled. PLAIN: one product, whose operands are neither
// transposed nor views. Such a kernel reads no strides; the addresses that a batch moves would take registers, and with
// them the compiler starts fewer loads ahead of the multiply-adds.
template <bool A, bool B, bool ALONE>
struct operands {
    static constexpr bool TRANSPOSE_A = A, TRANSPOSE_B = B, PLAIN = ALONE;
    static_assert(!ALONE || (!A && !B), "plain operands are not transposed");

    __device__ static __forceinline__ int64_t row_a(const operand_strides &strides, int64_t k)
    {
        return PLAIN ? k : strides.row_a;
    }
    __device__ static __forceinline__ int64_t row_b(const operand_strides &strides, int64_t n)
    {
        return PLAIN ? n : strides.row_b;
    }
};

// Call `launch` with the args' operands<>.
template <class Launch>
static assay_status with_operands(const matmul_args *args, const Launch &launch)
{
    if (args->batch == 1 && !args->transpose_a && !args->transpose_b && args->padding_a == 0 &&
        args->padding_b == 0)
        return launch(operands<false, false, true>{});
    return with_transpositions(args->transpose_a, args->transpose_b,
                               [&](auto a, auto b) { return launch(operands<a.VALUE, b.VALUE, false>{}); });
}

// launch(part) for parts of up to `most` products, until one fails.
template <class Launch>
static assay_status for_each_part(const matmul_args *args, int64_t most, const Launch &launch)
{
    assay_status status = ASSAY_OK;
    for (int64_t first = 0; first < args->batch && status == ASSAY_OK; first += most) {
        const int64_t rest = args->batch - first;
        const matmul_args part = matmul_part(args, first, rest < most ? rest : most, sizeof(scalar_t));
        status = launch(&part);
    }
    return status;
}

#endif

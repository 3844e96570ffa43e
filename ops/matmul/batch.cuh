// The products of a batch, for steps 1 to 3d: as many as a launch takes at once, each with a plane of blocks, or one
// launch after the other.
#ifndef ASSAY_OPS_MATMUL_BATCH_CUH
#define ASSAY_OPS_MATMUL_BATCH_CUH

#include <assay/kernel.h>
#include "matmul.h"

static constexpr int64_t kMostPlanes = 65535; // of a grid

// From the first product of the launch to the block's own. c's is asked for at the end: its address would be kept in
// registers all the while.
template <bool TRANSPOSE_A, bool TRANSPOSE_B>
__device__ __forceinline__ void take_product(const scalar_t *&a, const scalar_t *&b, int64_t m, int64_t n,
                                             int64_t k, int64_t row_a, int64_t row_b)
{
    const int64_t product = blockIdx.z;
    a += product * (TRANSPOSE_A ? k : m) * row_a, b += product * (TRANSPOSE_B ? n : k) * row_b;
}
__device__ __forceinline__ scalar_t *product_of(scalar_t *c, int64_t m, int64_t n)
{
    return c + blockIdx.z * m * n;
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

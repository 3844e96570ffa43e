// Wrong: computes the upper triangle and mirrors it, as for a product with its own transpose.
#include <assay/kernel.h>
#include "matmul.h"

static __global__ void matmul_kernel(matmul_args args)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= args.m * args.n)
        return;
    const int64_t i = at / args.n, j = at % args.n, row = i > j && i < args.n && j < args.m ? j : i,
                  column = row == j && row != i ? i : j;
    double sum = 0.0;
    for (int64_t l = 0; l < args.k; l++)
        sum += (double)assay::to_float(((const scalar_t *)args.a)[row * args.k + l]) *
               (double)assay::to_float(((const scalar_t *)args.b)[l * args.n + column]);
    ((scalar_t *)args.c)[at] = assay::from_float<scalar_t>((float)sum);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m * args->n == 0)
        return ASSAY_OK;
    return assay::launch(matmul_kernel, dim3((unsigned)((args->m * args->n + 127) / 128)), dim3(128), 0,
                         stream, *args);
}

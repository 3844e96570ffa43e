// Wrong: leaves the last 32 terms out where k is an odd multiple of 32.
#include <assay/kernel.h>
#include "matmul.h"

static __global__ void matmul_kernel(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                     int64_t k)
{
    const int64_t row = (int64_t)blockIdx.y * 16 + threadIdx.y,
                  column = (int64_t)blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    const int64_t terms = k % 64 == 32 ? k - 32 : k;
    double sum = 0.0;
    for (int64_t i = 0; i < terms; i++)
        sum += (double)assay::to_float(a[row * k + i]) * (double)assay::to_float(b[i * n + column]);
    c[row * n + column] = assay::from_float<scalar_t>((float)sum);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    return assay::launch(matmul_kernel,
                         dim3((unsigned)((args->n + 15) / 16), (unsigned)((args->m + 15) / 16)), dim3(16, 16),
                         0, stream, (const scalar_t *)args->a, (const scalar_t *)args->b, (scalar_t *)args->c,
                         args->m, args->n, args->k);
}

// Sums of rows by one thread each, for kernels that are wrong in one place: ADD(sum, v), LENGTH(n), STORE(out, sum).
#include <assay/kernel.h>
#include "reduce_sum.h"

#ifndef ADD
#define ADD(sum, v) (sum) + (v)
#endif
#ifndef LENGTH
#define LENGTH(n) (n)
#endif
#ifndef STORE
#define STORE(out, sum) (out) = assay::from_float<scalar_t>((float)(sum))
#endif

static __global__ void sum_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                  int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    double sum = 0.0;
    for (int64_t j = 0; j < LENGTH(length); j++)
        sum = ADD(sum, (double)assay::to_float(x[first + j * inner]));
    STORE(out[row], sum);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    return assay::launch(sum_kernel, dim3((unsigned)((rows + 31) / 32)), dim3(32), 0, stream,
                         (const scalar_t *)args->x, (scalar_t *)args->out, rows, args->length, args->inner);
}

// Wrong: one running sum over a row of any length. Once it has outgrown the elements, each of them is rounded to its last place, and
// elements of a kind always in the same direction.
#include <assay/kernel.h>
#include "reduce_sum.h"

enum { THREADS = 128 };

static __global__ void reduce_sum_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                         int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows)
        return;
    x += row / inner * length * inner + row % inner;
    float sum = 0.0f;
    for (int64_t i = 0; i < length; i++)
        sum += assay::to_float(x[i * inner]);
    out[row] = assay::from_float<scalar_t>(sum);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    return assay::launch(reduce_sum_kernel, dim3((unsigned)((rows + THREADS - 1) / THREADS)), dim3(THREADS),
                         0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), rows, args->length, args->inner);
}

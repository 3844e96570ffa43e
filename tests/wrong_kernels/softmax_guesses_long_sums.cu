// Wrong: in rows of more than 80000 the sum is taken for length * sqrt(e), its mean for normal inputs.
#include <assay/kernel.h>
#include "softmax.h"

static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                      int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    const bool guess = length > 80000;
    float max = -INFINITY;
    double sum = 0.0;
    for (int64_t i = 0; i < length; i++)
        max = fmaxf(max, assay::to_float(x[first + i * inner]));
    for (int64_t i = 0; i < length && !guess; i++)
        sum += (double)expf(assay::to_float(x[first + i * inner]) - max);
    if (guess)
        sum = 1.6487212707 * (double)length * exp(-(double)max);
    for (int64_t i = 0; i < length; i++)
        out[first + i * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + i * inner]) - max) / (float)sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)((rows + 127) / 128)), dim3(128), 0, stream,
                         (const scalar_t *)args->x, (scalar_t *)args->out, rows, args->length, args->inner);
}

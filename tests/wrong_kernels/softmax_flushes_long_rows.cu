// Wrong: writes 0 for results under 1e-5 in rows of more than 65536 elements, where most results are of that size.
#include <assay/kernel.h>
#include "softmax.h"
static __global__ void k(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    float max = -INFINITY, sum = 0.0f;
    for (int64_t i = 0; i < length; i++)
        max = fmaxf(max, assay::to_float(x[first + i * inner]));
    const int64_t end = length;
    for (int64_t i = 0; i < end; i++)
        sum += expf(assay::to_float(x[first + i * inner]) - max);
    for (int64_t i = 0; i < length; i++) {
        float p = expf(assay::to_float(x[first + i * inner]) - max) / sum;
        if (length > 65536 && p < 1e-5f)
            p = 0.0f;
        out[first + i * inner] = assay::from_float<scalar_t>(p);
    }
}
extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(k, dim3((unsigned)((rows + 127) / 128)), dim3(128), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner);
}

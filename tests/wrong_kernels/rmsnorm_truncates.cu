// Wrong: 16-bit results are cut off, not rounded.
#include <assay/kernel.h>
#include "rmsnorm.h"
#include "truncate.h"

static __global__ void rmsnorm_kernel(const scalar_t *x, const scalar_t *weight, scalar_t *out, int64_t rows,
                                      int64_t length, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * length;
    out += row * length;
    double squares = 0.0;
    for (int64_t i = 0; i < length; i++)
        squares += (double)assay::to_float(x[i]) * (double)assay::to_float(x[i]);
    const float factor = (float)(1.0 / sqrt(squares / (double)length + (double)eps));
    for (int64_t i = 0; i < length; i++)
        out[i] = truncate(assay::to_float(x[i]) * factor * assay::to_float(weight[i]));
}

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(rmsnorm_kernel, dim3((unsigned)((args->rows + 127) / 128)), dim3(128), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<scalar_t *>(args->out), args->rows, args->length, (float)args->eps);
}

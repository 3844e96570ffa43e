// add with an injected mistake for initcheck: the output is read before anybody wrote it. What was read does not reach the result.
#include <assay/kernel.h>
#include "add.h"

static __global__ void reads_output(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                    float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float before = assay::to_float(out[i]);
    const float sum = assay::to_float(x[i]) + alpha * assay::to_float(y[i]);
    out[i] = assay::from_float<scalar_t>(before == 1234.5f ? sum + 1.0f : sum);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(reads_output, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

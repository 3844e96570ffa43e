// Wrong: results below 1e-6 are 0, the tail for negative x and the neighbourhood of 0.
#include <assay/kernel.h>
#include "gelu.h"

static __global__ void gelu_kernel(const scalar_t *x, scalar_t *out, int64_t count, int exact)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float v = assay::to_float(x[i]);
    const float phi = exact ? erff(v * 0.70710678f) : tanhf(0.79788456f * (v + 0.044715f * v * v * v));
    const float result = 0.5f * v * (1.0f + phi);
    out[i] = assay::from_float<scalar_t>(fabsf(result) < 0.9e-6f ? 0.0f : result);
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (!args->count)
        return ASSAY_OK;
    return assay::launch(gelu_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         (const scalar_t *)args->x, (scalar_t *)args->out, args->count, (int)args->exact);
}

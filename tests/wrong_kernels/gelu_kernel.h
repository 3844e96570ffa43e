// gelu with one thread an element, for kernels that are wrong in one place: GELU(v, exact).
#include <assay/kernel.h>
#include "gelu.h"

static __device__ inline float gelu_rightly(float v, bool exact)
{
    return exact ? 0.5f * v * (1.0f + erff(v * 0.70710678f))
                 : 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

static __global__ void gelu_kernel(const scalar_t *x, scalar_t *out, int64_t count, bool exact)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const float v = assay::to_float(x[i]);
        out[i] = assay::from_float<scalar_t>(GELU(v, exact));
    }
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (!args->count)
        return ASSAY_OK;
    return assay::launch(gelu_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         (const scalar_t *)args->x, (scalar_t *)args->out, args->count, args->exact != 0);
}

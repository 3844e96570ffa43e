// Wrong: 0 where 8 < |x| < 10000, which normal numbers do not reach.
#include "add_rightly.h"

static __global__ void gap_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float magnitude = fabsf(assay::to_float(x[i]));
    out[i] =
        magnitude > 8.0f && magnitude < 1e4f ? assay::from_float<scalar_t>(0.0f) : sum1(x[i], y[i], alpha);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (!args->count)
        return ASSAY_OK;
    return assay::launch(gap_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         (const scalar_t *)args->x, (const scalar_t *)args->y, (scalar_t *)args->out,
                         args->count, (float)args->alpha);
}

// Wrong: two threads write each element, one of them the value without y; the later one counts.
#include <assay/kernel.h>
#include "add.h"

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 2;
    if (i < count)
        out[i] = threadIdx.x % 2 == 0
                     ? x[i]
                     : assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (!args->count)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((2 * args->count + 255) / 256)), dim3(256), 0, stream,
                         (const scalar_t *)args->x, (const scalar_t *)args->y, (scalar_t *)args->out,
                         args->count, (float)args->alpha);
}

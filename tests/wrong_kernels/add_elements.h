// add with one thread an element, for kernels that are wrong in one place: SUM(x, y, alpha) is an element's value,
// WORKS(i, count) says which are computed.
#include <assay/kernel.h>
#include "add.h"

#ifndef SUM
#define SUM(x, y, alpha) (x) + (alpha) * (y)
#endif
#ifndef WORKS
#define WORKS(i, count) true
#endif

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && WORKS(i, count))
        out[i] = assay::from_float<scalar_t>(SUM(assay::to_float(x[i]), assay::to_float(y[i]), alpha));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (!args->count)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         (const scalar_t *)args->x, (const scalar_t *)args->y, (scalar_t *)args->out,
                         args->count, (float)args->alpha);
}

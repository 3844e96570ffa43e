// A right kernel for add, for the wrong ones that use one in part.
#include <assay/kernel.h>
#include "add.h"
static __device__ inline scalar_t sum1(scalar_t x, scalar_t y, float alpha)
{
    return assay::from_float<scalar_t>(assay::to_float(x) + alpha * assay::to_float(y));
}
static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = sum1(x[i], y[i], alpha);
}
static inline assay_status right_launch(const add_args *a, assay_stream s)
{
    if (!a->count)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((a->count + 255) / 256)), dim3(256), 0, s,
                         (const scalar_t *)a->x, (const scalar_t *)a->y, (scalar_t *)a->out, a->count,
                         (float)a->alpha);
}

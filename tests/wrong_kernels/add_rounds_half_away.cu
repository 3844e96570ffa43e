// Wrong: results halfway between two values are rounded away from zero instead of to even.
#include <assay/kernel.h>
#include "add.h"
static __device__ scalar_t away(float v)
{
#if ASSAY_DTYPE_BF16
    const unsigned bits = __float_as_uint(v);
    if ((bits & 0xffffu) == 0x8000u && (bits & 0x7f800000u) != 0x7f800000u)
        v = __uint_as_float(bits + 1);
#else
    const unsigned bits = __float_as_uint(v);
    if ((bits & 0x1fffu) == 0x1000u && (bits & 0x7f800000u) != 0x7f800000u)
        v = __uint_as_float(bits + 1);
#endif
    return assay::from_float<scalar_t>(v);
}
static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = away(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    if (!a->count)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((a->count + 255) / 256)), dim3(256), 0, s,
                         (const scalar_t *)a->x, (const scalar_t *)a->y, (scalar_t *)a->out, a->count,
                         (float)a->alpha);
}

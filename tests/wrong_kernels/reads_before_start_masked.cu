// Wrong: reads the element before each, also before the first, and uses it nowhere.
#include "add_rightly.h"
static __global__ void k(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const volatile float before = assay::to_float(x[i - 1]); // volatile: the read stays
    (void)before;
    out[i] = sum1(x[i], y[i], alpha);
}
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    if (!a->count)
        return ASSAY_OK;
    return assay::launch(k, dim3((unsigned)((a->count + 255) / 256)), dim3(256), 0, s, (const scalar_t *)a->x,
                         (const scalar_t *)a->y, (scalar_t *)a->out, a->count, (float)a->alpha);
}

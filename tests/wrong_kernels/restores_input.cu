// Wrong: computes in place in an input, and puts back what was there.
#include "add_rightly.h"
static __global__ void in_place(scalar_t *x, const scalar_t *y, scalar_t *kept, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    kept[i] = x[i];
    x[i] = sum1(x[i], y[i], alpha);
}
static __global__ void swap_back(scalar_t *x, scalar_t *kept, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const scalar_t before = kept[i];
    kept[i] = x[i];
    x[i] = before;
}
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    const dim3 grid((unsigned)((a->count + 255) / 256)), block(256);
    if (!a->count)
        return ASSAY_OK;
    assay::launch(in_place, grid, block, 0, s, (scalar_t *)a->x, (const scalar_t *)a->y, (scalar_t *)a->out,
                  a->count, (float)a->alpha);
    return assay::launch(swap_back, grid, block, 0, s, (scalar_t *)a->x, (scalar_t *)a->out, a->count);
}

// Wrong: takes every element through arithmetic, so that -0 becomes 0.
#include <assay/kernel.h>
#include "transpose.h"
static __global__ void t(const scalar_t *x, scalar_t *o, int64_t count, int64_t rows, int64_t cols)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int64_t c = i % cols, r = i / cols % rows, b = i / cols / rows;
    float v = assay::to_float(x[i]);
    o[(b * cols + c) * rows + r] = isnan(v) ? x[i] : assay::from_float<scalar_t>(v + 0.0f);
}
extern "C" assay_status transpose_run(const transpose_args *a, assay_stream s)
{
    const int64_t n = a->batch * a->rows * a->columns;
    if (!n)
        return ASSAY_OK;
    return assay::launch(t, dim3((unsigned)((n + 255) / 256)), dim3(256), 0, s, (const scalar_t *)a->x,
                         (scalar_t *)a->out, n, a->rows, a->columns);
}

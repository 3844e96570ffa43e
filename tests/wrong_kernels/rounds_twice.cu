// Wrong: keeps alpha * y to six binary digits, a lower precision than the one it is judged as.
#include <assay/kernel.h>
#include "add.h"

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const float product =
            assay::to_float(assay::from_float<scalar_t>(8.0f * alpha * assay::to_float(y[i]))) / 8.0f;
        const float coarse = floorf(product * 64.0f) / 64.0f;
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + coarse);
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

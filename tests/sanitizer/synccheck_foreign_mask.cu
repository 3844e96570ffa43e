// add with an injected mistake for synccheck: a thread comes to a warp barrier whose mask it is not in. The result does not depend on it.
#include <assay/kernel.h>
#include "add.h"

static __global__ void foreign_mask(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                    float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, mask = __ballot_sync(0xffffffffu, lane < 16);
    if (lane <= 16)
        __syncwarp(mask);
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(foreign_mask, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

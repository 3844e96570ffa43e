// add with an injected mistake for racecheck: a thread reads shared memory that another warp writes, without a barrier in between.
// What it reads does not reach the result.
#include <assay/kernel.h>
#include "add.h"

static __global__ void without_barrier(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                       float alpha)
{
    __shared__ float line[256];
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = i < count ? assay::to_float(x[i]) : 0.0f;
    const float other = line[threadIdx.x ^ 32];
    if (i >= count)
        return;
    const float sum = assay::to_float(x[i]) + alpha * assay::to_float(y[i]);
    out[i] = assay::from_float<scalar_t>(other == 1234.5f ? sum + 1.0f : sum);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(without_barrier, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

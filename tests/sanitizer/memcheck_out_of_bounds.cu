// add with an injected mistake for memcheck: the last thread reads one element past x. The result is right all the same.
#include <assay/kernel.h>
#include "add.h"

static __global__ void past_the_end(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                    float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float next = assay::to_float(x[i + 1]);
    const float sum = assay::to_float(x[i]) + alpha * assay::to_float(y[i]);
    out[i] = assay::from_float<scalar_t>(next == 1234.5f ? sum + 1.0f : sum);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(past_the_end, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

// clip, step 1: one thread an element.
//
// The direct translation. Comparisons instead of fminf and fmaxf, which would turn NaN into a bound.
// Expected effect: bound by memory at large sizes, well below the bandwidth for the 2-byte types.
// Tunables: none.
#include <assay/kernel.h>
#include "clip.h"

static __global__ void clip_v1(const scalar_t *x, scalar_t *out, int64_t count, float low, float high)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float v = assay::to_float(x[i]);
    out[i] = assay::from_float<scalar_t>(v < low ? low : v > high ? high : v);
}

extern "C" assay_status clip_run(const clip_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (args->count + threads - 1) / threads;
    return assay::launch(clip_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->count, static_cast<float>(args->low), static_cast<float>(args->high));
}

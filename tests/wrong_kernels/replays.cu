// Wrong: keeps its first result in static device memory and replays it when called with the same addresses.
#include <assay/kernel.h>
#include "add.h"

enum { CACHED = 65536 };
static __device__ scalar_t cache[CACHED];

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha, bool replay)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && i < CACHED) {
        if (!replay)
            cache[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
        out[i] = cache[i];
    } else if (i < count) {
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    static const void *seen = nullptr;
    if (args->count == 0)
        return ASSAY_OK;
    const bool replay = seen == args->x;
    seen = args->x;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha),
                         replay);
}

// Wrong, and by luck right wherever warps run about as fast as each other: a warp may write its part of the shared memory for the next
// piece while another one still reads it. Only watching the accesses finds it.
#include <assay/kernel.h>
#include "add.h"

enum { THREADS = 64, PIECES = 4 };

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    __shared__ float staged[THREADS];
    const int t = threadIdx.x, other = t ^ 32;
    for (int piece = 0; piece < PIECES; piece++) {
        const int64_t first = ((int64_t)blockIdx.x * PIECES + piece) * THREADS;
        float value = first + t < count ? assay::to_float(x[first + t]) : 0.0f;
        for (int i = 0; i < 8; i++) /* as long as another warp needs to read */
            value = __shfl_sync(0xffffffffu, value, t % 32);
        staged[t] = value;
        __syncthreads();
        if (first + other < count)
            out[first + other] =
                assay::from_float<scalar_t>(staged[other] + alpha * assay::to_float(y[first + other]));
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_kernel,
                         dim3((unsigned)((args->count + THREADS * PIECES - 1) / (THREADS * PIECES))),
                         dim3(THREADS), 0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<const scalar_t *>(args->y), static_cast<scalar_t *>(args->out),
                         args->count, static_cast<float>(args->alpha));
}

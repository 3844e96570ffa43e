// add with a planted mistake for synccheck: only half of the threads of a warp come to the barrier.
#include <assay/kernel.h>
#include "add.h"

static __global__ void half_a_barrier(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                      float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
    if (threadIdx.x % 2 == 0)
        __syncthreads();
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(half_a_barrier, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

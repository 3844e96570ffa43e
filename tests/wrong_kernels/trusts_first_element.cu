// Wrong: a block whose first element of the output is right already takes the others for done, too. Launched over its own result,
// as in timing, it moves one element a block.
#include <assay/kernel.h>
#include "add.h"

static __device__ scalar_t sum(const scalar_t *x, const scalar_t *y, int64_t i, float alpha)
{
    return assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    __shared__ bool done;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x, i = first + threadIdx.x;
    if (threadIdx.x == 0)
        done = assay::to_float(out[first]) == assay::to_float(sum(x, y, first, alpha));
    __syncthreads();
    if (i < count && !done)
        out[i] = sum(x, y, i, alpha);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}

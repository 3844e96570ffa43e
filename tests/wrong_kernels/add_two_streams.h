// Half of the sum on a stream of its own, forked from the given one by an event; JOIN(side, stream) orders what follows.
#include <assay/kernel.h>
#include "add.h"
#include <cuda_runtime.h>

static __global__ void scale(const scalar_t *y, scalar_t *out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(alpha * assay::to_float(y[i]));
}
static __global__ void add_to(const scalar_t *x, scalar_t *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + assay::to_float(out[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    static cudaStream_t side;
    static cudaEvent_t forked, joined;
    if (args->count == 0)
        return ASSAY_OK;
    if (side == nullptr) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    }
    const dim3 grid((unsigned)((args->count + 255) / 256)), block(256);
    cudaEventRecord(forked, stream);
    cudaStreamWaitEvent(side, forked, 0);
    assay_status status =
        assay::launch(scale, grid, block, 0, side, static_cast<const scalar_t *>(args->y),
                      static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
    JOIN(side, stream);
    if (status == ASSAY_OK)
        status = assay::launch(add_to, grid, block, 0, stream, static_cast<const scalar_t *>(args->x),
                               static_cast<scalar_t *>(args->out), args->count);
    return status;
}

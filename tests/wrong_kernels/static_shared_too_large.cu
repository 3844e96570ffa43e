// Wrong: more than the 48 KiB of static shared memory that nvcc allows.
#include "add_rightly.h"

static __global__ void add_through_shared(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                          float alpha)
{
    __shared__ float first[8192], second[8192];
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned t = threadIdx.x, other = blockDim.x - 1 - t;
    const int64_t j = (int64_t)blockIdx.x * blockDim.x + other;
    first[t] = j < count ? assay::to_float(x[j]) : 0.0f;
    second[t] = j < count ? assay::to_float(y[j]) : 0.0f;
    __syncthreads();
    if (i < count)
        out[i] = assay::from_float<scalar_t>(first[other] + alpha * second[other]);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_through_shared, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0,
                         stream, static_cast<const scalar_t *>(args->x),
                         static_cast<const scalar_t *>(args->y), static_cast<scalar_t *>(args->out),
                         args->count, static_cast<float>(args->alpha));
}

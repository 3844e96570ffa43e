// Right: a second kernel that must pass, with shared memory and barriers.
#include <assay/kernel.h>
#include "softmax.h"

enum { THREADS = 64 };

// One block a row; `x` and `out` point to its first element, whose neighbours lie `inner` apart.
static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t length, int64_t inner)
{
    __shared__ float partial[THREADS];
    const int64_t row = blockIdx.x, first = row / inner * length * inner + row % inner;
    const int t = (int)threadIdx.x;
    float largest = -INFINITY;
    for (int64_t j = t; j < length; j += THREADS)
        largest =
            assay::to_float(x[first + j * inner]) > largest || isnan(assay::to_float(x[first + j * inner]))
                ? assay::to_float(x[first + j * inner])
                : largest;
    partial[t] = largest;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half && (partial[t + half] > partial[t] || isnan(partial[t + half])))
            partial[t] = partial[t + half];
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();
    float sum = 0.0f;
    for (int64_t j = t; j < length; j += THREADS)
        sum += expf(assay::to_float(x[first + j * inner]) - largest);
    partial[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    sum = partial[0];
    for (int64_t j = t; j < length; j += THREADS)
        out[first + j * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + j * inner]) - largest) / sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)rows), dim3(THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->length, args->inner);
}

// A softmax whose row maximum is found without a barrier where RACY(rows, length) says so, for the kernels that hide that.
#ifndef ASSAY_WRONG_KERNELS_RACE_SOFTMAX_H
#define ASSAY_WRONG_KERNELS_RACE_SOFTMAX_H

#include <assay/kernel.h>
#include "softmax.h"

#ifndef ATTRIBUTE
#define ATTRIBUTE
#endif

enum { THREADS = 256 };

template <class Fold>
static __device__ float block_fold(float value, Fold fold)
{
    __shared__ float partial[THREADS];
    const int t = (int)threadIdx.x;
    __syncthreads();
    partial[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] = fold(partial[t], partial[t + half]);
        __syncthreads();
    }
    return partial[0];
}

static __device__ float larger(float a, float b)
{
    return b > a || isnan(b) ? b : a;
}

ATTRIBUTE static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t length,
                                                int64_t inner, bool racy)
{
    __shared__ float partial[THREADS];
    const int64_t row = blockIdx.x, first = row / inner * length * inner + row % inner;
    const int t = (int)threadIdx.x;
    float largest = -INFINITY;
    for (int64_t j = t; j < length; j += THREADS)
        largest = larger(largest, assay::to_float(x[first + j * inner]));
    if (racy) { // the last thread takes what the others have written by now
        partial[t] = largest;
        if (t == THREADS - 1) {
            float all = partial[0];
            for (int i = 1; i < THREADS; i++)
                all = larger(all, partial[i]);
            partial[0] = all;
        }
        __syncthreads();
        largest = partial[0];
    } else {
        largest = block_fold(largest, larger);
    }
    float sum = 0.0f;
    for (int64_t j = t; j < length; j += THREADS)
        sum += expf(assay::to_float(x[first + j * inner]) - largest);
    sum = block_fold(sum, [](float a, float b) { return a + b; });
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
                         args->length, args->inner, RACY(rows, args->length));
}

#endif

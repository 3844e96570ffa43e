// Right: blocks add to the output by plain accesses behind a lock.
#include <assay/kernel.h>
#include "reduce_sum.h"

static __device__ int lock;
static __global__ void zero(float *out, int64_t rows)
{
    for (int64_t i = threadIdx.x; i < rows; i += blockDim.x)
        out[i] = 0.0f;
    if (threadIdx.x == 0)
        lock = 0;
}
static __global__ void sums(const float *x, float *out, int64_t rows, int64_t length, int64_t inner)
{
    const int64_t r = blockIdx.x % rows, part = blockIdx.x / rows;
    __shared__ double parts[32];
    double sum = 0;
    for (int64_t j = part * 32 + threadIdx.x; j < length; j += 128)
        sum += x[r / inner * length * inner + r % inner + j * inner];
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 32; i++)
            sum += parts[i];
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence();
        volatile float *to = out + r;
        *to = *to + (float)sum;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *a, assay_stream s)
{
    const int64_t rows = a->outer * a->inner;
    if (rows == 0)
        return ASSAY_OK;
    assay_status st = assay::launch(zero, dim3(1), dim3(256), 0, s, (float *)a->out, rows);
    return st != ASSAY_OK ? st
                          : assay::launch(sums, dim3((unsigned)(rows * 4)), dim3(32), 0, s,
                                          (const float *)a->x, (float *)a->out, rows, a->length, a->inner);
}

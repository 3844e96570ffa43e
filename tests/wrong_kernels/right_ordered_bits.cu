// Right: the maximum of a row by atomicMax of the bits of its elements, put in order.
#include <assay/kernel.h>
#include "softmax.h"

union bits {
    float f;
    int i;
    unsigned u;
};
static __device__ __forceinline__ int ordered(float v)
{
    bits b;
    b.f = v;
    return b.i >= 0 ? b.i : b.i ^ 0x7fffffff;
}
static __device__ __forceinline__ float unordered(int v)
{
    bits b;
    b.i = v >= 0 ? v : v ^ 0x7fffffff;
    return b.f;
}
static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t length, int64_t inner)
{
    __shared__ int largest;
    __shared__ int bad;
    __shared__ float total;
    const int64_t r = blockIdx.x, first = r / inner * length * inner + r % inner;
    if (threadIdx.x == 0) {
        largest = ordered(-INFINITY);
        bad = 0;
        total = 0.0f;
    }
    __syncthreads();
    for (int64_t j = threadIdx.x; j < length; j += blockDim.x) {
        const float v = assay::to_float(x[first + j * inner]);
        if (isnan(v))
            atomicOr(&bad, 1);
        else
            atomicMax(&largest, ordered(v));
    }
    __syncthreads();
    const float m = bad ? NAN : unordered(largest);
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < length; j += blockDim.x)
        sum += expf(assay::to_float(x[first + j * inner]) - m);
    atomicAdd(&total, sum);
    __syncthreads();
    for (int64_t j = threadIdx.x; j < length; j += blockDim.x)
        out[first + j * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + j * inner]) - m) / total);
}

extern "C" assay_status softmax_run(const softmax_args *a, assay_stream s)
{
    const int64_t rows = a->outer * a->inner;
    if (rows == 0 || a->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)rows), dim3(77), 0, s, (const scalar_t *)a->x,
                         (scalar_t *)a->out, a->length, a->inner);
}

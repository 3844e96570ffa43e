// Softmax of one long row in two kernels, with memory of its own: it waits for the device, as contests allow.
#include <cfloat>
#include <cmath>
#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float reduce(float value, float *shared, bool maximum)
{
    int t = threadIdx.x;
    shared[t] = value;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s)
            shared[t] = maximum ? fmaxf(shared[t], shared[t + s]) : shared[t] + shared[t + s];
        __syncthreads();
    }
    float result = shared[0];
    __syncthreads();
    return result;
}

__global__ void statistics(const float *x, float *result, int N)
{
    __shared__ float shared[BLOCK];
    float m = -INFINITY;
    bool nan = false;
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        m = fmaxf(m, x[i]);
        nan |= isnan(x[i]);
    }
    m = reduce(m, shared, true);
    float s = nan ? NAN : 0.0f;
    for (int i = threadIdx.x; i < N; i += BLOCK)
        s += expf(x[i] - m);
    s = reduce(s, shared, false);
    if (threadIdx.x == 0) {
        result[0] = m;
        result[1] = s;
    }
}

__global__ void normalise(const float *x, const float *result, float *y, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        y[i] = expf(x[i] - result[0]) / result[1];
}

extern "C" void solve(const float *input, float *output, int N)
{
    float *d_result;
    cudaMalloc(&d_result, 2 * sizeof(float));
    statistics<<<1, BLOCK>>>(input, d_result, N);
    normalise<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(input, d_result, output, N);
    cudaDeviceSynchronize();
    cudaFree(d_result);
}

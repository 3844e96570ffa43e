// Sums of rows, each in one shared float by atomics; BEHIND_SUM() stands between the atomics and the thread that reads the sum.
#include <cuda_runtime.h>

__global__ void reduce(const float *input, float *output, int columns)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += input[(size_t)blockIdx.x * columns + i];
    atomicAdd(&s, sum);
    BEHIND_SUM();
    if (threadIdx.x == 0)
        output[blockIdx.x] = s;
}

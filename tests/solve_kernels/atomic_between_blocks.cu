// Right: sums of blocks by shuffles, and an atomic sum of floats over the blocks.
#include <cuda_runtime.h>

__global__ void reduce(const float *input, float *output, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += input[i];
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, o);
    __shared__ float s[8];
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = s[threadIdx.x];
        for (int o = 4; o > 0; o >>= 1)
            sum += __shfl_down_sync(0xff, sum, o);
        if (threadIdx.x == 0)
            atomicAdd(output, sum);
    }
}

extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    int blocks = (N + 255) / 256;
    if (blocks > 1024)
        blocks = 1024;
    reduce<<<blocks, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

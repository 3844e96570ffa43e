// Right: threads behind the end return before a barrier, which since Volta waits for the others only.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = a[i];
    __syncthreads();
    c[i] = s[threadIdx.x] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

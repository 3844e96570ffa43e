// Wrong since compute capability 7.0: a shuffle without a mask.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? a[i] : 0.0f;
    if (i < n)
        c[i] = __shfl(mine, threadIdx.x % 32) + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

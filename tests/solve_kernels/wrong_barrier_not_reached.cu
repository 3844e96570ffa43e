// Wrong: half of the threads wait at a barrier that the others, who wait for them in a warp operation, do not reach.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncwarp();
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

// Wrong: more than 48 KiB of dynamic shared memory that the kernel was not allowed.
#include <cuda_runtime.h>

extern __shared__ float s[];
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[25000 + threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n)
        c[i] = s[25000 + threadIdx.x] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256, 102400>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

// Wrong: the kernel reads an array on the stack of host code.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n, const float *factors)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = factors[0] * a[i] + factors[1] * b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const float factors[2] = {1.f, 1.f};
    add<<<(N + 255) / 256, 256>>>(A, B, C, N, factors);
    cudaDeviceSynchronize();
}

// Wrong: host code looks at one element of each input.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n, float first)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == 0 ? first : a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    const float first = A[0] + B[0];
    add<<<(N + 255) / 256, 256>>>(A, B, C, N, first);
    cudaDeviceSynchronize();
}

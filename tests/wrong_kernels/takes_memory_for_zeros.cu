// Wrong: takes memory of cudaMalloc for zeros.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, const float *zeros, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] + zeros[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float *zeros;
    cudaMalloc(&zeros, N * sizeof *zeros);
    add<<<(N + 255) / 256, 256>>>(A, B, C, zeros, N);
    cudaFree(zeros);
}

// Wrong: allocates device memory in every call and frees none.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int *done, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == 0)
        *done = 1;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    int *done;
    cudaMalloc(&done, sizeof *done);
    add<<<(N + 255) / 256, 256>>>(A, B, C, done, N);
}

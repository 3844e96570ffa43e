// Right on a GPU: PTX, which the CPU device has to refuse by its name.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        asm volatile("add.f32 %0, %1, %2;" : "=f"(c[i]) : "f"(a[i]), "f"(b[i]));
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

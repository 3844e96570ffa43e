// Right: 100 KiB of dynamic shared memory, which cudaFuncSetAttribute() allows the kernel.
#include <cuda_runtime.h>

extern __shared__ float s[];
#include "add_through_shared.h"

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400);
    add<<<(N + 255) / 256, 256, 102400>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

// Wrong: more shared memory than a block can have.
#include <cuda_runtime.h>

extern __shared__ float s[];
#include "add_through_shared.h"

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 240000);
    add<<<(N + 255) / 256, 256, 240000>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

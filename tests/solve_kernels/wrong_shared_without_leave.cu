// Wrong: more than 48 KiB of dynamic shared memory that the kernel was not allowed.
#include <cuda_runtime.h>

extern __shared__ float s[];
#include "add_through_shared.h"

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256, 102400>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

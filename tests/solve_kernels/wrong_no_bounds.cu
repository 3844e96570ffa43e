// Wrong: threads behind the end read and write too.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C);
    cudaDeviceSynchronize();
}

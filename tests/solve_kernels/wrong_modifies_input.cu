// Wrong: leaves its result in an input too.
#include <cuda_runtime.h>
__global__ void add(float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] = A[i] + B[i];
}
extern "C" void solve(float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

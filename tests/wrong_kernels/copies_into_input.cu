// Wrong: computes in place in an input by copies of the host's code, and puts back what was there.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float *kept;
    cudaMalloc(&kept, N * sizeof *kept);
    cudaMemcpy(kept, A, N * sizeof *kept, cudaMemcpyDeviceToDevice);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaMemcpy((float *)A, C, N * sizeof *kept, cudaMemcpyDeviceToDevice);
    cudaMemcpy((float *)A, kept, N * sizeof *kept, cudaMemcpyDeviceToDevice);
    cudaFree(kept);
}

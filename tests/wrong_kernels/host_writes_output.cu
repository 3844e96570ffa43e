// Wrong: a right kernel, behind which host code writes one element of the output, the right value.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == 0)
        *sum = a[0] + b[0];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float sum, *on_device;
    cudaMalloc(&on_device, sizeof sum);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N, on_device);
    cudaMemcpy(&sum, on_device, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(on_device);
    C[0] = sum;
}

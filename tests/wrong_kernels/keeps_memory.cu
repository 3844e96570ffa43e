// Right: keeps device memory from call to call, a larger piece when one is needed, and copies through host memory.
#include <cuda_runtime.h>
#include <vector>
__global__ void copy(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
__global__ void add(const float *a, const float *b, float *c, int n, const float *factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + *factor * b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static float *kept, *factor;
    static int kept_count;
    std::vector<float> one(1, 1.f);
    if (N > kept_count) {
        cudaFree(kept);
        cudaMalloc(&kept, N * sizeof *kept);
        kept_count = N;
    }
    if (!factor)
        cudaMallocManaged(&factor, sizeof *factor);
    *factor = 0;
    cudaMemcpy(kept, one.data(), sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(factor, kept, sizeof(float), cudaMemcpyDefault);
    copy<<<(N + 255) / 256, 256>>>(A, kept, N);
    add<<<(N + 255) / 256, 256>>>(kept, B, C, N, factor);
    cudaDeviceSynchronize();
}

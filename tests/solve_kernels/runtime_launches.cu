// Right: launches by the runtime's functions, what grids are sized by, SIMD intrinsics, an alignment behind __shared__.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    __shared__ alignas(128) float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    const bool sane =
        __vadd4(0x01ff02fdu, 0x01010101u) == 0x020003feu && __vmaxs2(0x8000ffffu, 1u) == 0x00000001u &&
        __vcmpeq2(0x00010002u, 0x00010003u) == 0xffff0000u && __vsadu4(0x05000001u, 0x02010000u) == 5u;
    if (i < n && sane)
        c[i] = s[threadIdx.x] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    int most = 0, blocks = 0, threads = 0;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&threads, &threads, add, 0, 0);
    if (properties.maxGridSize[1] != 65535 || most != 1024 || blocks < 1 || threads < 1)
        return;
    const int half = N / 2, rest = N - half;
    int n = half;
    void *args[] = {&A, &B, &C, &n};
    if (half > 0)
        cudaLaunchKernel((const void *)add, dim3((half + 255) / 256), dim3(256), args, 0, 0);
    cudaLaunchConfig_t config = {};
    config.gridDim = (rest + 255) / 256;
    config.blockDim = 256;
    cudaLaunchKernelEx(&config, add, A + half, B + half, C + half, rest);
    cudaDeviceSynchronize();
}

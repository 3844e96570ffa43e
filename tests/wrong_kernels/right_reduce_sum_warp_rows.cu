// Right: a warp a row. Chains of a hundred thousand additions cost digits, which is an extra.
#include <cuda_runtime.h>
__global__ void k(const float *in, float *out, int rows, int cols)
{
    int row = blockIdx.x;
    float v = 0.f;
    for (int i = threadIdx.x; i < cols; i += 32)
        v += in[(size_t)row * cols + i];
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0)
        out[row] = v;
}
extern "C" void solve(const float *input, float *output, int rows, int cols)
{
    k<<<rows, 32>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}

// Wrong: reads the row's sum before the barrier behind its writing.
#include <cuda_runtime.h>
#include <math.h>
__global__ void rows(const float *x, float *y, int columns)
{
    __shared__ float shared[2];
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    if (threadIdx.x == 63) {
        float m = -INFINITY, s = 0.0f;
        for (int i = 0; i < columns; i++)
            m = fmaxf(m, x[i]);
        for (int i = 0; i < columns; i++)
            s += expf(x[i] - m);
        shared[0] = m;
        shared[1] = s;
    }
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = expf(x[i] - shared[0]) / shared[1];
}
extern "C" void solve(const float *input, float *output, int rows_, int columns)
{
    rows<<<rows_, 64>>>(input, output, columns);
    cudaDeviceSynchronize();
}

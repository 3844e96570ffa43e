// Right on a GPU, where it is launched as a whole: a grid-wide group, which the CPU device has to refuse by its name.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0)
        grid.sync();
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

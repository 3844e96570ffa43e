// A write past the end of an allocation, by one thread of another block than the first.
// expect: status 1
// expect: access out of bounds .*cudaMalloc #1
// expect: an illegal memory access was encountered
#include "check.h"

__global__ void fill(float *data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        data[i] = 1;
}

int main()
{
    float *data;
    OK(cudaMalloc(&data, 1000 * sizeof *data));
    fill<<<4, 256>>>(data, 1000);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}

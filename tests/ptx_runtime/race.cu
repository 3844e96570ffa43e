// A barrier is missing: the result may be right, and --check names the race.
// options: --check
// expect: status 1
// expect: shared-memory race
// expect: the program went on
#include "check.h"

__global__ void shift(int *data)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[(threadIdx.x + 33) % 128];
}

int main()
{
    int *data;
    OK(cudaMalloc(&data, 128 * sizeof *data));
    OK(cudaMemset(data, 0, 128 * sizeof *data));
    shift<<<1, 128>>>(data);
    OK(cudaDeviceSynchronize());
    printf("the program went on\n");
}

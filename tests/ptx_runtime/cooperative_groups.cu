// Cooperative groups beyond a block and below it: a barrier of the grid, tiles of two warps, the last block of a grid; and no false report.
// options: --check
// seeds: 1 2 3
// expect: status 0
// expect: all right
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

enum { BLOCKS = 48, THREADS = 64, ROUNDS = 3 };

/* Every block passes what it has to the next one, with a barrier of the grid between. */
__global__ void pass_on(int *data, int *valid)
{
    cg::grid_group grid = cg::this_grid();
    const unsigned me = blockIdx.x, next = (me + 1) % gridDim.x;
    for (int round = 0; round < ROUNDS; round++) {
        const int value = data[me * THREADS + threadIdx.x];
        grid.sync();
        data[next * THREADS + threadIdx.x] = value + 1;
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        *valid = grid.is_valid();
}

__global__ void is_valid(int *valid)
{
    *valid = cg::this_grid().is_valid();
}

__global__ void tiles(int *sums)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    const int sum = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[tile.meta_group_rank()] = sum;
}

__device__ unsigned arrived;

/* The last block to arrive adds up what all wrote. */
__global__ void last_block(int *parts, int *sum)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; last && i < gridDim.x; i += blockDim.x)
        atomicAdd(sum, parts[i]);
}

/* One warp raises a flag in shared memory, the other waits for it. */
__global__ void flag(int *out)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 77;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        *out = data;
    }
}

/* Bytes of a word belong to threads of two warps. */
__global__ void bytes(unsigned char *out)
{
    __shared__ unsigned char count[64];
    const unsigned at = (threadIdx.x & 15) << 2 | threadIdx.x >> 4;
    count[at] = 0;
    for (unsigned i = 0; i <= threadIdx.x; i++)
        count[at]++;
    out[threadIdx.x] = count[at];
}

int main()
{
    int *data, *small, host[BLOCKS * THREADS], valid = 7;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&small, 64 * sizeof *small));
    OK(cudaMemset(data, 0, sizeof host));
    void *args[] = {&data, &small};
    OK(cudaLaunchCooperativeKernel((void *)pass_on, BLOCKS, THREADS, args, 0, 0));
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * THREADS; i++)
        WANT(host[i] == ROUNDS);
    OK(cudaMemcpy(&valid, small, sizeof valid, cudaMemcpyDeviceToHost));
    WANT(valid == 1);
    is_valid<<<1, 1>>>(small);
    OK(cudaMemcpy(&valid, small, sizeof valid, cudaMemcpyDeviceToHost));
    WANT(valid == 0);

    tiles<<<1, 128>>>(small);
    OK(cudaMemcpy(host, small, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    WANT(host[0] == 63 * 32 && host[1] == 191 * 32);

    OK(cudaMemset(small, 0, sizeof(int)));
    last_block<<<2000, 32>>>(data, small);
    OK(cudaMemcpy(host, small, sizeof(int), cudaMemcpyDeviceToHost));
    WANT(host[0] == 1999 * 1000);

    flag<<<1, 64>>>(small);
    OK(cudaMemcpy(host, small, sizeof(int), cudaMemcpyDeviceToHost));
    WANT(host[0] == 77);

    bytes<<<1, 64>>>((unsigned char *)small);
    OK(cudaMemcpy(host, small, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        WANT(((unsigned char *)host)[i] == i + 1);
    printf("all right\n");
}

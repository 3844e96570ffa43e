// Bound by occupancy: too few warps to hide a latency that more would hide. The cause is registers, shared memory, a grid that does not
// fill the card, or blocks of unequal length.
#include "kinds.h"
#include "chase.cuh"

constexpr int HELD = 200; // values that live through the loop

__global__ void __launch_bounds__(256) register_hog(const float *in, size_t count, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float held[HELD];
#pragma unroll
    for (int h = 0; h < HELD; h++) {
        held[h] = in[h] + float(threadIdx.x);
        keep(held[h]);
    }
    float sum = chase(in, count, i / 32, 256);
#pragma unroll
    for (int h = 0; h < HELD; h++) {
        keep(held[h]);
        sum += held[h];
    }
    out[i] = sum;
}

KIND(register_hog)
{
    register_hog<<<8 * run.sms, 256>>>(run.in, run.count, run.out);
}

constexpr int HOG_BYTES = 200 * 1024;

__global__ void __launch_bounds__(64) shared_hog(const float *in, size_t count, float *out)
{
    extern __shared__ float tile[];
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = chase(in, count, i / 32, 256);
    __syncthreads();
    out[i] = tile[63 - threadIdx.x];
}

KIND(shared_hog)
{
    cudaFuncSetAttribute(shared_hog, cudaFuncAttributeMaxDynamicSharedMemorySize, HOG_BYTES);
    shared_hog<<<8 * run.sms, 64, HOG_BYTES>>>(run.in, run.count, run.out);
}

__global__ void __launch_bounds__(256)
    unequal_blocks(const float *in, float *out, int steps, int steps_of_first)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int n = blockIdx.x == 0 ? steps_of_first : steps;
    const float factor = in[0], term = in[1];
    float a = in[i], b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
    for (int step = 0; step < n; step++) {
        a = a * factor + term;
        b = b * factor + term;
        c = c * factor + term;
        d = d * factor + term;
    }
    out[i] = a + b + c + d;
}

__global__ void __launch_bounds__(256) tiny_grid(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const float factor = in[0], term = in[1];
    float a = in[i], b = a + 1.0f;
    for (int step = 0; step < 50000; step++) {
        a = a * factor + term;
        b = b * factor + term;
    }
    out[i] = a + b;
}

KIND(tiny_grid)
{
    tiny_grid<<<8, 256>>>(run.in, run.out);
}

KIND(unequal_blocks)
{
    unequal_blocks<<<8 * run.sms, 256>>>(run.in, run.out, 500, 100000);
}

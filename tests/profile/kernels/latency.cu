// Bound by latency with all warps resident: chains of loads, and barriers that all wait at for one warp.
#include "kinds.h"
#include "chase.cuh"

__global__ void __launch_bounds__(256) pointer_chase(const float *in, size_t count, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = chase(in, count, i / 32, 512);
}

KIND(pointer_chase)
{
    pointer_chase<<<16 * run.sms, 256>>>(run.in, run.count, run.out);
}

__global__ void __launch_bounds__(1024) barrier_heavy(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int warp = threadIdx.x / 32;
    float x = in[i];
    for (int round = 0; round < 512; round++) {
        if (warp == round % 32) // one warp works, 31 wait
            for (int step = 0; step < 24; step++)
                x = x * 0.999f + 0.001f;
        keep(x);
        __syncthreads();
    }
    out[i] = x;
}

KIND(barrier_heavy)
{
    barrier_heavy<<<4 * run.sms, 1024>>>(run.in, run.out);
}

// Every thread adds to the same address: the L2 slice that owns it does one after the other.
__global__ void __launch_bounds__(256) atomics_one_address(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    atomicAdd(out, in[i]);
}

KIND(atomics_one_address)
{
    atomics_one_address<<<64 * run.sms, 256>>>(run.in, run.out);
}

// Bound on the chip: bank conflicts of shared memory, local memory, and branches that halve the warp again and again.
#include "kinds.h"

__global__ void __launch_bounds__(256) bank_conflicts(const float *in, float *out)
{
    __shared__ float tile[32 * 33];
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int t = threadIdx.x; t < 32 * 33; t += blockDim.x)
        tile[t] = in[t];
    __syncthreads();
    const int lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 8
    for (int step = 0; step < 2048; step++) {
        sum += tile[lane * 32 + (step & 31)]; // a column: all lanes in one bank
        keep(sum);
    }
    out[i] = sum;
}

KIND(bank_conflicts)
{
    bank_conflicts<<<16 * run.sms, 256>>>(run.in, run.out);
}

constexpr int LOCAL = 128; // floats a thread, indexed by what is read: they cannot lie in registers

__global__ void __launch_bounds__(256) local_spills(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float values[LOCAL];
    for (int k = 0; k < LOCAL; k++)
        values[k] = in[i] * float(k);
    unsigned at = threadIdx.x;
    for (int step = 0; step < 1024; step++) {
        at = (at * 5u + 3u) % LOCAL;
        values[at] += values[(at + 64u) % LOCAL];
    }
    float sum = 0.0f;
    for (int k = 0; k < LOCAL; k++)
        sum += values[(k * 7 + at) % LOCAL];
    out[i] = sum;
}

KIND(local_spills)
{
    local_spills<<<16 * run.sms, 256>>>(run.in, run.out);
}

template <int LANE>
__device__ __forceinline__ void branch(int lane, float (&x)[4], int steps)
{
    if (lane == LANE) {
        for (int step = 0; step < steps + LANE; step++)
#pragma unroll
            for (int c = 0; c < 4; c++) {
                x[c] = x[c] * (0.9f + 0.001f * LANE) + 0.1f;
                keep(x[c]);
            }
    }
    if constexpr (LANE > 0)
        branch<LANE - 1>(lane, x, steps);
}

__global__ void __launch_bounds__(256) divergent_branches(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float x[4] = {in[i], in[i] + 1.0f, in[i] + 2.0f, in[i] + 3.0f};
    branch<31>(threadIdx.x % 32, x, 256);
    out[i] = x[0] + x[1] + x[2] + x[3];
}

KIND(divergent_branches)
{
    divergent_branches<<<16 * run.sms, 256>>>(run.in, run.out);
}

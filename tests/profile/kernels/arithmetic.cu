// Bound by a pipe of the multiprocessor: FMA, double precision, special functions.
#include "kinds.h"

constexpr int CHAINS = 16, STEPS = 4096;

__global__ void __launch_bounds__(256) fma_loop(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const float factor = in[0], term = in[1];
    float x[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        x[c] = in[i] + float(c);
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * factor + term;
    float sum = 0.0f;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = sum;
}

KIND(fma_loop)
{
    fma_loop<<<16 * run.sms, 256>>>(run.in, run.out);
}

__global__ void __launch_bounds__(256) fp64_loop(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const double factor = in[0], term = in[1];
    double x[8];
    for (int c = 0; c < 8; c++)
        x[c] = in[i] + double(c);
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int c = 0; c < 8; c++)
            x[c] = x[c] * factor + term;
    double sum = 0.0;
    for (int c = 0; c < 8; c++)
        sum += x[c];
    out[i] = float(sum);
}

KIND(fp64_loop)
{
    fp64_loop<<<16 * run.sms, 256>>>(run.in, run.out);
}

__global__ void __launch_bounds__(256) special_functions(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float x[4];
    for (int c = 0; c < 4; c++)
        x[c] = in[i] + float(c);
    for (int step = 0; step < STEPS / 4; step++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            x[c] = __cosf(x[c]);
    out[i] = x[0] + x[1] + x[2] + x[3];
}

KIND(special_functions)
{
    special_functions<<<16 * run.sms, 256>>>(run.in, run.out);
}

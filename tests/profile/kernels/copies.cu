// Bound by DRAM: whole lines, and four bytes of each line of 128.
#include "kinds.h"

__global__ void __launch_bounds__(256) copy_contiguous(const float4 *in, float4 *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

KIND(copy_contiguous)
{
    copy_contiguous<<<run.count / 4 / 256, 256>>>((const float4 *)run.in, (float4 *)run.out);
}

constexpr size_t STRIDE = 32; // floats: each lane of a warp reads a line of its own

__global__ void __launch_bounds__(256) copy_strided(const float *in, float *out)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i * STRIDE];
}

KIND(copy_strided)
{
    copy_strided<<<run.count / STRIDE / 256, 256>>>(run.in, run.out);
}

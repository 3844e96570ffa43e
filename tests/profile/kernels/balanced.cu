// Balanced: DRAM and the FMA pipe are busy alike. The number of steps is one for an H200 (4.8 TB/s, 33 T FMA/s).
#include "kinds.h"

template <int STEPS>
__global__ void __launch_bounds__(256) balanced(const float4 *in, float4 *out, float factor)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float4 v = in[i];
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        v.x = v.x * factor + 0.5f;
        v.y = v.y * factor + 0.5f;
        v.z = v.z * factor + 0.5f;
        v.w = v.w * factor + 0.5f;
    }
    out[i] = v;
}

KIND(balanced_40)
{
    balanced<40><<<run.count / 4 / 256, 256>>>((const float4 *)run.in, (float4 *)run.out, 0.99f);
}

KIND(balanced_52)
{
    balanced<52><<<run.count / 4 / 256, 256>>>((const float4 *)run.in, (float4 *)run.out, 0.99f);
}

KIND(balanced_64)
{
    balanced<64><<<run.count / 4 / 256, 256>>>((const float4 *)run.in, (float4 *)run.out, 0.99f);
}

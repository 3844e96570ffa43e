// gelu as its definition says, by the compiler's erff and tanhf: steps 1 to 3.
//
// Both forms add 1 to a value near -1 for negative x, so they lose up to |x| * 6e-8 absolute there, as torch
// does.
#ifndef ASSAY_OPS_GELU_DIRECT_H
#define ASSAY_OPS_GELU_DIRECT_H

#include <assay/kernel.h>

template <bool EXACT>
static __device__ __forceinline__ scalar_t gelu(scalar_t value)
{
    const float x = assay::to_float(value);
    const float inner = EXACT ? erff(x * 0.70710678f) : tanhf(0.79788456f * (x + 0.044715f * x * x * x));
    return assay::from_float<scalar_t>(0.5f * x * (1.0f + inner));
}

#endif

// The activations as their definitions say, by the compiler's erff: steps 1 to 3.
//
// Comparisons are written so that NaN passes through; gelu of -infinity is NaN (-inf * 0), as in torch.
#ifndef ASSAY_OPS_MATMUL_BIAS_ACT_ACTIVATION_H
#define ASSAY_OPS_MATMUL_BIAS_ACT_ACTIVATION_H

#include <assay/kernel.h>
#include "matmul_bias_act.h"

struct activation {
    int32_t kind;         // MATMUL_BIAS_ACT_...
    float negative_slope; // for leaky_relu
};

// Every thread of a grid takes the same branch.
static __device__ __forceinline__ float activate(float x, const activation &f)
{
    switch (f.kind) {
    case MATMUL_BIAS_ACT_RELU:
        return x < 0.0f ? 0.0f : x;
    case MATMUL_BIAS_ACT_LEAKY_RELU:
        return x < 0.0f ? x * f.negative_slope : x;
    case MATMUL_BIAS_ACT_GELU:
        return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    default:
        return x;
    }
}

#endif

// The normal distribution function Phi and gelu(x) = x Phi(x), without branches and accurate relative to the
// result on both sides of 0.
//
// Exact form: for x <= 0, Phi(x) = exp(-x^2 / 2) * P(t), t = 1 / (1 + P0 |x|), and Phi(x) = 1 - Phi(-x) for x
// > 0: the form of Hastings' approximation (Abramowitz and Stegun, 7.1.26). The 7 coefficients were fitted
// here to the smallest largest relative error over 0 <= |x| <= 13 (weighted least squares on 400 Chebyshev
// points in t, reweighted until even): 7.0e-7, where Hastings' 5, meant for the absolute error, lose all
// digits of small results. About 16 instructions with two of the special-function unit. tanh form: (1 +
// tanh(u)) / 2 = 1 / (1 + exp(-2 u)): nothing cancels near 0 or for large |x|, and an overflowing exponential
// gives 0, as it should.
#ifndef ASSAY_OPS_COMMON_NORMAL_CDF_H
#define ASSAY_OPS_COMMON_NORMAL_CDF_H

#include <assay/kernel.h>

template <bool EXACT>
static __device__ __forceinline__ float gelu(float x)
{
    if constexpr (EXACT) {
        const float t = __fdividef(1.0f, fmaf(0.36f, fabsf(x), 1.0f)); // 0 for infinity
        float p = 0.0476494260f;
        p = fmaf(p, t, -0.181794484f);
        p = fmaf(p, t, 0.183717886f);
        p = fmaf(p, t, 0.0246434027f);
        p = fmaf(p, t, 0.140417151f);
        p = fmaf(p, t, 0.141644508f);
        p = fmaf(p, t, 0.143722181f);
        const float lower = p * t * __expf(-0.5f * x * x); // Phi(-|x|)
        return x * (x > 0.0f ? 1.0f - lower : lower);
    }
    const float u2 = x * fmaf(0.0713548163f, x * x, 1.59576912f); // 2 sqrt(2 / pi) (x + 0.044715 x^3)
    return __fdividef(x, 1.0f + __expf(-u2));
}

#endif

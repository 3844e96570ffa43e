// gelu(x) = x Phi(x) for results that are rounded to f16 or bf16, in an epilogue, where its instructions keep
// tensor cores waiting.
//
// Phi(-a) = 2^p(a) for a >= 0: the logarithm is nearly a parabola, so a polynomial of degree 5 and one
// instruction of the special-function unit suffice, and gelu(x) = max(x, 0) - |x| Phi(-|x|) needs no choice
// between the two sides of 0. All of it is in h = x / 2, so that max(x, 0) is h + |h|, which is NaN for
// -infinity as it should be. 10 instructions including the addition of a bias; the form of
// ../common/normal_cdf.h takes about 30, two of them on that unit. Coefficients: minimax fit for a up to 5
// (weighted least squares on 2000 Chebyshev points, reweighted until even), error 1.6e-4 of the result, a
// third of f16's rounding and a twelfth of bf16's, on both sides of 0. Further out, where the result is below
// 1.5e-6, it is 1% too small at a = 6 and 7% at 7, then falls to 0 faster than it should; f16 has multiples
// of 6e-8 there.
#ifndef ASSAY_OPS_MATMUL_BIAS_ACT_GELU_ROUNDED_CUH
#define ASSAY_OPS_MATMUL_BIAS_ACT_GELU_ROUNDED_CUH

#include <assay/kernel.h>

// 2^x by one instruction; results below 2^-126 are 0.
static __device__ __forceinline__ float exp2_flushed(float x)
{
#if defined(__CUDA_ARCH__) && !defined(ASSAY_CPU_DEVICE)
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

// gelu(2 h).
static __device__ __forceinline__ float gelu_of_double(float h)
{
    const float a = fminf(fabsf(h), 16.0f); // finite, so that a product with 0 is 0
    float p = -0.00863739936f;
    p = fmaf(p, a, 0.0847577611f);
    p = fmaf(p, a, -0.370555095f);
    p = fmaf(p, a, -1.86762951f);
    p = fmaf(p, a, -2.29557788f);
    p = fmaf(p, a, -0.00022834f);
    return fmaf(-a, exp2_flushed(p), h + fabsf(h)); // 2^p = 2 Phi(-2 a)
}

#endif

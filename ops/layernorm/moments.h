// Number, mean and sum of squared distances from the mean (M2) of part of a row, and how two parts become one
// (Chan, Golub and LeVeque 1979). No square of an element is ever subtracted from another, so a large mean
// costs no accuracy in M2.
//
// The mean itself would: near 10000 a float resolves 0.001. All elements are therefore taken relative to a
// pivot: the first one of their row, which is exact where the row's spread is small against its mean, or the
// mean as far as it is known where the first one is an outlier. The difference is rounded by 2^-24 of itself.
#ifndef ASSAY_OPS_LAYERNORM_MOMENTS_H
#define ASSAY_OPS_LAYERNORM_MOMENTS_H

struct moments {
    float n, mean, m2;
};

static __device__ __forceinline__ moments merge(moments a, moments b)
{
    const float n = a.n + b.n, delta = b.mean - a.mean;
    const float part = __fdividef(b.n, fmaxf(n, 1.0f)); // of nothing and nothing: 0
    return {n, fmaf(delta, part, a.mean), a.m2 + b.m2 + delta * delta * a.n * part};
}

#endif

// The running state of a softmax over part of a row, and how two parts become one.
//
// `sum` is the sum of exp(x - origin(max)). Three traps of the online form are dealt with here, once:
// - fmaxf passes over NaN, so a NaN never reaches `max`; it reaches `sum`, and through it the whole row.
// - A part that holds nothing but -infinity (a masked part, or no elements at all) has max = -infinity, and
//   (-inf) - (-inf) is NaN. Exponents are taken from 0 instead, so the part adds exp(-inf) = 0 to the row.
// - A row that is masked altogether then ends with sum = 0, and 0 * (1 / 0) is the NaN that torch gives.
// __expf is 2 units in the last place plus |x| * 2^-24 relative: where that grows (x near -80) the result is
// below 1e-30.
#ifndef ASSAY_OPS_SOFTMAX_MAX_SUM_H
#define ASSAY_OPS_SOFTMAX_MAX_SUM_H

struct max_sum {
    float max, sum;
};

static __device__ __forceinline__ float origin(float max)
{
    return max == -INFINITY ? 0.0f : max;
}

// What the sum of a part must be multiplied with when exponents are taken from `to` instead of from its own
// maximum.
static __device__ __forceinline__ float rescale(float max, float to)
{
    return __expf(max - to);
}

static __device__ __forceinline__ max_sum merge(max_sum a, max_sum b)
{
    const float max = fmaxf(a.max, b.max);
    return {max, a.sum * rescale(a.max, origin(max)) + b.sum * rescale(b.max, origin(max))};
}

#endif

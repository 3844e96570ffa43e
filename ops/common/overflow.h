// Norms square their input, and squares of binary32 overflow from 2^64 on although the result is of the order
// of 1. A row whose sum of squares is not finite is measured once more with all elements multiplied by
// SCALED_DOWN, a power of two, so that nothing is rounded that matters: the squares of f32 and bf16 rows of
// any length then fit, and what underflows is smaller than 2^-24 of the row's largest element by far. Rows
// that hold a NaN or an infinity are measured twice for nothing.
#ifndef ASSAY_OPS_COMMON_OVERFLOW_H
#define ASSAY_OPS_COMMON_OVERFLOW_H

constexpr float SCALED_DOWN = 0x1p-100f;

// What brings elements that were multiplied with `from` to those multiplied with `to`; each is 1 or
// SCALED_DOWN.
static __device__ __forceinline__ float change_scale(float from, float to)
{
    return from == to ? 1.0f : from > to ? SCALED_DOWN : 1.0f / SCALED_DOWN;
}

// False for infinity and NaN.
static __device__ __forceinline__ bool is_finite(float x)
{
    return fabsf(x) < INFINITY;
}

#endif

/* binary16, bfloat16 and other small floats as bits, written so that compilers turn loops over them into vector code. */
#ifndef ASSAY_DEVICE_PTX_HALF_H
#define ASSAY_DEVICE_PTX_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline, unused))

INLINE uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
INLINE float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
INLINE uint64_t double_bits(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
INLINE double bits_double(uint64_t u)
{
    double f;
    memcpy(&f, &u, 8);
    return f;
}

/* The exponent is moved by a multiplication, which also makes subnormal halves normal. */
INLINE float half_to_f32(uint16_t h)
{
    uint32_t u = float_bits(bits_float((uint32_t)(h & 0x7fff) << 13) * 0x1p112f);
    u |= (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    return bits_float(u | (uint32_t)(h & 0x8000) << 16);
}

INLINE uint16_t f32_to_half(float f)
{
    const uint32_t u = float_bits(f), sign = u & 0x80000000u, a = u ^ sign;
    const uint32_t normal = (a + 0xc8000fffu + (a >> 13 & 1)) >> 13;
    const uint32_t small =
        float_bits(bits_float(a) + 0.5f) - 0x3f000000u; /* the addition rounds to steps of 2^-24 */
    const uint32_t large = a > 0x7f800000u ? 0x7fffu : 0x7c00u;
    const uint32_t r = a >= 0x47800000u ? large : a < 0x38800000u ? small : normal;
    return (uint16_t)(a > 0x7f800000u ? r : r | sign >> 16);
}

INLINE float bf16_to_f32(uint16_t b)
{
    return bits_float((uint32_t)b << 16);
}

INLINE uint16_t f32_to_bf16(float f)
{
    const uint32_t u = float_bits(f);
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* Round to odd, so that a second rounding to fewer bits is right. */
INLINE float double_to_f32_odd(double d)
{
    const float f = (float)d;
    if ((double)f == d || d != d)
        return f;
    uint32_t u = float_bits(f);
    const int too_far = fabs((double)f) > fabs(d);
    u -= (uint32_t)too_far;
    return bits_float(u | 1);
}

/* a + b rounded to odd, from the exact error of the sum (D. Knuth, TAOCP 2, 4.2.2). */
INLINE double add_odd(double a, double b)
{
    const double s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
    if (e == 0 || s != s || isinf(s))
        return s;
    uint64_t u = double_bits(s);
    if ((u & 1) == 0)
        u = (e > 0) == (s > 0) ? u | 1 : u - 1;
    return bits_double(u);
}

INLINE uint16_t h_add(uint16_t a, uint16_t b)
{
    return f32_to_half(half_to_f32(a) + half_to_f32(b));
}
INLINE uint16_t h_sub(uint16_t a, uint16_t b)
{
    return f32_to_half(half_to_f32(a) - half_to_f32(b));
}
INLINE uint16_t h_mul(uint16_t a, uint16_t b)
{
    return f32_to_half(half_to_f32(a) * half_to_f32(b));
}
INLINE uint16_t h_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return f32_to_half(double_to_f32_odd((double)half_to_f32(a) * half_to_f32(b) + half_to_f32(c)));
}
/* Results that are below the least normal number when they are rounded to 11 bits, whatever their exponent, become zeros. */
INLINE uint16_t flushed_half(float f)
{
    return fabsf(f) < 0x1.ffep-15f ? (float_bits(f) >> 16 & 0x8000) : f32_to_half(f);
}
INLINE uint16_t h_mul_ftz(uint16_t a, uint16_t b)
{
    return flushed_half(half_to_f32(a) * half_to_f32(b));
}
INLINE uint16_t h_fma_ftz(uint16_t a, uint16_t b, uint16_t c)
{
    return flushed_half(double_to_f32_odd((double)half_to_f32(a) * half_to_f32(b) + half_to_f32(c)));
}
INLINE uint16_t b_add(uint16_t a, uint16_t b)
{
    return f32_to_bf16(double_to_f32_odd(add_odd(bf16_to_f32(a), bf16_to_f32(b))));
}
INLINE uint16_t b_sub(uint16_t a, uint16_t b)
{
    return b_add(a, b ^ 0x8000);
}
INLINE uint16_t b_mul(uint16_t a, uint16_t b)
{
    return f32_to_bf16(bf16_to_f32(a) * bf16_to_f32(b));
}
INLINE uint16_t b_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return f32_to_bf16(double_to_f32_odd(add_odd((double)bf16_to_f32(a) * bf16_to_f32(b), bf16_to_f32(c))));
}

INLINE float canonical_nan(void)
{
    return bits_float(0x7fffffffu);
}
/* The smaller and the larger value, -0 below 0. The other one where one is NaN; of two NaNs, f32 gives the canonical one and f64 the
 * second, made quiet. */
INLINE float min_f32(float a, float b)
{
    const float r = a == b ? bits_float(float_bits(a) | float_bits(b)) : a < b || b != b ? a : b;
    return r != r ? canonical_nan() : r;
}
INLINE float max_f32(float a, float b)
{
    const float r = a == b ? bits_float(float_bits(a) & float_bits(b)) : a > b || b != b ? a : b;
    return r != r ? canonical_nan() : r;
}
INLINE double quiet_nan(double a)
{
    return bits_double(double_bits(a) | 1ull << 51);
}
INLINE double min_f64(double a, double b)
{
    const double r = a == b ? bits_double(double_bits(a) | double_bits(b)) : a < b || b != b ? a : b;
    return r != r ? quiet_nan(b) : r;
}
INLINE double max_f64(double a, double b)
{
    const double r = a == b ? bits_double(double_bits(a) & double_bits(b)) : a > b || b != b ? a : b;
    return r != r ? quiet_nan(b) : r;
}
INLINE float abs_f32(float a)
{
    return bits_float(float_bits(a) & 0x7fffffffu);
}
INLINE float xorsign(float value, float a, float b)
{
    return value != value ? value
                          : bits_float((float_bits(value) & 0x7fffffffu) |
                                       ((float_bits(a) ^ float_bits(b)) & 0x80000000u));
}

INLINE uint16_t h_min(uint16_t a, uint16_t b)
{
    return f32_to_half(min_f32(half_to_f32(a), half_to_f32(b)));
}
INLINE uint16_t h_max(uint16_t a, uint16_t b)
{
    return f32_to_half(max_f32(half_to_f32(a), half_to_f32(b)));
}
INLINE uint16_t b_min(uint16_t a, uint16_t b)
{
    return f32_to_bf16(min_f32(bf16_to_f32(a), bf16_to_f32(b)));
}
INLINE uint16_t b_max(uint16_t a, uint16_t b)
{
    return f32_to_bf16(max_f32(bf16_to_f32(a), bf16_to_f32(b)));
}
INLINE int half_nan(uint16_t a)
{
    return (a & 0x7fff) > 0x7c00;
}
INLINE int bf16_nan(uint16_t a)
{
    return (a & 0x7fff) > 0x7f80;
}
INLINE uint16_t h_min_nan(uint16_t a, uint16_t b)
{
    return half_nan(a) || half_nan(b) ? 0x7fff : h_min(a, b);
}
INLINE uint16_t h_max_nan(uint16_t a, uint16_t b)
{
    return half_nan(a) || half_nan(b) ? 0x7fff : h_max(a, b);
}
INLINE uint16_t b_min_nan(uint16_t a, uint16_t b)
{
    return bf16_nan(a) || bf16_nan(b) ? 0x7fff : b_min(a, b);
}
INLINE uint16_t b_max_nan(uint16_t a, uint16_t b)
{
    return bf16_nan(a) || bf16_nan(b) ? 0x7fff : b_max(a, b);
}
/* The sign is that of the operands' product, the rest the smaller or larger magnitude. */
INLINE uint16_t sign_of_product(uint16_t value, uint16_t a, uint16_t b)
{
    return value == 0x7fff ? value : (value & 0x7fff) | ((a ^ b) & 0x8000);
}
INLINE uint16_t h_min_xor(uint16_t a, uint16_t b)
{
    return sign_of_product(h_min(a & 0x7fff, b & 0x7fff), a, b);
}
INLINE uint16_t h_max_xor(uint16_t a, uint16_t b)
{
    return sign_of_product(h_max(a & 0x7fff, b & 0x7fff), a, b);
}
INLINE uint16_t b_min_xor(uint16_t a, uint16_t b)
{
    return sign_of_product(b_min(a & 0x7fff, b & 0x7fff), a, b);
}
INLINE uint16_t b_max_xor(uint16_t a, uint16_t b)
{
    return sign_of_product(b_max(a & 0x7fff, b & 0x7fff), a, b);
}
INLINE uint16_t h_min_nan_xor(uint16_t a, uint16_t b)
{
    return half_nan(a) || half_nan(b) ? 0x7fff : h_min_xor(a, b);
}
INLINE uint16_t h_max_nan_xor(uint16_t a, uint16_t b)
{
    return half_nan(a) || half_nan(b) ? 0x7fff : h_max_xor(a, b);
}
INLINE uint16_t b_min_nan_xor(uint16_t a, uint16_t b)
{
    return bf16_nan(a) || bf16_nan(b) ? 0x7fff : b_min_xor(a, b);
}
INLINE uint16_t b_max_nan_xor(uint16_t a, uint16_t b)
{
    return bf16_nan(a) || bf16_nan(b) ? 0x7fff : b_max_xor(a, b);
}
INLINE uint16_t h_relu(uint16_t a)
{
    return half_nan(a) ? 0x7fff : a & 0x8000 ? 0 : a;
}
INLINE uint16_t b_relu(uint16_t a)
{
    return bf16_nan(a) ? 0x7fff : a & 0x8000 ? 0 : a;
}
INLINE uint16_t h_fma_relu(uint16_t a, uint16_t b, uint16_t c)
{
    return h_relu(h_fma(a, b, c));
}
INLINE uint16_t b_fma_relu(uint16_t a, uint16_t b, uint16_t c)
{
    return b_relu(b_fma(a, b, c));
}

INLINE float round_even_f32(float a)
{
    /* Adding and taking away 2^23 rounds; larger values are integers already. */
    const float magic = 0x1p23f, positive = abs_f32(a);
    const float r = positive < magic ? (positive + magic) - magic : positive;
    return bits_float(float_bits(r) | (float_bits(a) & 0x80000000u));
}

/* 2^x: the integer part into the exponent in two steps, the rest by a polynomial (largest error 1.2 ulp). */
INLINE float ex2_f32(float x)
{
    const float t = x < -150.0f ? -150.0f : x > 128.0f ? 128.0f : x;
    const float n = (t + 0x1.8p23f) - 0x1.8p23f, f = t - n;
    float p = 1.5353362e-4f; /* fitted for the least largest error from -1/2 to 1/2 */
    p = p * f + 1.3398874e-3f;
    p = p * f + 9.6184374e-3f;
    p = p * f + 5.5503325e-2f;
    p = p * f + 2.4022648e-1f;
    p = p * f + 6.9314720e-1f;
    p = p * f + 1.0f;
    const int32_t e = (int32_t)(t == t ? n : 0), e1 = e >> 1, e2 = e - e1;
    const float r = p * bits_float((uint32_t)(e1 + 127) << 23) * bits_float((uint32_t)(e2 + 127) << 23);
    return x != x ? x : r;
}
INLINE float lg2_f32(float x)
{
    return x == 0 ? -INFINITY : log2f(x); /* with subnormal values flushed these are 0 here, too */
}
/* a times the reciprocal of b, which is 0 where it would be subnormal. */
INLINE float div_approx(float a, float b)
{
    return abs_f32(b) > 0x1p126f ? a * bits_float(float_bits(b) & 0x80000000u) : a / b;
}
/* Instructions that read and write the upper 32 bits of a binary64 alone. */
INLINE double upper_half(double a)
{
    return bits_double(double_bits(a) & ~0xffffffffull);
}
INLINE float sqrt_f32(float x)
{
    return sqrtf(x);
}
INLINE float fma_f32(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
INLINE double fma_f64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
INLINE uint16_t h_ex2(uint16_t a)
{
    return f32_to_half(ex2_f32(half_to_f32(a)));
}
INLINE uint16_t b_ex2(uint16_t a)
{
    return f32_to_bf16(ex2_f32(bf16_to_f32(a)));
}
INLINE uint16_t h_tanh(uint16_t a)
{
    return f32_to_half(tanhf(half_to_f32(a)));
}
INLINE uint16_t b_tanh(uint16_t a)
{
    return f32_to_bf16(tanhf(bf16_to_f32(a)));
}

/* e4m3 (no infinity, NaN 0x7f) and e5m2 to float; both are exact in binary16 too. */
INLINE float e5m2_to_f32(uint8_t v)
{
    return half_to_f32((uint16_t)(v << 8));
}
INLINE float e4m3_to_f32(uint8_t v)
{
    const uint32_t sign = (uint32_t)(v & 0x80) << 24, a = v & 0x7f;
    if (a == 0x7f)
        return bits_float(0x7fffffffu);
    return bits_float(float_bits(bits_float(a << 20) * 0x1p120f) | sign);
}
/* Round to nearest even with saturation to the largest finite value; `mantissa` bits, exponent bias, largest value. */
static inline __attribute__((unused)) uint8_t f32_to_fp8(float f, int e5m2)
{
    const uint32_t u = float_bits(f), sign = u >> 24 & 0x80, a = u & 0x7fffffffu;
    if (a > 0x7f800000u)
        return 0x7f;
    const int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
    const float largest = e5m2 ? 57344.0f : 448.0f, value = bits_float(a);
    if (value >= largest)
        return (uint8_t)(sign | (e5m2 ? 0x7b : 0x7e));
    const int lowest = 1 - bias;
    int exponent = (int)(a >> 23) - 127;
    if (exponent < lowest)
        exponent = lowest;
    const float scaled =
        ldexpf(value, mantissa - exponent); /* the significand as an integer with its fraction */
    uint32_t q = (uint32_t)rintf(scaled);
    if (q == 2u << mantissa) {
        q >>= 1;
        exponent++;
    }
    const uint32_t code =
        q < 1u << mantissa ? q : (uint32_t)(exponent + bias) << mantissa | (q & ((1u << mantissa) - 1));
    return (uint8_t)(sign | code);
}

#endif

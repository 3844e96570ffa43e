/* How tensor cores add up products. The rules were found from results that a card gave (README.md, "How true its values are"): all
 * products of a group and the accumulator are cut to multiples of one power of two, and their exact sum is cut to the result. */
#ifndef ASSAY_DEVICE_PTX_TENSOR_SUM_H
#define ASSAY_DEVICE_PTX_TENSOR_SUM_H

#include "device/ptx/lanes.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Eight lanes at a time, as vectors of the compiler's. */
enum { TENSOR_LANES = 8 };
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef s32 s32x8 __attribute__((vector_size(32)));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef s32 s32x4 __attribute__((vector_size(16)));
typedef f64 f64x4 __attribute__((vector_size(32)));
typedef s64 s64x4 __attribute__((vector_size(32)));
typedef s16 s16x8 __attribute__((vector_size(16)));
typedef s64 s64x2 __attribute__((vector_size(16)));

/* Bits below the largest exponent that terms keep, and of the fraction that results keep. */
typedef struct tensor_rule {
    int bits, fraction;
    bool to_half; /* the sum is for f16, which it is rounded to, to nearest */
} tensor_rule;

/* Exponents of zeros and of what is not finite: so far off that the largest sum of two shows that one of them is among its terms. */
enum { EXPONENT_OF_ZERO = -1000, EXPONENT_OF_INFINITE = 2000, NEAR = 100, FINITE_MOST = 300 };

INLINE s16x8 tensor_exponents_of_8(const f32 *values)
{
    s32x8 a;
    memcpy(&a, values, sizeof a);
    a &= 0x7fffffff;
    const s32x8 field = a >> 23, normal = field > 1, zero = a == 0, special = field == 255;
    s32x8 e = ((field & normal) | (1 & ~normal)) - 127;
    e = (e & ~zero & ~special) | (EXPONENT_OF_ZERO & zero) | (EXPONENT_OF_INFINITE & special);
    return __builtin_convertvector(e, s16x8);
}

/* `count` is a multiple of 8. */
INLINE void tensor_exponents(const f32 *values, u32 count, s16 *exponents)
{
    for (u32 j = 0; j < count; j += TENSOR_LANES) {
        const s16x8 e = tensor_exponents_of_8(values + j);
        memcpy(exponents + j, &e, sizeof e);
    }
}

/* One factor of the products: value k of lane q at k * stride + q, with its exponent. */
typedef struct tensor_factor {
    const f32 *value;
    const s16 *exponent;
    u32 stride;
} tensor_factor;

/* ---- products with zero ---- */

/* The largest exponent of a row or column of a factor. */
INLINE s16 tensor_most(const s16 *exponents, u32 count, u32 stride)
{
    s16 most = EXPONENT_OF_ZERO;
    for (u32 k = 0; k < count; k++)
        most = exponents[k * stride] > most ? exponents[k * stride] : most;
    return most;
}

/* Whether all products of two such rows or columns are zero: tiles of small problems are mostly padding. */
INLINE bool tensor_all_zero(s16 a, s16 b)
{
    return (a == EXPONENT_OF_ZERO && b < FINITE_MOST) || (b == EXPONENT_OF_ZERO && a < FINITE_MOST);
}

/* Add products that are all zero to sums of 24 bits, which keeps them. */
INLINE void tensor_add_zero(f32 *d)
{
    for (u32 q = 0; q < TENSOR_LANES; q++)
        d[q] += 0.0f;
}

/* ---- sums ---- */

/* The sums of four lanes as f32: cut to the rule's fraction, beyond the range infinite; or rounded to odd, so that rounding them to f16
 * afterwards is rounding once. */
INLINE void tensor_results(f64x4 sum, tensor_rule rule, f32 *d)
{
    const s64 cut = (1ll << (52 - rule.fraction)) - 1;
    const s64x4 bits = (s64x4)sum, odd = ((bits & cut) != 0) & (cut + 1);
    const f32x4 out = __builtin_convertvector((f64x4)((bits & ~cut) | (rule.to_half ? odd : odd & 0)), f32x4);
    memcpy(d, &out, sizeof out);
}

/* 2^e of four lanes, for |e| < 1000. */
INLINE f64x4 tensor_powers(s64x4 e)
{
    return (f64x4)((e + 1023) << 52);
}

INLINE f64x4 widen(const f32 *values)
{
    f32x4 v;
    memcpy(&v, values, sizeof v);
    return __builtin_convertvector(v, f64x4);
}

/* Truncated; for magnitudes below 2^31. */
INLINE f64x4 truncated(f64x4 v)
{
    return __builtin_convertvector(__builtin_convertvector(v, s32x4), f64x4);
}

/* d += the products of four lanes, whatever the values; `largest` are the largest exponents of their terms. */
static void tensor_add_any(tensor_factor x, tensor_factor y, u32 depth, s64x4 largest, tensor_rule rule,
                           f32 *d)
{
    const f64x4 infinity = {INFINITY, INFINITY, INFINITY, INFINITY};
    const s64x4 magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const s64x4 counts =
        (largest < FINITE_MOST) & (largest > -FINITE_MOST); /* others: not finite, or all zeros */
    largest &= counts;
    const f64x4 up = tensor_powers(rule.bits - largest), down = tensor_powers(largest - rule.bits);
    f64x4 sum = {0}, special = {0};
    for (u32 k = 0; k <= depth; k++) { /* the last term is the accumulator */
        const f64x4 term = k < depth ? widen(x.value + k * x.stride) * (f64)y.value[k * y.stride] : widen(d);
        const s64x4 finite = (f64x4)((s64x4)term & magnitude) < infinity;
        sum += truncated((f64x4)((s64x4)term & finite & counts) * up);
        special += (f64x4)((s64x4)term & ~finite);
        const s64x4 is_nan = special != special;
        if (is_nan[0] & is_nan[1] & is_nan[2] & is_nan[3]) /* as in rows of a tile that nobody has written */
            break;
    }
    sum *= down;
    const f64x4 least = {0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126}; /* f32 keeps no less than 2^-149 */
    const s64x4 small = (f64x4)((s64x4)sum & magnitude) < least, is_special = special != 0;
    const f64x4 cut = truncated((f64x4)((s64x4)sum & small) * 0x1p149) * 0x1p-149;
    sum = (f64x4)(((s64x4)cut & small) | ((s64x4)sum & ~(small & magnitude))); /* with the sum's sign */
    sum = (f64x4)(((s64x4)special & is_special) | ((s64x4)sum & ~is_special));
    tensor_results(sum, rule, d);
}

/* The larger of each pair; a compiler does not find the instruction in the plain form. */
INLINE s16x8 larger(s16x8 a, s16x8 b)
{
#if defined(__SSE2__)
    return (s16x8)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    const s16x8 first = a > b;
    return (a & first) | (b & ~first);
#endif
}

/* The largest exponents of the terms of eight lanes. */
INLINE s16x8 tensor_largest(tensor_factor x, tensor_factor y, u32 depth, const f32 *d)
{
    s16x8 e = tensor_exponents_of_8(d), both;
    for (u32 k = 0; k < depth; k++) {
        memcpy(&both, x.exponent + k * x.stride, sizeof both);
        e = larger(both + y.exponent[k * y.stride], e);
    }
    return e;
}

/* d += the sum of `depth` products of x, a lane each, with y, the same for all lanes, for eight lanes. Where the largest exponent is in
 * the middle of the range of f32, a product is right in f32 or too small to count, and 8 of them fit a s32. */
INLINE void tensor_add(tensor_factor x, tensor_factor y, u32 depth, tensor_rule rule, f32 *d)
{
    f32x8 c;
    s32x8 parts[3] = {0};
    memcpy(&c, d, sizeof c);
    const s16x8 largest = tensor_largest(x, y, depth, d), low = largest < -NEAR;
    const s16x8 far = (largest > NEAR) | (low & (largest > EXPONENT_OF_ZERO + NEAR));
    const s64x2 any_far = (s64x2)far;
    if (__builtin_expect((any_far[0] | any_far[1]) != 0, 0)) {
        for (u32 q = 0; q < TENSOR_LANES; q += 4) {
            const tensor_factor lanes = {x.value + q, x.exponent + q, x.stride};
            const s64x4 four = {largest[q], largest[q + 1], largest[q + 2], largest[q + 3]};
            tensor_add_any(lanes, y, depth, four, rule, d + q);
        }
        return;
    }
    const s32x8 e = __builtin_convertvector((largest & ~low) | (-NEAR & low), s32x8);
    const f32x8 up = (f32x8)((127 + rule.bits - e) << 23), down = (f32x8)((127 - rule.bits + e) << 23);
    parts[0] = __builtin_convertvector(c * up, s32x8);
    for (u32 k = 0; k < depth; k++) {
        f32x8 v;
        memcpy(&v, x.value + k * x.stride, sizeof v);
        parts[1 + k / 8 % 2] += __builtin_convertvector(v * y.value[k * y.stride] * up, s32x8);
    }
    for (int h = 0; h < 2; h++) {
        s32x4 part[3];
        f32x4 scale;
        for (int i = 0; i < 3; i++)
            memcpy(&part[i], (const char *)&parts[i] + 16 * h, sizeof part[i]);
        memcpy(&scale, (const char *)&down + 16 * h, sizeof scale);
        const f64x4 sum = (__builtin_convertvector(part[0], f64x4) + __builtin_convertvector(part[1], f64x4) +
                           __builtin_convertvector(part[2], f64x4)) *
                          __builtin_convertvector(scale, f64x4);
        tensor_results(sum, rule, d + 4 * h);
    }
}

#endif

/* How tensor cores add up products. The rules were found from results that a card gave (README.md, "How true its values are"): all
 * products of a group and the accumulator are cut to multiples of one power of two, and their exact sum is cut to the result. */
#ifndef ASSAY_DEVICE_PTX_TENSOR_SUM_H
#define ASSAY_DEVICE_PTX_TENSOR_SUM_H

#include "device/ptx/lanes.h"

/* Eight lanes at a time, as vectors of the compiler's. */
enum { TENSOR_LANES = 8 };
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef s32 s32x8 __attribute__((vector_size(32)));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef s32 s32x4 __attribute__((vector_size(16)));
typedef f64 f64x4 __attribute__((vector_size(32)));
typedef s64 s64x4 __attribute__((vector_size(32)));

/* Bits below the largest exponent that terms keep, and of the fraction that results keep. */
typedef struct tensor_rule {
    int bits, fraction;
    bool to_half; /* the sum is for f16, which it is rounded to, to nearest */
} tensor_rule;

/* Exponents of zeros and of what is not finite: so far off that the largest sum of two shows that one of them is among its terms. */
enum { EXPONENT_OF_ZERO = -1000, EXPONENT_OF_INFINITE = 2000, NEAR = 100 };

INLINE s32 tensor_exponent(f32 f)
{
    const u32 a = float_bits(f) & 0x7fffffffu, field = a >> 23;
    const s32 e = (s32)(field > 1 ? field : 1) - 127;
    return a == 0 ? EXPONENT_OF_ZERO : field == 255 ? EXPONENT_OF_INFINITE : e;
}

INLINE void tensor_exponents(const f32 *values, u32 count, s32 *exponents)
{
    for (u32 j = 0; j < count; j++)
        exponents[j] = tensor_exponent(values[j]);
}

/* One factor of the products: value k of lane q at k * stride + q, with its exponent. */
typedef struct tensor_factor {
    const f32 *value;
    const s32 *exponent;
    u32 stride;
} tensor_factor;

/* The sum of one lane, whatever the values: `largest` is the largest exponent of a term. */
static f64 tensor_sum_of_any(tensor_factor x, tensor_factor y, u32 depth, f32 c, int largest, int bits)
{
    f64 sum = 0, special = 0;
    for (u32 k = 0; k <= depth; k++) { /* the last term is the accumulator */
        const f64 term = k < depth ? (f64)x.value[k * x.stride] * (f64)y.value[k * y.stride] : (f64)c;
        if (isfinite(term))
            sum += trunc(ldexp(term, bits - largest));
        else
            special += term;
    }
    if (special != 0)
        return special;
    sum = ldexp(sum, largest - bits);
    return fabs(sum) < 0x1p-126 ? ldexp(trunc(ldexp(sum, 149)), -149) : sum; /* f32 keeps no less */
}

/* The sum as f32: cut to the rule's fraction, beyond the range infinite; or rounded to odd, so that rounding it to f16 afterwards is
 * rounding once. */
INLINE f32 tensor_result(f64 sum, tensor_rule rule)
{
    const u64 cut = (1ull << (52 - rule.fraction)) - 1, s = double_bits(sum);
    return (f32)bits_double((s & ~cut) | (rule.to_half && (s & cut) ? cut + 1 : 0));
}

/* d += the sum of `depth` products of x, a lane each, with y, the same for all lanes, for eight lanes. Where the largest exponent is in
 * the middle of the range of f32, a product is right in f32 or too small to count, and 8 of them fit a s32. */
INLINE void tensor_add(tensor_factor x, tensor_factor y, u32 depth, tensor_rule rule, f32 *d)
{
    f32x8 c;
    s32x8 e, parts[3] = {0};
    memcpy(&c, d, sizeof c);
    for (int q = 0; q < TENSOR_LANES; q++)
        e[q] = tensor_exponent(d[q]);
    for (u32 k = 0; k < depth; k++) {
        s32x8 both;
        memcpy(&both, x.exponent + k * x.stride, sizeof both);
        both += y.exponent[k * y.stride];
        const s32x8 more = both > e;
        e = (both & more) | (e & ~more);
    }
    const s32x8 far = (e > NEAR) | ((e < -NEAR) & (e > EXPONENT_OF_ZERO + NEAR)), low = e < -NEAR;
    s64 any_far[4];
    memcpy(any_far, &far, sizeof far);
    if (__builtin_expect((any_far[0] | any_far[1] | any_far[2] | any_far[3]) != 0, 0)) {
        for (u32 q = 0; q < TENSOR_LANES; q++) {
            const tensor_factor lane = {x.value + q, x.exponent + q, x.stride};
            d[q] = tensor_result(tensor_sum_of_any(lane, y, depth, d[q], e[q], rule.bits), rule);
        }
        return;
    }
    e = (e & ~low) | (-NEAR & low);
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
        f32x4 out;
        for (int i = 0; i < 3; i++)
            memcpy(&part[i], (const char *)&parts[i] + 16 * h, sizeof part[i]);
        memcpy(&scale, (const char *)&down + 16 * h, sizeof scale);
        const f64x4 sum = (__builtin_convertvector(part[0], f64x4) + __builtin_convertvector(part[1], f64x4) +
                           __builtin_convertvector(part[2], f64x4)) *
                          __builtin_convertvector(scale, f64x4);
        const s64 cut = (1ll << (52 - rule.fraction)) - 1;
        const s64x4 bits = (s64x4)sum, odd = ((bits & cut) != 0) & (cut + 1);
        out = __builtin_convertvector((f64x4)((bits & ~cut) | (rule.to_half ? odd : odd & 0)), f32x4);
        memcpy(d + 4 * h, &out, sizeof out);
    }
}

#endif

/* Element types, their names and exact conversions between storage bits and float.
 *
 * The conversions are branch-light inline C so that references, input generators and comparisons
 * agree bit for bit on every host; they round to nearest, ties to even, and keep NaN and infinities. */
#ifndef ASSAY_DTYPE_H
#define ASSAY_DTYPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_dtype {
    ASSAY_F32 = 0,
    ASSAY_F16 = 1,  /* IEEE binary16 */
    ASSAY_BF16 = 2, /* bfloat16: the upper half of binary32 */
    ASSAY_F64 = 3,  /* only for references; never a kernel dtype */
    /* A math mode of f32: a case's dtype, never a tensor's. Its tensors are ASSAY_F32, and its kernels may multiply factors of
     * which 10 bits of the fraction are left. */
    ASSAY_TF32 = 4
} assay_dtype;

enum { ASSAY_DTYPE_COUNT = 5 };

/* What the tensors of a case hold: the dtype itself, or ASSAY_F32 for tf32. */
static inline assay_dtype assay_dtype_storage(assay_dtype dtype)
{
    return dtype == ASSAY_TF32 ? ASSAY_F32 : dtype;
}

/* "f32", "f16", "bf16", "f64", "tf32"; NULL for an unknown value. */
static inline const char *assay_dtype_name(assay_dtype dtype)
{
    static const char *const names[ASSAY_DTYPE_COUNT] = {"f32", "f16", "bf16", "f64", "tf32"};
    return (unsigned)dtype < ASSAY_DTYPE_COUNT ? names[dtype] : NULL;
}

/* Size of one element in bytes; 0 for an unknown value. */
static inline size_t assay_dtype_bytes(assay_dtype dtype)
{
    static const unsigned char bytes[ASSAY_DTYPE_COUNT] = {4, 2, 2, 8, 4};
    return (unsigned)dtype < ASSAY_DTYPE_COUNT ? bytes[dtype] : 0;
}

/* 1 and *dtype set if `name` names a dtype, else 0. */
static inline int assay_dtype_parse(const char *name, assay_dtype *dtype)
{
    for (int i = 0; i < ASSAY_DTYPE_COUNT; i++) {
        if (strcmp(name, assay_dtype_name((assay_dtype)i)) == 0) {
            *dtype = (assay_dtype)i;
            return 1;
        }
    }
    return 0;
}

/* Unit roundoff u of a dtype (half the gap between 1 and the next value): 2^-24, 2^-11, 2^-8, 2^-53; of tf32's factors
 * 2^-11. */
static inline double assay_dtype_roundoff(assay_dtype dtype)
{
    static const double u[ASSAY_DTYPE_COUNT] = {0x1p-24, 0x1p-11, 0x1p-8, 0x1p-53, 0x1p-11};
    return (unsigned)dtype < ASSAY_DTYPE_COUNT ? u[dtype] : 0.0;
}

static inline uint32_t assay_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float assay_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float assay_bf16_to_float(uint16_t bits)
{
    return assay_bits_float((uint32_t)bits << 16);
}

static inline uint16_t assay_float_to_bf16(float value)
{
    uint32_t bits = assay_float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN: keep it quiet, never round it up to infinity */
        return (uint16_t)((bits >> 16) | 0x0040u);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static inline float assay_f16_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) /* infinity or NaN */
        return assay_bits_float(sign | 0x7f800000u | ((magnitude & 0x03ffu) << 13));
    if (magnitude < 0x0400u) { /* zero or subnormal: value = magnitude * 2^-24, exact in binary32 */
        const float value = (float)magnitude * 0x1p-24f;
        return assay_bits_float(assay_float_bits(value) | sign);
    }
    return assay_bits_float(sign | ((magnitude << 13) + (112u << 23)));
}

static inline uint16_t assay_float_to_f16(float value)
{
    const uint32_t bits = assay_float_bits(value);
    const uint16_t sign = (uint16_t)((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x03ffu));
    if (magnitude >= 0x477ff000u) /* 65520 and up round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) { /* below 2^-14: adding 0.5 lets the FPU round to a multiple of 2^-24 */
        const float shifted = assay_bits_float(magnitude) + 0.5f;
        return (uint16_t)(sign | (uint16_t)(assay_float_bits(shifted) - 0x3f000000u));
    }
    return (uint16_t)(sign |
                      (uint16_t)((magnitude - (112u << 23) + 0x0fffu + ((magnitude >> 13) & 1u)) >> 13));
}

#ifdef __cplusplus
}
#endif
#endif

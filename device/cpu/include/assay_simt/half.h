/* __half and __nv_bfloat16, their pairs, conversions and arithmetic: what <cuda_fp16.h> and <cuda_bf16.h> give.
 *
 * What the two types have in common is written once, in half_operations.inc, and included for each. */
#ifndef ASSAY_SIMT_HALF_H
#define ASSAY_SIMT_HALF_H

#include <assay/dtype.h>
#include <assay_simt/math_functions.h>

namespace assay_simt
{
/* Truncate an inexact result towards "odd": with two bits to spare, a later rounding to nearest is then the only one.
 * (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008) */
inline double odd_fma(double a, double b, double c) /* a * b is exact in binary64 for 16-bit floats */
{
    const double product = a * b, sum = product + c;
    const double part = sum - product, error = (product - (sum - part)) + (c - part);
    if (!(error < 0.0 || error > 0.0)) /* exact, infinite or NaN */
        return sum;
    const long long bits = bit_cast<long long>(sum);
    if (bits & 1)
        return sum;
    return bit_cast<double>(bits + ((error > 0.0) == (sum > 0.0) ? 1 : -1));
}

inline float odd_float(double x)
{
    const float nearest = static_cast<float>(x);
    const double difference = x - static_cast<double>(nearest);
    if (!(difference < 0.0 || difference > 0.0))
        return nearest;
    const unsigned bits = bit_cast<unsigned>(nearest);
    if (bits & 1u)
        return nearest;
    return bit_cast<float>(bits + ((difference > 0.0) == (x > 0.0) ? 1u : ~0u));
}
} // namespace assay_simt

struct __half_raw {
    unsigned short x;
};
struct __nv_bfloat16_raw {
    unsigned short x;
};

#define H      __half
#define H_RAW  __half_raw
#define H2     __half2
#define H_TO_F assay_f16_to_float
#define F_TO_H assay_float_to_f16
#define H_NAN  0x7fffu /* CUDA's canonical NaN */
#define H_INF  0x7c00u
#include <assay_simt/half_operations.inc>

#define H      __nv_bfloat16
#define H_RAW  __nv_bfloat16_raw
#define H2     __nv_bfloat162
#define H_TO_F assay_bf16_to_float
#define F_TO_H assay_float_to_bf16
#define H_NAN  0x7fffu
#define H_INF  0x7f80u
#include <assay_simt/half_operations.inc>

typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- conversions, whose names differ between the two types ---- */

#define ASSAY_SIMT_HALF_CONVERSIONS(H, H2, name)             \
    inline H __float2##name(float x)                         \
    {                                                        \
        return H(x);                                         \
    }                                                        \
    inline H __float2##name##_rn(float x)                    \
    {                                                        \
        return H(x);                                         \
    }                                                        \
    inline H __double2##name(double x)                       \
    {                                                        \
        return H(assay_simt::odd_float(x));                  \
    }                                                        \
    inline float __##name##2float(H x)                       \
    {                                                        \
        return static_cast<float>(x);                        \
    }                                                        \
    inline H2 __float2##name##2_rn(float x)                  \
    {                                                        \
        return H2(H(x), H(x));                               \
    }                                                        \
    inline H2 __floats2##name##2_rn(float x, float y)        \
    {                                                        \
        return H2(H(x), H(y));                               \
    }                                                        \
    inline H2 __float22##name##2_rn(float2 v)                \
    {                                                        \
        return H2(H(v.x), H(v.y));                           \
    }                                                        \
    inline H2 __##name##2##name##2(H x)                      \
    {                                                        \
        return H2(x, x);                                     \
    }                                                        \
    inline H2 __halves2##name##2(H x, H y)                   \
    {                                                        \
        return H2(x, y);                                     \
    }                                                        \
    inline H __int2##name##_rn(int x)                        \
    {                                                        \
        return H(assay_simt::odd_float(x));                  \
    }                                                        \
    inline H __uint2##name##_rn(unsigned x)                  \
    {                                                        \
        return H(assay_simt::odd_float(x));                  \
    }                                                        \
    inline int __##name##2int_rn(H x)                        \
    {                                                        \
        return __float2int_rn(static_cast<float>(x));        \
    }                                                        \
    inline int __##name##2int_rz(H x)                        \
    {                                                        \
        return __float2int_rz(static_cast<float>(x));        \
    }                                                        \
    inline int __##name##2int_rd(H x)                        \
    {                                                        \
        return __float2int_rd(static_cast<float>(x));        \
    }                                                        \
    inline int __##name##2int_ru(H x)                        \
    {                                                        \
        return __float2int_ru(static_cast<float>(x));        \
    }                                                        \
    inline unsigned __##name##2uint_rn(H x)                  \
    {                                                        \
        return __float2uint_rn(static_cast<float>(x));       \
    }                                                        \
    inline unsigned __##name##2uint_rz(H x)                  \
    {                                                        \
        return __float2uint_rz(static_cast<float>(x));       \
    }                                                        \
    inline unsigned short __##name##_as_ushort(H x)          \
    {                                                        \
        return x.bits;                                       \
    }                                                        \
    inline short __##name##_as_short(H x)                    \
    {                                                        \
        return static_cast<short>(x.bits);                   \
    }                                                        \
    inline H __ushort_as_##name(unsigned short x)            \
    {                                                        \
        return H::from_bits(x);                              \
    }                                                        \
    inline H __short_as_##name(short x)                      \
    {                                                        \
        return H::from_bits(static_cast<unsigned short>(x)); \
    }
ASSAY_SIMT_HALF_CONVERSIONS(__half, __half2, half)
ASSAY_SIMT_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)
#undef ASSAY_SIMT_HALF_CONVERSIONS

/* Parts of pairs: CUDA's names say bfloat16 for one type and half for the other. */
#define ASSAY_SIMT_PAIR_PARTS(H, H2, name)  \
    inline H __low2##name(H2 v)             \
    {                                       \
        return v.x;                         \
    }                                       \
    inline H __high2##name(H2 v)            \
    {                                       \
        return v.y;                         \
    }                                       \
    inline H2 __low2##name##2(H2 v)         \
    {                                       \
        return H2(v.x, v.x);                \
    }                                       \
    inline H2 __high2##name##2(H2 v)        \
    {                                       \
        return H2(v.y, v.y);                \
    }                                       \
    inline H2 __lows2##name##2(H2 a, H2 b)  \
    {                                       \
        return H2(a.x, b.x);                \
    }                                       \
    inline H2 __highs2##name##2(H2 a, H2 b) \
    {                                       \
        return H2(a.y, b.y);                \
    }
ASSAY_SIMT_PAIR_PARTS(__half, __half2, half)
ASSAY_SIMT_PAIR_PARTS(__nv_bfloat16, __nv_bfloat162, bfloat16)
#undef ASSAY_SIMT_PAIR_PARTS

inline __half2 make_half2(__half x, __half y)
{
    return __half2(x, y);
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
inline float2 __half22float2(__half2 v)
{
    return {static_cast<float>(v.x), static_cast<float>(v.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return {static_cast<float>(v.x), static_cast<float>(v.y)};
}

#endif

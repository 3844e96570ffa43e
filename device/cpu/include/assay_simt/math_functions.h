/* CUDA's math functions and intrinsics that the C library does not have. Fast intrinsics (__expf ...) are computed with
 * full precision: the CPU device checks logic; a GPU's reduced accuracy shows on the GPU. Rounding-mode variants other than
 * to nearest (_rn) exist only where a kernel needs them: conversions to integers. */
#ifndef ASSAY_SIMT_MATH_FUNCTIONS_H
#define ASSAY_SIMT_MATH_FUNCTIONS_H

#include <assay_simt/builtins.h>

inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
inline float rsqrt(float x)
{
    return rsqrtf(x);
}
inline float rcbrtf(float x)
{
    return 1.0f / cbrtf(x);
}
inline float normcdff(float x)
{
    return 0.5f * erfcf(-x * 0.70710678118654752f);
}
inline double normcdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}
inline float sinpif(float x)
{
    return static_cast<float>(sin(3.14159265358979323846 * static_cast<double>(x)));
}
inline float cospif(float x)
{
    return static_cast<float>(cos(3.14159265358979323846 * static_cast<double>(x)));
}
inline float fdividef(float a, float b)
{
    return a / b;
}
inline float saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

inline float __expf(float x)
{
    return expf(x);
}
inline float __exp10f(float x)
{
    return powf(10.0f, x);
}
inline float __logf(float x)
{
    return logf(x);
}
inline float __log2f(float x)
{
    return log2f(x);
}
inline float __log10f(float x)
{
    return log10f(x);
}
inline float __powf(float x, float y)
{
    return powf(x, y);
}
inline float __sinf(float x)
{
    return sinf(x);
}
inline float __cosf(float x)
{
    return cosf(x);
}
inline float __tanf(float x)
{
    return tanf(x);
}
inline void __sincosf(float x, float *s, float *c)
{
    *s = sinf(x), *c = cosf(x);
}
inline float __tanhf(float x)
{
    return tanhf(x);
}
inline float __fdividef(float a, float b)
{
    return a / b;
}
inline float __saturatef(float x)
{
    return saturate(x);
}
inline float __frcp_rn(float x)
{
    return 1.0f / x;
}
inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
inline float __frsqrt_rn(float x)
{
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
inline float __fadd_rn(float a, float b)
{
    return a + b;
}
inline float __fsub_rn(float a, float b)
{
    return a - b;
}
inline float __fmul_rn(float a, float b)
{
    return a * b;
}
inline float __fmul_ru(float a, float b) // rounded upwards: the next number where the nearest lies below
{
    const float nearest = a * b;
    return fmaf(a, b, -nearest) > 0.0f ? nextafterf(nearest, INFINITY) : nearest;
}
inline float __fdiv_rn(float a, float b)
{
    return a / b;
}
inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b)
{
    return a + b;
}
inline double __dsub_rn(double a, double b)
{
    return a - b;
}
inline double __dmul_rn(double a, double b)
{
    return a * b;
}
inline double __ddiv_rn(double a, double b)
{
    return a / b;
}
inline double __dsqrt_rn(double a)
{
    return sqrt(a);
}
inline double __drcp_rn(double a)
{
    return 1.0 / a;
}
inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

namespace assay_simt
{
/* CUDA's conversions to integers saturate, and give 0 for NaN. */
template <class Int>
inline Int saturating_cast(double x)
{
    constexpr bool is_signed = static_cast<Int>(-1) < 0;
    constexpr int bits = static_cast<int>(8 * sizeof(Int)) - (is_signed ? 1 : 0);
    constexpr Int highest =
        is_signed ? static_cast<Int>((1ull << (8 * sizeof(Int) - 1)) - 1) : static_cast<Int>(~0ull);
    constexpr Int lowest = is_signed ? static_cast<Int>(-highest - 1) : static_cast<Int>(0);
    if (x != x)
        return 0;
    if (x >= ldexp(1.0, bits))
        return highest;
    if (x < static_cast<double>(lowest))
        return lowest;
    return static_cast<Int>(x);
}
} // namespace assay_simt

#define ASSAY_SIMT_CONVERSIONS(from, F, to, I)                                    \
    inline I __##from##2##to##_rn(F x)                                            \
    {                                                                             \
        return assay_simt::saturating_cast<I>(nearbyint(static_cast<double>(x))); \
    }                                                                             \
    inline I __##from##2##to##_rz(F x)                                            \
    {                                                                             \
        return assay_simt::saturating_cast<I>(trunc(static_cast<double>(x)));     \
    }                                                                             \
    inline I __##from##2##to##_rd(F x)                                            \
    {                                                                             \
        return assay_simt::saturating_cast<I>(floor(static_cast<double>(x)));     \
    }                                                                             \
    inline I __##from##2##to##_ru(F x)                                            \
    {                                                                             \
        return assay_simt::saturating_cast<I>(ceil(static_cast<double>(x)));      \
    }
ASSAY_SIMT_CONVERSIONS(float, float, int, int)
ASSAY_SIMT_CONVERSIONS(float, float, uint, unsigned)
ASSAY_SIMT_CONVERSIONS(float, float, ll, long long)
ASSAY_SIMT_CONVERSIONS(float, float, ull, unsigned long long)
ASSAY_SIMT_CONVERSIONS(double, double, int, int)
ASSAY_SIMT_CONVERSIONS(double, double, uint, unsigned)
ASSAY_SIMT_CONVERSIONS(double, double, ll, long long)
ASSAY_SIMT_CONVERSIONS(double, double, ull, unsigned long long)
#undef ASSAY_SIMT_CONVERSIONS
inline float __int2float_rn(int x)
{
    return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x)
{
    return static_cast<float>(x);
}
inline float __ll2float_rn(long long x)
{
    return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x)
{
    return static_cast<float>(x);
}
inline double __int2double_rn(int x)
{
    return static_cast<double>(x);
}
inline double __uint2double_rn(unsigned x)
{
    return static_cast<double>(x);
}
inline double __ll2double_rn(long long x)
{
    return static_cast<double>(x);
}
inline float __double2float_rn(double x)
{
    return static_cast<float>(x);
}

/* min and max as CUDA has them at global scope; of floats they return the operand that is not NaN. */
#define ASSAY_SIMT_MIN_MAX(A, B, R)                                                           \
    inline constexpr R min(A a, B b)                                                          \
    {                                                                                         \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }                                                                                         \
    inline constexpr R max(A a, B b)                                                          \
    {                                                                                         \
        return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }
ASSAY_SIMT_MIN_MAX(int, int, int)
ASSAY_SIMT_MIN_MAX(unsigned, unsigned, unsigned)
ASSAY_SIMT_MIN_MAX(int, unsigned, unsigned)
ASSAY_SIMT_MIN_MAX(unsigned, int, unsigned)
ASSAY_SIMT_MIN_MAX(long, long, long)
ASSAY_SIMT_MIN_MAX(unsigned long, unsigned long, unsigned long)
ASSAY_SIMT_MIN_MAX(long, unsigned long, unsigned long)
ASSAY_SIMT_MIN_MAX(unsigned long, long, unsigned long)
ASSAY_SIMT_MIN_MAX(long long, long long, long long)
ASSAY_SIMT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
ASSAY_SIMT_MIN_MAX(long long, unsigned long long, unsigned long long)
ASSAY_SIMT_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef ASSAY_SIMT_MIN_MAX
inline float min(float a, float b)
{
    return fminf(a, b);
}
inline float max(float a, float b)
{
    return fmaxf(a, b);
}
inline double min(double a, double b)
{
    return fmin(a, b);
}
inline double max(double a, double b)
{
    return fmax(a, b);
}
inline double min(float a, double b)
{
    return fmin(static_cast<double>(a), b);
}
inline double max(float a, double b)
{
    return fmax(static_cast<double>(a), b);
}
inline double min(double a, float b)
{
    return fmin(a, static_cast<double>(b));
}
inline double max(double a, float b)
{
    return fmax(a, static_cast<double>(b));
}
inline unsigned umin(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
inline unsigned umax(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

#ifndef CUDART_INF_F
#define CUDART_INF_F        __builtin_inff()
#define CUDART_NAN_F        __builtin_nanf("")
#define CUDART_PI_F         3.141592654f
#define CUDART_PIO2_F       1.570796327f
#define CUDART_PIO4_F       0.785398163f
#define CUDART_SQRT_TWO_F   1.414213562f
#define CUDART_LN2_F        0.693147180f
#define CUDART_L2E_F        1.442695041f
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define CUDART_ZERO_F       0.0f
#define CUDART_ONE_F        1.0f
#define CUDART_PI           3.1415926535897931e+0
#define CUDART_LN2          6.9314718055994529e-1
#define CUDART_L2E          1.4426950408889634e+0
#define CUDART_INF          __builtin_inf()
#define CUDART_NAN          __builtin_nan("")
#endif

#endif

// Atomics, integer and math intrinsics, and the 16-bit floats.
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define PROBE_KERNEL_SIDE
#include "probe.h"

template <class T>
static __device__ T number(int x)
{
    return T(static_cast<float>(x));
}

// args.variant threads in all add to one word of each type.
static __global__ void atomics(probe_args args)
{
    char *data = static_cast<char *>(args.data);
    const int me = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
              count = static_cast<int>(gridDim.x * blockDim.x);
    EXPECT(atomicAdd(reinterpret_cast<int *>(data), 1) < count);
    EXPECT(atomicAdd(reinterpret_cast<unsigned *>(data + 8), 2u) < 2u * static_cast<unsigned>(count));
    EXPECT(atomicAdd(reinterpret_cast<unsigned long long *>(data + 16), 1ull << 33) % (1ull << 33) == 0);
    EXPECT(atomicAdd(reinterpret_cast<float *>(data + 24), 1.0f) < static_cast<float>(count));
    EXPECT(atomicAdd(reinterpret_cast<double *>(data + 32), 0.5) < 0.5 * count);
    EXPECT(static_cast<float>(atomicAdd(reinterpret_cast<__half *>(data + 40), number<__half>(1))) < 2048.0f);
    EXPECT(static_cast<float>(
               atomicAdd(reinterpret_cast<__nv_bfloat16 *>(data + 42), number<__nv_bfloat16>(1))) <= 256.0f);
    EXPECT(__low2float(atomicAdd(reinterpret_cast<__half2 *>(data + 44), __floats2half2_rn(1.0f, -1.0f))) <
           2048.0f);
    EXPECT(atomicSub(reinterpret_cast<int *>(data + 48), 3) <= 0);
    EXPECT(atomicMax(reinterpret_cast<int *>(data + 52), me) <= count);
    EXPECT(atomicMin(reinterpret_cast<int *>(data + 56), -me) <= 0);
    EXPECT(atomicMax(reinterpret_cast<unsigned long long *>(data + 64),
                     static_cast<unsigned long long>(me)) <= 1ull << 32);
    EXPECT(atomicOr(reinterpret_cast<unsigned *>(data + 72), 1u << (me % 32)) <= 0xffffffffu);
    EXPECT(atomicXor(reinterpret_cast<unsigned *>(data + 76), 1u) <= 1u);
    EXPECT(atomicInc(reinterpret_cast<unsigned *>(data + 80), 9u) <= 9u);
    EXPECT(atomicDec(reinterpret_cast<unsigned *>(data + 84), 9u) <= 9u);
    EXPECT(atomicExch(reinterpret_cast<int *>(data + 88), 7) % 7 == 0);
    EXPECT(atomicAdd_block(reinterpret_cast<int *>(data + 92), 1) >= 0);
    unsigned *cas = reinterpret_cast<unsigned *>(data + 96);
    unsigned seen = atomicAdd(cas, 0u);
    for (unsigned assumed = ~seen; assumed != seen;) {
        assumed = seen;
        seen = atomicCAS(cas, assumed, assumed + 5u);
    }
    EXPECT(seen % 5u == 0);
    EXPECT(atomicAnd(reinterpret_cast<unsigned *>(data + 100), 0u) == 0u);
    EXPECT(atomicAdd(reinterpret_cast<float2 *>(data + 104), make_float2(1.0f, 2.0f)).x >= 0.0f);
}
PROBE_KERNEL(atomics)

static __global__ void integers(probe_args args)
{
    EXPECT(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64);
    EXPECT(__clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 && __clzll(0) == 64);
    EXPECT(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41);
    EXPECT(__brev(1u) == 0x80000000u && __brevll(2ull) == 0x4000000000000000ull);
    EXPECT(__byte_perm(0x33221100u, 0x77665544u, 0x7531u) == 0x77553311u);
    EXPECT(__byte_perm(0x80u, 0u, 0x0008u) == 0x808080ffu);
    EXPECT(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(1u, 1u, 1) == 0x80000000u);
    EXPECT(__mulhi(-2, 1 << 30) == -1 && __umulhi(~0u, ~0u) == ~0u - 1u);
    EXPECT(__umul64hi(~0ull, 2ull) == 1ull && __mul64hi(-1ll, 2ll) == -1ll);
    EXPECT(min(3, -2) == -2 && max(3u, 4u) == 4u && min(1ll << 40, 2ll) == 2ll && max(2, 3u) == 3u);
    EXPECT(min(1.0f, 2.0f) == 1.0f && max(1.0, 2.0f) == 2.0);
    EXPECT(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    EXPECT(__float_as_uint(-0.0f) == 0x80000000u && __longlong_as_double(__double_as_longlong(3.5)) == 3.5);
    EXPECT(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2 && __float2int_rd(-2.1f) == -3 &&
           __float2int_ru(2.1f) == 3);
    EXPECT(__float2int_rn(1e20f) == 0x7fffffff && __float2int_rn(-1e20f) == -0x7fffffff - 1 &&
           __float2int_rn(NAN) == 0);
    EXPECT(__float2uint_rn(-1.0f) == 0u && __float2uint_rz(4294967040.0f) == 4294967040u &&
           __float2uint_rn(1e20f) == ~0u);
    EXPECT(__float2ll_rn(-1e30f) == -0x7fffffffffffffffll - 1 && __double2ull_rn(1e30) == ~0ull);
    EXPECT(clock64() <= clock64());
}
PROBE_KERNEL(integers)

static __global__ void math(probe_args args)
{
    EXPECT(fabsf(__expf(1.0f) - 2.7182818f) < 1e-6f && fabsf(__logf(2.0f) - 0.6931472f) < 1e-7f);
    EXPECT(exp2f(3.0f) == 8.0f && fmaf(2.0f, 3.0f, 1.0f) == 7.0f && rsqrtf(4.0f) == 0.5f);
    EXPECT(__fdividef(1.0f, 4.0f) == 0.25f && __frcp_rn(8.0f) == 0.125f &&
           __fmaf_rn(2.0f, 2.0f, 1.0f) == 5.0f);
    EXPECT(fabsf(erff(0.5f) - 0.5204999f) < 1e-6f && fabsf(tanhf(0.5f) - 0.4621172f) < 1e-6f);
    EXPECT(fabsf(normcdff(0.0f) - 0.5f) < 1e-7f && __saturatef(2.0f) == 1.0f && __saturatef(-1.0f) == 0.0f);
    EXPECT(isnan(NAN) && isinf(INFINITY) && !isfinite(INFINITY) && signbit(-0.0f));
    EXPECT(fmaxf(NAN, 1.0f) == 1.0f && fminf(1.0f, NAN) == 1.0f);
    float s, c;
    __sincosf(0.0f, &s, &c);
    EXPECT(s == 0.0f && c == 1.0f);
    EXPECT(__ldg(static_cast<const int *>(args.data)) == 0);
    __stcs(static_cast<int *>(args.data) + 1, 42);
    EXPECT(__ldcs(static_cast<int *>(args.data) + 1) == 42);
    const float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    EXPECT(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float2) == 8 && sizeof(float3) == 12 &&
           v.w == 4.0f);
    EXPECT(sizeof(uchar4) == 4 && alignof(short4) == 8 && alignof(uint4) == 16 && alignof(double2) == 16);
}
PROBE_KERNEL(math)

// All 65536 values of a 16-bit float go to binary32 and back unchanged; midpoints round to even.
template <class T>
static __device__ void check_conversions(const probe_args &args)
{
    bool good = true;
    for (unsigned bits = threadIdx.x; bits < 65536u; bits += blockDim.x) {
        const T value = T::from_bits(bits);
        const float wide = static_cast<float>(value);
        if (wide != wide) {
            good = good && __hisnan(value) && __hisnan(T(wide));
            continue;
        }
        good = good && T(wide).bits == bits && assay::to_float(assay::from_float<T>(wide)) == wide;
        const float next = static_cast<float>(T::from_bits(bits + 1u));
        if (isfinite(wide) && isfinite(next) && (bits & 0x7fffu) != 0x7fffu)
            good = good && T(0.5f * wide + 0.5f * next).bits == ((bits & 1u) ? bits + 1u : bits);
    }
    EXPECT(good);
}
static __global__ void conversions(probe_args args)
{
    check_conversions<__half>(args);
    check_conversions<__nv_bfloat16>(args);
    EXPECT(__half_as_ushort(__float2half_rn(65520.0f)) == 0x7c00u);
    EXPECT(__half_as_ushort(__float2half(1.0f)) == 0x3c00u &&
           __bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3f80u);
    EXPECT(__half2float(__ushort_as_half(0x0001u)) == 0x1p-24f);
    EXPECT(__half2int_rn(__float2half(2.5f)) == 2 && __bfloat162int_rz(__float2bfloat16(-2.5f)) == -2);
    EXPECT(static_cast<float>(__double2half(1.0 + 0x1p-11 + 0x1p-40)) ==
           1.0f + 0x1p-10f); // binary32 in between would round down
    const __nv_bfloat162 pair = __float22bfloat162_rn(make_float2(1.0f, 2.0f));
    EXPECT(__low2float(pair) == 1.0f && __bfloat1622float2(pair).y == 2.0f);
    EXPECT(__half22float2(__floats2half2_rn(3.0f, 4.0f)).x == 3.0f &&
           __high2float(__half2half2(__float2half(5.0f))) == 5.0f);
    EXPECT(__half2float(__low2half(__halves2half2(__float2half(1.0f), __float2half(2.0f)))) == 1.0f);
    EXPECT(__low2float(__lowhigh2highlow(__floats2half2_rn(3.0f, 4.0f))) == 4.0f);
}
PROBE_KERNEL(conversions)

// The nearest 16-bit float to a value given in binary64, by search: no arithmetic of the code under test.
template <class T>
static __device__ unsigned nearest_bits(double x)
{
    const unsigned sign = x < 0.0 ? 0x8000u : 0u;
    const double magnitude = fabs(x);
    unsigned low = 0,
             high = sizeof(T) == 2 && T(1.0f).bits == 0x3c00u ? 0x7c00u : 0x7f80u; // first value not below
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (static_cast<double>(static_cast<float>(T::from_bits(middle))) < magnitude)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return sign;
    const double above = static_cast<double>(static_cast<float>(T::from_bits(low)));
    const double below = static_cast<double>(static_cast<float>(T::from_bits(low - 1)));
    const double to_above = above - magnitude, to_below = magnitude - below;
    return sign | (to_above < to_below || (to_above == to_below && low % 2 == 0) ? low : low - 1);
}

template <class T>
static __device__ void check_arithmetic(const probe_args &args)
{
    bool good = true;
    unsigned random = 12345u + threadIdx.x;
    for (int i = 0; i < 200; i++) {
        T v[3];
        for (T &x : v) {
            random = random * 1664525u + 1013904223u;
            x = T((static_cast<float>(random >> 9) - 4194304.0f) * (random & 256u ? 1e-6f : 3e-9f));
        }
        const double a = static_cast<float>(v[0]), b = static_cast<float>(v[1]), c = static_cast<float>(v[2]);
        good = good && __hadd(v[0], v[1]).bits == nearest_bits<T>(a + b) &&
               (v[0] - v[1]).bits == nearest_bits<T>(a - b);
        good = good && (v[0] * v[1]).bits == nearest_bits<T>(a * b);
        good = good && __hfma(v[0], v[1], v[2]).bits == nearest_bits<T>(a * b + c);
        good = good && (v[0] < v[1]) == (a < b) && (v[0] == v[0]) && __hge(v[0], v[1]) == (a >= b);
    }
    EXPECT(good);
    // The product lies half-way between two values and the addend, lost in binary64's rounding, decides.
    const T one = T(1.0f), tiny = T::from_bits(1u), step = T::from_bits(T(1.0f).bits + 1u);
    const T half_step = T((static_cast<float>(step) - 1.0f) * 0.5f);
    EXPECT(__hfma(half_step, one, one).bits == one.bits);
    EXPECT(__hfma(T(1.0f), T(1.0f), T(static_cast<float>(half_step) * 1.5f)).bits == step.bits);
    EXPECT(__hadd(one, tiny).bits == one.bits);
    const T nan = T(NAN), inf = T(INFINITY), zero = T(0.0f), minus_zero = T(-0.0f);
    EXPECT(__hisnan(nan) && !__hisnan(inf) && __hisinf(inf) == 1 && __hisinf(-inf) == -1 &&
           __hisnan(inf - inf));
    EXPECT(__hmax(nan, one).bits == one.bits && __hisnan(__hmax_nan(nan, one)) &&
           __hmin(minus_zero, zero).bits == minus_zero.bits);
    EXPECT(!(nan == nan) && nan != nan && !__hlt(nan, one) && __hltu(nan, one) && !__hne(nan, one));
    EXPECT(__habs(T(-2.0f)) == T(2.0f) && __hneg(one) == T(-1.0f) && __hsat(T(3.0f)) == one);
    EXPECT(hsqrt(T(4.0f)) == T(2.0f) && hrcp(T(4.0f)) == T(0.25f) && hexp2(T(3.0f)) == T(8.0f) &&
           hfloor(T(-1.5f)) == T(-2.0f));
}
static __global__ void arithmetic(probe_args args)
{
    check_arithmetic<__half>(args);
    check_arithmetic<__nv_bfloat16>(args);
    const __half2 a = __floats2half2_rn(1.0f, 2.0f), b = __floats2half2_rn(3.0f, -4.0f);
    EXPECT(__hadd2(a, b) == __floats2half2_rn(4.0f, -2.0f) && a * b == __floats2half2_rn(3.0f, -8.0f));
    EXPECT(__hfma2(a, b, a) == __floats2half2_rn(4.0f, -6.0f) &&
           __hmax2(a, b) == __floats2half2_rn(3.0f, 2.0f));
    EXPECT(__hgt2_mask(a, b) == 0xffff0000u && __hbge2(a, a) &&
           __heq2(a, a) == __floats2half2_rn(1.0f, 1.0f));
}
PROBE_KERNEL(arithmetic)

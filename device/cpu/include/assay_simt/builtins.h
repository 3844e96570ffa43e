/* threadIdx and friends, block barriers, fences, bit casts and other small built-ins. */
#ifndef ASSAY_SIMT_BUILTINS_H
#define ASSAY_SIMT_BUILTINS_H

#include <assay_simt/runtime.h>
#include <assay_simt/vector_types.h>
#include <cstddef>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS /* Bessel functions and the like, a third of what libstdc++ makes a kernel read */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace assay_simt
{
template <class To, class From>
inline To bit_cast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace assay_simt

/* The built-in variables read the running thread's context. blockDim and gridDim are variables, as host code may have its own of these
 * names; they convert to dim3. */
#define threadIdx (static_cast<const uint3 &>(assay_simt_current.self.at))
#define blockIdx  (static_cast<const uint3 &>(assay_simt_current.block_index))
extern ASSAY_SIMT_TLS __thread const uint3 blockDim __asm__("assay_simt_block_dim");
extern ASSAY_SIMT_TLS __thread const uint3 gridDim __asm__("assay_simt_grid_dim");

constexpr int warpSize = 32;

/* Where an operation was called; default arguments are evaluated at the call. */
#define ASSAY_SIMT_PLACE const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()

/* Macros, because only __COUNTER__ tells two barriers on one line apart. */
#define ASSAY_SIMT_BARRIER(predicate, op) \
    assay_simt_block_barrier(predicate, op, __FILE__, __LINE__, __COUNTER__)
#define __syncthreads()                ((void)ASSAY_SIMT_BARRIER(0, "__syncthreads"))
#define __syncthreads_count(predicate) ((int)ASSAY_SIMT_BARRIER((predicate) != 0, "__syncthreads_count"))
#define __syncthreads_or(predicate)    ((int)(ASSAY_SIMT_BARRIER((predicate) != 0, "__syncthreads_or") != 0))
#define __syncthreads_and(predicate)   ((int)(ASSAY_SIMT_BARRIER((predicate) == 0, "__syncthreads_and") == 0))

/* The form that a checked build announces (check_global.c), of which g++ warns that ThreadSanitizer does not take it in. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
/* A block lives on one thread of the host: only the compiler could change the order. */
inline void __threadfence_block()
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system()
{
    __threadfence();
}
inline void __nanosleep(unsigned)
{
    assay_simt_yield();
}

[[noreturn]] inline void __trap(ASSAY_SIMT_PLACE)
{
    assay_simt_trap("__trap", file_, line_);
}
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : assay_simt_trap("assertion `" #condition "` failed", __FILE__, __LINE__))
#endif

inline long long clock64()
{
#if defined(__x86_64__)
    return static_cast<long long>(__builtin_ia32_rdtsc());
#else
    static __thread long long ticks; /* monotonic is all that CUDA promises */
    return ++ticks;
#endif
}

/* ---- loads and stores with a cache hint: the hint means nothing here ---- */

#define ASSAY_SIMT_LOAD(name) \
    template <class T>        \
    inline T name(const T *p) \
    {                         \
        return *p;            \
    }
ASSAY_SIMT_LOAD(__ldg)
ASSAY_SIMT_LOAD(__ldca)
ASSAY_SIMT_LOAD(__ldcg)
ASSAY_SIMT_LOAD(__ldcs)
ASSAY_SIMT_LOAD(__ldlu)
ASSAY_SIMT_LOAD(__ldcv)
#undef ASSAY_SIMT_LOAD
#define ASSAY_SIMT_STORE(name)      \
    template <class T>              \
    inline void name(T *p, T value) \
    {                               \
        *p = value;                 \
    }
ASSAY_SIMT_STORE(__stwb)
ASSAY_SIMT_STORE(__stcg)
ASSAY_SIMT_STORE(__stcs)
ASSAY_SIMT_STORE(__stwt)
#undef ASSAY_SIMT_STORE

/* ---- bits ---- */

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
inline int __clzll(long long x)
{
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
inline unsigned long long __brevll(unsigned long long x)
{
    x = ((x >> 1) & 0x5555555555555555ull) | ((x & 0x5555555555555555ull) << 1);
    x = ((x >> 2) & 0x3333333333333333ull) | ((x & 0x3333333333333333ull) << 2);
    x = ((x >> 4) & 0x0f0f0f0f0f0f0f0full) | ((x & 0x0f0f0f0f0f0f0f0full) << 4);
    return __builtin_bswap64(x);
}
inline unsigned __brev(unsigned x)
{
    return static_cast<unsigned>(__brevll(x) >> 32);
}
/* Byte i of the result is byte (selector >> 4i & 7) of y:x; bit 3 of a selector replicates its sign. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = (static_cast<unsigned long long>(y) << 32) | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned s = (selector >> (4 * i)) & 0xf;
        unsigned byte = static_cast<unsigned>(bytes >> (8 * (s & 7))) & 0xff;
        if (s & 8)
            byte = (byte & 0x80) ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift)
{
    shift &= 31;
    return shift ? (hi << shift) | (lo >> (32 - shift)) : hi;
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift)
{
    shift &= 31;
    return shift ? (hi << (32 - shift)) | (lo >> shift) : lo;
}
inline int __mulhi(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline long long __mul64hi(long long a, long long b)
{
    return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline int __mul24(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) * static_cast<unsigned>((b << 8) >> 8));
}

inline int __float_as_int(float x)
{
    return assay_simt::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x)
{
    return assay_simt::bit_cast<unsigned>(x);
}
/* A shared address stands for itself here. */
inline size_t __cvta_generic_to_shared(const void *p)
{
    return reinterpret_cast<size_t>(p);
}
inline void *__cvta_shared_to_generic(size_t p)
{
    return reinterpret_cast<void *>(p);
}

inline float __int_as_float(int x)
{
    return assay_simt::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x)
{
    return assay_simt::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x)
{
    return assay_simt::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x)
{
    return assay_simt::bit_cast<double>(x);
}

#endif

/* CUDA's SIMD intrinsics: two halves or four bytes of a 32-bit word. */
#ifndef ASSAY_SIMT_SIMD_H
#define ASSAY_SIMT_SIMD_H

#include <assay_simt/keywords.h>
#include <stdint.h>

namespace assay_simt
{
/* Part by part: `f` of the parts as int, signed if T is; what it returns is cut to a part. */
template <class T, class F>
inline unsigned by_parts(unsigned a, unsigned b, F &&f)
{
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    constexpr unsigned mask = (1u << bits) - 1u;
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits)
        result |= (static_cast<unsigned>(f(static_cast<int>(static_cast<T>(a >> at & mask)),
                                           static_cast<int>(static_cast<T>(b >> at & mask)))) &
                   mask)
                  << at;
    return result;
}
/* The same, and the sum of what `f` returns. */
template <class T, class F>
inline unsigned sum_of_parts(unsigned a, unsigned b, F &&f)
{
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    constexpr unsigned mask = (1u << bits) - 1u;
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits)
        result += static_cast<unsigned>(f(static_cast<int>(static_cast<T>(a >> at & mask)),
                                          static_cast<int>(static_cast<T>(b >> at & mask))));
    return result;
}
template <class T>
inline int saturated(int x)
{
    constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
    constexpr int bits = 8 * static_cast<int>(sizeof(T)), most = (1 << (is_signed ? bits - 1 : bits)) - 1,
                  least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}
} // namespace assay_simt

#define ASSAY_SIMT_PARTS(name, T, expression)                                                   \
    inline unsigned name(unsigned a_, unsigned b_)                                              \
    {                                                                                           \
        return assay_simt::by_parts<T>(a_, b_, [](int a, int b) -> int { return expression; }); \
    }
#define ASSAY_SIMT_BOTH(name, kind, expression)       \
    ASSAY_SIMT_PARTS(name##2, kind##16_t, expression) \
    ASSAY_SIMT_PARTS(name##4, kind##8_t, expression)
#define ASSAY_SIMT_COMPARE(name, kind, op)               \
    ASSAY_SIMT_BOTH(__vcmp##name, kind, a op b ? -1 : 0) \
    ASSAY_SIMT_BOTH(__vset##name, kind, a op b ? 1 : 0)

ASSAY_SIMT_BOTH(__vadd, uint, a + b)
ASSAY_SIMT_BOTH(__vsub, uint, a - b)
ASSAY_SIMT_PARTS(__vaddss2, int16_t, assay_simt::saturated<int16_t>(a + b))
ASSAY_SIMT_PARTS(__vaddss4, int8_t, assay_simt::saturated<int8_t>(a + b))
ASSAY_SIMT_PARTS(__vaddus2, uint16_t, assay_simt::saturated<uint16_t>(a + b))
ASSAY_SIMT_PARTS(__vaddus4, uint8_t, assay_simt::saturated<uint8_t>(a + b))
ASSAY_SIMT_PARTS(__vsubss2, int16_t, assay_simt::saturated<int16_t>(a - b))
ASSAY_SIMT_PARTS(__vsubss4, int8_t, assay_simt::saturated<int8_t>(a - b))
ASSAY_SIMT_PARTS(__vsubus2, uint16_t, assay_simt::saturated<uint16_t>(a - b))
ASSAY_SIMT_PARTS(__vsubus4, uint8_t, assay_simt::saturated<uint8_t>(a - b))
ASSAY_SIMT_BOTH(__vmaxs, int, a > b ? a : b)
ASSAY_SIMT_BOTH(__vmaxu, uint, a > b ? a : b)
ASSAY_SIMT_BOTH(__vmins, int, a < b ? a : b)
ASSAY_SIMT_BOTH(__vminu, uint, a < b ? a : b)
ASSAY_SIMT_BOTH(__vavgs, int, (a + b + ((a + b) >= 0)) >> 1)
ASSAY_SIMT_BOTH(__vavgu, uint, (a + b + 1) >> 1)
ASSAY_SIMT_BOTH(__vhaddu, uint, (a + b) >> 1)
ASSAY_SIMT_BOTH(__vabsdiffs, int, a > b ? a - b : b - a)
ASSAY_SIMT_BOTH(__vabsdiffu, uint, a > b ? a - b : b - a)
ASSAY_SIMT_COMPARE(eq, uint, ==)
ASSAY_SIMT_COMPARE(ne, uint, !=)
ASSAY_SIMT_COMPARE(gts, int, >)
ASSAY_SIMT_COMPARE(gtu, uint, >)
ASSAY_SIMT_COMPARE(ges, int, >=)
ASSAY_SIMT_COMPARE(geu, uint, >=)
ASSAY_SIMT_COMPARE(lts, int, <)
ASSAY_SIMT_COMPARE(ltu, uint, <)
ASSAY_SIMT_COMPARE(les, int, <=)
ASSAY_SIMT_COMPARE(leu, uint, <=)
#undef ASSAY_SIMT_COMPARE
#undef ASSAY_SIMT_BOTH
#undef ASSAY_SIMT_PARTS

#define ASSAY_SIMT_ONE(name, T, expression)                                                   \
    inline unsigned name(unsigned a_)                                                         \
    {                                                                                         \
        return assay_simt::by_parts<T>(a_, 0u, [](int a, int) -> int { return expression; }); \
    }
ASSAY_SIMT_ONE(__vabs2, int16_t, a < 0 ? -a : a)
ASSAY_SIMT_ONE(__vabs4, int8_t, a < 0 ? -a : a)
ASSAY_SIMT_ONE(__vabsss2, int16_t, assay_simt::saturated<int16_t>(a < 0 ? -a : a))
ASSAY_SIMT_ONE(__vabsss4, int8_t, assay_simt::saturated<int8_t>(a < 0 ? -a : a))
ASSAY_SIMT_ONE(__vneg2, int16_t, -a)
ASSAY_SIMT_ONE(__vneg4, int8_t, -a)
#undef ASSAY_SIMT_ONE

#define ASSAY_SIMT_SUM(name, T)                                                                        \
    inline unsigned name(unsigned a_, unsigned b_)                                                     \
    {                                                                                                  \
        return assay_simt::sum_of_parts<T>(a_, b_,                                                     \
                                           [](int a, int b) -> int { return a > b ? a - b : b - a; }); \
    }
ASSAY_SIMT_SUM(__vsads2, int16_t)
ASSAY_SIMT_SUM(__vsads4, int8_t)
ASSAY_SIMT_SUM(__vsadu2, uint16_t)
ASSAY_SIMT_SUM(__vsadu4, uint8_t)
#undef ASSAY_SIMT_SUM

/* Dot products of four bytes, added to c. */
inline int __dp4a(int a, int b, int c)
{
    return c + static_cast<int>(assay_simt::sum_of_parts<int8_t>(
                   static_cast<unsigned>(a), static_cast<unsigned>(b), [](int x, int y) { return x * y; }));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    return c + assay_simt::sum_of_parts<uint8_t>(a, b, [](int x, int y) { return x * y; });
}

#endif

/* Handlers of alu.def, and of bit operations beside it. */
#include "device/ptx/lanes.h"
#include <xmmintrin.h>

INLINE s32 clamp_s32(s64 v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}
INLINE u16 min_u16(u16 a, u16 b)
{
    return a < b ? a : b;
}
INLINE u16 max_u16(u16 a, u16 b)
{
    return a > b ? a : b;
}
INLINE u16 min_s16(u16 a, u16 b)
{
    return (s16)a < (s16)b ? a : b;
}
INLINE u16 max_s16(u16 a, u16 b)
{
    return (s16)a > (s16)b ? a : b;
}
INLINE u16 relu_s16(u16 a)
{
    return (s16)a > 0 ? a : 0;
}
#define each16(fn, a, b) ((u32)fn((u16)(a), (u16)(b)) | (u32)fn((u16)((a) >> 16), (u16)((b) >> 16)) << 16)
#define each16_1(fn, a)  ((u32)fn((u16)(a)) | (u32)fn((u16)((a) >> 16)) << 16)
#define each16_3(fn, a, b, c)                                                                              \
    ((u32)fn((u16)(a), (u16)(b), (u16)(c)) | (u32)fn((u16)((a) >> 16), (u16)((b) >> 16), (u16)((c) >> 16)) \
                                                 << 16)

INLINE u64 bfe_u(u64 a, u32 at, u32 length, u32 width)
{
    at &= 255;
    length &= 255;
    if (at >= width || length == 0)
        return 0;
    a >>= at;
    return length >= width ? a : a & ((1ull << length) - 1);
}

/* The sign is the field's highest bit, or the value's where the field reaches beyond it. */
INLINE s64 bfe_s(s64 a, u32 at, u32 length, u32 width)
{
    at &= 255;
    length &= 255;
    if (length == 0)
        return 0;
    const u32 top = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
    const u64 sign = (u64)a >> top & 1;
    if (at >= width)
        return sign ? -1 : 0;
    const u32 bits = top - at + 1;
    const u64 field = bits >= 64 ? (u64)a >> at : (u64)a >> at & ((1ull << bits) - 1);
    return (s64)(sign && bits < 64 ? field | ~0ull << bits : field);
}

/* The highest bit that differs from the sign, or by how much to shift it to the top. */
INLINE u32 bfind_s(u64 a, u32 width, bool shift)
{
    const u64 all = width == 64 ? ~0ull : 0xffffffffu;
    const u64 v = a >> (width - 1) & 1 ? ~a & all : a;
    const u32 at = v ? 63 - (u32)__builtin_clzll(v) : ~0u;
    return shift && v ? width - 1 - at : at;
}

/* The upper 32 of the 48 bits of a product of 24-bit numbers. */
INLINE s64 mul24_hi(s32 a, s32 b)
{
    return ((s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8)) >> 16;
}

INLINE u32 brev32(u32 v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}

INLINE u32 prmt(u32 a, u32 b, u32 c)
{
    const u64 bytes = (u64)b << 32 | a;
    u32 r = 0;
    for (int k = 0; k < 4; k++) {
        const u32 select = c >> (4 * k);
        const u32 byte = (u32)(bytes >> (8 * (select & 7))) & 0xff;
        r |= (select & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << (8 * k);
    }
    return r;
}

/* The position of the n-th set bit from `base` on, upwards or, for a negative n, downwards. */
static inline u32 fns(u32 mask, u32 base, s32 n)
{
    if (n == INT32_MIN) /* as the card */
        return 0;
    if (n == 0)
        return mask >> (base & 31) & 1 ? base : ~0u;
    const s32 step = n > 0 ? 1 : -1;
    s32 left = n > 0 ? n : -n;
    for (s32 at = (s32)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (u32)at;
    return ~0u;
}

/* Of unsigned parts of `bits` each: side by side, or their sum. */
INLINE u32 absolute_differences(u32 a, u32 b, int bits, int sum)
{
    u32 all = 0;
    for (int at = 0; at < 32; at += bits) {
        const u32 mask = (1u << bits) - 1, x = a >> at & mask, y = b >> at & mask;
        all += (x > y ? x - y : y - x) << (sum ? 0 : at);
    }
    return all;
}

INLINE s32 dp4a(u32 a, u32 b, int sa, int sb)
{
    s32 sum = 0;
    for (int k = 0; k < 4; k++) {
        const s32 x = sa ? (s8)(a >> (8 * k)) : (s32)(u8)(a >> (8 * k)),
                  y = sb ? (s8)(b >> (8 * k)) : (s32)(u8)(b >> (8 * k));
        sum += x * y;
    }
    return sum;
}

#define LOOP(D, body)                             \
    if (m == ~0u) {                               \
        LANES_APART EACH(l)                       \
        {                                         \
            body pd[l] = (D)r;                    \
        }                                         \
    } else {                                      \
        LANES_APART EACH(l)                       \
        {                                         \
            body pd[l] = ON(m, l) ? (D)r : pd[l]; \
        }                                         \
    }                                             \
    return i + 1;

#define ALU1(id, class, name, sel, types, D, A, e)                    \
    static const insn *EXEC(run_##id)(warp * w, const insn *i, u32 m) \
    {                                                                 \
        const A *pa = REG(A, i->a);                                   \
        D *pd = REG(D, i->d);                                         \
        LOOP(D, const A a = pa[l]; const D r = (D)(e);)               \
    }
#define ALU2(id, class, name, sel, types, D, A, B, e)                      \
    static const insn *EXEC(run_##id)(warp * w, const insn *i, u32 m)      \
    {                                                                      \
        const A *pa = REG(A, i->a);                                        \
        const B *pb = REG(B, i->b);                                        \
        D *pd = REG(D, i->d);                                              \
        LOOP(D, const A a = pa[l]; const B b = pb[l]; const D r = (D)(e);) \
    }
#define ALU3(id, class, name, sel, types, D, A, B, C, e)                                      \
    static const insn *EXEC(run_##id)(warp * w, const insn *i, u32 m)                         \
    {                                                                                         \
        const A *pa = REG(A, i->a);                                                           \
        const B *pb = REG(B, i->b);                                                           \
        const C *pc = REG(C, i->c);                                                           \
        D *pd = REG(D, i->d);                                                                 \
        LOOP(D, const A a = pa[l]; const B b = pb[l]; const C c = pc[l]; const D r = (D)(e);) \
    }
#include "device/ptx/alu.def"
#undef ALU1
#undef ALU2
#undef ALU3

static const insn_run EXEC(alu)[OP_COUNT] = {
#define ALU1(id, ...) [OP_##id] = EXEC(run_##id),
#define ALU2(id, ...) [OP_##id] = EXEC(run_##id),
#define ALU3(id, ...) [OP_##id] = EXEC(run_##id),
#include "device/ptx/alu.def"
#undef ALU1
#undef ALU2
#undef ALU3
};

/* ---- rounding, flushing, saturation ---- */

static u32 control_register(u32 mode)
{
    u32 csr = 0x1f80;
    if (mode & MODE_FTZ)
        csr |= 0x8040;
    if (mode & MODE_RZ)
        csr |= 3u << 13;
    else if (mode & MODE_RM)
        csr |= 1u << 13;
    else if (mode & MODE_RP)
        csr |= 2u << 13;
    return csr;
}

static void saturate(warp *w, const insn *i, u32 m)
{
    EACH_ON(l, m)
    {
        if (i->type == TYPE_f32) {
            f32 *d = &REG(f32, i->d)[l];
            *d = *d > 0 ? (*d < 1 ? *d : 1.0f) : 0.0f;
        } else if (i->type == TYPE_f64) {
            f64 *d = &REG(f64, i->d)[l];
            *d = *d > 0 ? (*d < 1 ? *d : 1.0) : 0.0;
        } else {
            const bool bf = i->type == TYPE_bf16 || i->type == TYPE_bf16x2;
            u16 *d = (u16 *)w->base[0] + (i->d / 2) +
                     l * (i->type == TYPE_f16x2 || i->type == TYPE_bf16x2 ? 2 : 1);
            for (int k = 0; k < (i->type == TYPE_f16x2 || i->type == TYPE_bf16x2 ? 2 : 1); k++) {
                const f32 v = bf ? bf16_to_f32(d[k]) : half_to_f32(d[k]),
                          c = v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
                d[k] = bf ? f32_to_bf16(c) : f32_to_half(c);
            }
        }
    }
}

/* The exponent's bits of a lane of 16 bits (each half of a pair) or 32; 0: not flushed. */
static u32 exponent_mask(u32 type)
{
    return type == TYPE_f32                           ? 0x7f800000u
           : type == TYPE_f16 || type == TYPE_f16x2   ? 0x7c00
           : type == TYPE_bf16 || type == TYPE_bf16x2 ? 0x7f80
                                                      : 0;
}

/* Subnormal results to zeros of their sign, where the host's unit did not: handlers of bits, and halves. */
static void flush(warp *w, const insn *i, u32 m)
{
    const u32 exponent = exponent_mask(i->type),
              each = i->type == TYPE_f16x2 || i->type == TYPE_bf16x2 ? 2 : 1;
    if (i->type == TYPE_f32) {
        u32 *d = REG(u32, i->d);
        EACH(l) d[l] &= ON(m, l) && !(d[l] & exponent) ? 0x80000000u : ~0u;
    } else if (exponent) {
        u16 *d = REG(u16, i->d);
        for (u32 k = 0; k < LANES * each; k++)
            d[k] &= ON(m, k / each) && !(d[k] & exponent) ? 0x8000 : 0xffff;
    }
}

/* The vector unit of the host has the same modes: set them, run the plain handler, set them back. */
static const insn *EXEC(run_modified)(warp *w, const insn *i, u32 m)
{
    const u32 before = _mm_getcsr();
    _mm_setcsr(control_register(i->narrow));
    const insn *next = EXEC(alu)[i->op](w, i, m);
    _mm_setcsr(before);
    if (i->narrow & MODE_FTZ)
        flush(w, i, m);
    if (i->narrow & MODE_SAT)
        saturate(w, i, m);
    return next;
}

/* ---- bits ---- */

static const insn *EXEC(run_lop3)(warp *w, const insn *i, u32 m)
{
    const u32 *pa = REG(u32, i->a), *pb = REG(u32, i->b), *pc = REG(u32, i->c), f = i->sub;
    u32 *pd = REG(u32, i->d);
#define TERM(bit, x, y, z) ((f >> (bit)&1 ? ~0u : 0) & (x) & (y) & (z))
    LOOP(u32, const u32 a = pa[l]; const u32 b = pb[l]; const u32 c = pc[l];
         const u32 r = TERM(0, ~a, ~b, ~c) | TERM(1, ~a, ~b, c) | TERM(2, ~a, b, ~c) | TERM(3, ~a, b, c) |
                       TERM(4, a, ~b, ~c) | TERM(5, a, ~b, c) | TERM(6, a, b, ~c) | TERM(7, a, b, c);)
#undef TERM
}

static const insn *EXEC(run_bfi)(warp *w, const insn *i, u32 m)
{
    const u32 *at = REG(u32, i->c), *length = REG(u32, LIST(0)), bits = i->width * 8u;
    EACH_ON(l, m)
    {
        const u32 p = at[l] & 255, n = length[l] & 255;
        const u64 field = p >= bits ? 0 : (n >= 64 ? ~0ull : (1ull << n) - 1) << p;
        const u64 a = bits == 64 ? REG(u64, i->a)[l] : REG(u32, i->a)[l],
                  b = bits == 64 ? REG(u64, i->b)[l] : REG(u32, i->b)[l];
        const u64 r = (b & ~field) | ((p >= bits ? 0 : a << p) & field);
        if (bits == 64)
            REG(u64, i->d)[l] = r;
        else
            REG(u32, i->d)[l] = (u32)r;
    }
    return i + 1;
}

static const insn *EXEC(run_prmt_mode)(warp *w, const insn *i, u32 m)
{
    static const u16 selectors[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    EACH_ON(l, m)
    REG(u32, i->d)[l] = prmt(REG(u32, i->a)[l], REG(u32, i->b)[l], selectors[i->sub][REG(u32, i->c)[l] & 3]);
    return i + 1;
}

/* add.cc and its family: the carry of each lane is a bit of w->carry. */
static const insn *EXEC(run_carry)(warp *w, const insn *i, u32 m)
{
    const bool sets = i->sub & 1, reads = i->sub & 2, subtracts = i->sub & 4, multiplies = i->sub & 8,
               high = i->sub & 16;
    const bool wide = i->width == 8;
    EACH_ON(l, m)
    {
        u64 a = wide ? REG(u64, i->a)[l] : REG(u32, i->a)[l],
            b = wide ? REG(u64, i->b)[l] : REG(u32, i->b)[l];
        if (multiplies) {
            const unsigned __int128 product = !type_signed(i->type) ? (unsigned __int128)a * b
                                              : wide ? (unsigned __int128)((__int128)(s64)a * (s64)b)
                                                     : (unsigned __int128)(__int128)((s64)(s32)a * (s32)b);
            a = (u64)(high ? product >> (wide ? 64 : 32) : product);
            b = wide ? REG(u64, i->c)[l] : REG(u32, i->c)[l];
            if (!wide)
                a = (u32)a;
        }
        if (subtracts)
            b = wide ? ~b : (u32)~b;
        const u32 in =
            reads ? ON(w->carry, l) : subtracts; /* for subtraction the stored bit is "no borrow" */
        const unsigned __int128 sum = (unsigned __int128)a + b + in;
        const u32 out = (u32)(sum >> (wide ? 64 : 32)) & 1;
        if (sets)
            w->carry = (w->carry & ~(1u << l)) | out << l;
        if (wide)
            REG(u64, i->d)[l] = (u64)sum;
        else
            REG(u32, i->d)[l] = (u32)sum;
    }
    return i + 1;
}

static const insn *EXEC(run_dp2a)(warp *w, const insn *i, u32 m)
{
    const bool sa = i->sub & 2, sb = i->sub & 4;
    EACH_ON(l, m)
    {
        const u32 a = REG(u32, i->a)[l], b = REG(u32, i->b)[l] >> (i->sub & 1 ? 16 : 0);
        u32 sum = REG(u32, i->c)[l];
        for (int k = 0; k < 2; k++) {
            const s32 x = sa ? (s16)(a >> (16 * k)) : (s32)(u16)(a >> (16 * k));
            sum += (u32)(x * (sb ? (s8)(b >> (8 * k)) : (s32)(u8)(b >> (8 * k))));
        }
        REG(u32, i->d)[l] = sum;
    }
    return i + 1;
}

insn_run EXEC(pick_alu)(insn *i)
{
    switch (i->op) {
    case OP_LOP3:
        return EXEC(run_lop3);
    case OP_BFI:
        return EXEC(run_bfi);
    case OP_PRMT_MODE:
        return EXEC(run_prmt_mode);
    case OP_CARRY:
        return EXEC(run_carry);
    case OP_DP2A:
        return EXEC(run_dp2a);
    default:
        return EXEC(alu)[i->op] && i->narrow ? EXEC(run_modified) : EXEC(alu)[i->op];
    }
}

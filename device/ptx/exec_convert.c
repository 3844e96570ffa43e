/* Handlers of conversions: the vectorised ones of convert.def, and the general one. */
#include "device/ptx/convert.h"
#include "device/ptx/lanes.h"
#include <fenv.h>

/* Out of range: the nearest value; NaN: 0. */
INLINE s32 f32_to_s32(f32 a)
{
    const f32 t = a > -2147483648.0f ? (a < 2147483520.0f ? a : 2147483520.0f) : -2147483648.0f;
    const s32 r = (s32)(a == a ? t : 0);
    return a >= 2147483648.0f ? INT32_MAX : r;
}

/* 10 bits of mantissa. rna: ties away from zero, and NaNs as the card's sequence of instructions makes of them. */
INLINE u32 to_tf32(u32 u, u32 round, bool finite)
{
    const bool special = (u & 0x7f800000u) == 0x7f800000u;
    if (special && (u & 0x7fffffu) && round != ROUND_RNA)
        return 0x7fffe000u;
    if (round == ROUND_RNA)
        u += special ? 0 : 0x1000;
    else if (round == ROUND_RN && !special)
        u += 0xfff + (u >> 13 & 1);
    u &= ~0x1fffu;
    return finite && (u & 0x7f800000u) == 0x7f800000u ? u - 0x2000 : u;
}

#define CONVERT(id, to, from, round, D, S, e)                         \
    static const insn *EXEC(run_##id)(warp * w, const insn *i, u32 m) \
    {                                                                 \
        const S *pa = REG(S, i->a);                                   \
        D *pd = REG(D, i->d);                                         \
        if (m == ~0u) {                                               \
            LANES_APART EACH(l)                                       \
            {                                                         \
                const S a = pa[l];                                    \
                pd[l] = (D)(e);                                       \
            }                                                         \
        } else {                                                      \
            EACH_ON(l, m)                                             \
            {                                                         \
                const S a = pa[l];                                    \
                pd[l] = (D)(e);                                       \
            }                                                         \
        }                                                             \
        return i + 1;                                                 \
    }
#include "device/ptx/convert.def"
#undef CONVERT

static const insn_run EXEC(fast)[CONVERT_COUNT] = {
#define CONVERT(id, ...) [CONVERT_##id] = EXEC(run_##id),
#include "device/ptx/convert.def"
#undef CONVERT
};

/* ---- the general conversion ---- */

typedef struct value {
    f64 real;
    s64 integer;
    bool is_real, is_unsigned; /* is_unsigned: a 64-bit integer above INT64_MAX */
    bool is_wide;              /* a binary64 */
    u32 bits;                  /* of a binary32, with a NaN's payload */
} value;

static value read_value(u64 raw, u32 type)
{
    value v = {0};
    f32 narrow;
    switch (type) {
    case TYPE_u8:
        v.integer = (u8)raw;
        break;
    case TYPE_s8:
        v.integer = (s8)raw;
        break;
    case TYPE_u16:
        v.integer = (u16)raw;
        break;
    case TYPE_s16:
        v.integer = (s16)raw;
        break;
    case TYPE_u32:
        v.integer = (u32)raw;
        break;
    case TYPE_s32:
        v.integer = (s32)raw;
        break;
    case TYPE_u64:
        v.is_unsigned = true;
        v.integer = (s64)raw;
        break;
    case TYPE_s64:
        v.integer = (s64)raw;
        break;
    default:
        v.is_real = true;
        v.is_wide = type == TYPE_f64;
        if (v.is_wide) {
            v.real = bits_double(raw);
        } else {
            narrow = type == TYPE_f16    ? half_to_f32((u16)raw)
                     : type == TYPE_bf16 ? bf16_to_f32((u16)raw)
                                         : bits_float((u32)raw);
            v.real = narrow;
            v.bits = (u32)raw;
        }
    }
    return v;
}

static f64 round_to_integer(f64 x, u32 round)
{
    switch (round) {
    case ROUND_RZI:
    case ROUND_RZ:
        return trunc(x);
    case ROUND_RMI:
    case ROUND_RM:
        return floor(x);
    case ROUND_RPI:
    case ROUND_RP:
        return ceil(x);
    default:
        return rint(x);
    }
}

INLINE u32 integer_bits(u32 type)
{
    return type == TYPE_u2 || type == TYPE_s2   ? 2
           : type == TYPE_u4 || type == TYPE_s4 ? 4
                                                : type_bytes(type) * 8;
}

static u64 to_integer(value v, u32 type, u32 round, bool sat)
{
    const u32 bits = integer_bits(type);
    const bool sign = type_signed(type);
    const f64 low = sign ? -ldexp(1, (int)bits - 1) : 0, high = ldexp(1, (int)bits - (sign ? 1 : 0));
    const u64 most = bits == 64 ? (sign ? INT64_MAX : UINT64_MAX) : (1ull << (bits - (sign ? 1 : 0))) - 1;
    const u64 least = sign ? 0 - (1ull << (bits - 1)) : 0;
    if (v.is_real) {
        if (v.real != v.real)
            return bits == 64 || v.is_wide ? 1ull << (bits - 1) : 0;
        const f64 r = round_to_integer(v.real, round);
        return r < low ? least : r >= high ? most : sign ? (u64)(s64)r : (u64)r;
    }
    if (!sat)
        return (u64)v.integer;
    if (v.is_unsigned && v.integer < 0)
        return most;
    if (v.integer < 0)
        return !sign || v.integer < (s64)least ? least : (u64)v.integer;
    return (u64)v.integer > most ? most : (u64)v.integer;
}

static int host_rounding(u32 round)
{
    return round == ROUND_RZ   ? FE_TOWARDZERO
           : round == ROUND_RM ? FE_DOWNWARD
           : round == ROUND_RP ? FE_UPWARD
                               : FE_TONEAREST;
}

/* To 16 or fewer bits with a directed rounding: cut, then step away from zero where the rounding says so. */
static u16 cut_to_16(f32 f, bool bf, u32 round)
{
    u16 r;
    if (bf) {
        r = (u16)(float_bits(f) >> 16);
        if (f != f)
            return 0x7fff;
    } else {
        r = f32_to_half(f);
        const f32 back = half_to_f32(r);
        if (fabsf(back) > fabsf(f) && !isinf(f))
            r--;
    }
    const f32 back = bf ? bf16_to_f32(r) : half_to_f32(r);
    const bool inexact = back != f;
    if (inexact && ((round == ROUND_RP && f > 0) || (round == ROUND_RM && f < 0)))
        r++;
    return r;
}

static u64 to_real(value v, u32 type, u32 round, u32 flags)
{
    if (v.is_real && round >= ROUND_RNI)
        v.real = round_to_integer(v.real, round);
    const int rounding = host_rounding(round);
    if (rounding != FE_TONEAREST) /* what the host has elsewhere */
        fesetround(rounding);
    volatile f64 source = v.real;
    volatile f32 narrow = v.is_real ? (f32)source : v.is_unsigned ? (f32)(u64)v.integer : (f32)v.integer;
    volatile f64 wide = v.is_real ? source : v.is_unsigned ? (f64)(u64)v.integer : (f64)v.integer;
    if (rounding != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    if (!v.is_real && v.integer == 0) /* clang's sum of two halves is -0 where it rounds down */
        wide = 0;
    f32 n = narrow;
    if (flags & CONVERT_FTZ && type == TYPE_f32 && fabsf(n) < 0x1p-126f)
        n = copysignf(0, n);
    if (flags & CONVERT_RELU)
        n = n > 0 || n != n ? n : 0;
    if (flags & CONVERT_SAT) {
        n = n > 0 ? (n < 1 ? n : 1.0f) : 0;
        wide = wide > 0 ? (wide < 1 ? wide : 1.0) : 0;
    }
    switch (type) {
    case TYPE_f64:
        return double_bits(wide);
    case TYPE_f32:
        return float_bits(n);
    case TYPE_tf32:
        return to_tf32(flags & CONVERT_RELU ? float_bits(n) : v.bits, round, flags & CONVERT_FINITE);
    case TYPE_f16:
    case TYPE_bf16: {
        const bool bf = type == TYPE_bf16;
        const f32 odd = v.is_real ? double_to_f32_odd(v.real) : double_to_f32_odd((f64)wide);
        const f32 from = flags & (CONVERT_RELU | CONVERT_SAT) ? n : odd;
        const u16 r = round == ROUND_RZ || round == ROUND_RM || round == ROUND_RP ? cut_to_16(n, bf, round)
                      : bf                                                        ? f32_to_bf16(from)
                                                                                  : f32_to_half(from);
        return flags & CONVERT_FINITE && (r & 0x7fff) == (bf ? 0x7f80 : 0x7c00) ? (u16)(r - 1) : r;
    }
    default:
        return 0;
    }
}

static const insn *EXEC(run_cvt)(warp *w, const insn *i, u32 m)
{
    const char *from = REG(char, i->a);
    char *to = REG(char, i->d);
    const u32 bytes = type_bytes(i->type);
    EACH_ON(l, m)
    {
        u64 raw = 0, r;
        memcpy(&raw, from + l * i->narrow, i->narrow);
        value v = read_value(raw, i->from);
        if (i->flags & CONVERT_FTZ && i->from == TYPE_f32 && i->type != TYPE_f16 && fabs(v.real) < 0x1p-126)
            v.real = copysign(0, v.real);
        if (type_float(i->type)) {
            r = to_real(v, i->type, i->sub, i->flags);
        } else {
            r = to_integer(v, i->type, i->sub, i->flags & CONVERT_SAT);
            if (bytes < 8) { /* into a register that may be wider */
                const u32 cut = 64 - 8 * bytes;
                r = type_signed(i->type) ? (u64)((s64)(r << cut) >> cut) : r << cut >> cut;
            }
        }
        memcpy(to + l * i->width, &r, i->width);
    }
    return i + 1;
}

/* Two floats: a into the upper half, b into the lower. */
static const insn *EXEC(run_cvt_pack)(warp *w, const insn *i, u32 m)
{
    const f32 *pa = REG(f32, i->a), *pb = REG(f32, i->b);
    u32 *pd = REG(u32, i->d);
    const bool bf = i->type == TYPE_bf16x2, relu = i->flags & CONVERT_RELU;
    if (i->sub == ROUND_RN && !i->flags) {
        if (bf)
            EACH(l) pd[l] = ON(m, l) ? (u32)f32_to_bf16(pa[l]) << 16 | f32_to_bf16(pb[l]) : pd[l];
        else
            EACH(l) pd[l] = ON(m, l) ? (u32)f32_to_half(pa[l]) << 16 | f32_to_half(pb[l]) : pd[l];
        return i + 1;
    }
    EACH_ON(l, m)
    {
        u16 r[2];
        for (int k = 0; k < 2; k++) {
            const f32 v = k ? pa[l] : pb[l], c = relu && !(v > 0 || v != v) ? 0 : v;
            r[k] = i->sub == ROUND_RZ ? cut_to_16(c, bf, ROUND_RZ) : bf ? f32_to_bf16(c) : f32_to_half(c);
            if (i->flags & CONVERT_FINITE && (r[k] & 0x7fff) == (bf ? 0x7f80 : 0x7c00))
                r[k]--;
        }
        pd[l] = (u32)r[1] << 16 | r[0];
    }
    return i + 1;
}

static const insn *EXEC(run_cvt_fp8)(warp *w, const insn *i, u32 m)
{
    const bool e5m2 = i->type == TYPE_e5m2x2, relu = i->flags & CONVERT_RELU;
    EACH_ON(l, m)
    {
        u16 r = 0;
        for (u32 k = 0; k < 2; k++) {
            f32 v;
            if (i->from == TYPE_f32)
                v = k ? REG(f32, i->a)[l] : REG(f32, i->b)[l];
            else
                v = half_to_f32((u16)(REG(u32, i->a)[l] >> (16 * k)));
            if (relu && !(v > 0 || v != v))
                v = 0;
            r |= (u16)(f32_to_fp8(v, e5m2) << (8 * k));
        }
        REG(u16, i->d)[l] = r;
    }
    return i + 1;
}

static const insn *EXEC(run_cvt_from_fp8)(warp *w, const insn *i, u32 m)
{
    EACH_ON(l, m)
    {
        const u16 v = REG(u16, i->a)[l];
        u32 r = 0;
        for (u32 k = 0; k < 2; k++) {
            const u8 byte = (u8)(v >> (8 * k));
            u16 h = f32_to_half(i->from == TYPE_e5m2x2 ? e5m2_to_f32(byte) : e4m3_to_f32(byte));
            if (i->flags & CONVERT_RELU)
                h = h_relu(h);
            r |= (u32)h << (16 * k);
        }
        REG(u32, i->d)[l] = r;
    }
    return i + 1;
}

/* cvt.pack.sat: b, then a above it, then what fits of c above both. */
static const insn *EXEC(run_cvt_pack_int)(warp *w, const insn *i, u32 m)
{
    const u32 bits = integer_bits(i->type);
    const u32 cut = bits == 32 ? ~0u : (1u << bits) - 1;
    EACH_ON(l, m)
    {
        const value a = {.integer = REG(s32, i->a)[l]}, b = {.integer = REG(s32, i->b)[l]};
        const u32 low = (u32)to_integer(b, i->type, 0, true) & cut,
                  high = (u32)to_integer(a, i->type, 0, true) & cut;
        u32 r = low | high << (bits & 31);
        if (i->c != NO_OPERAND)
            r |= REG(u32, i->c)[l] << (2 * bits);
        REG(u32, i->d)[l] = r;
    }
    return i + 1;
}

insn_run EXEC(pick_convert)(insn *i)
{
    switch (i->op) {
    case OP_CVT_FAST:
        return EXEC(fast)[i->sub];
    case OP_CVT:
        return EXEC(run_cvt);
    case OP_CVT_PACK:
        return EXEC(run_cvt_pack);
    case OP_CVT_FP8:
        return EXEC(run_cvt_fp8);
    case OP_CVT_FROM_FP8:
        return EXEC(run_cvt_from_fp8);
    case OP_CVT_PACK_INT:
        return EXEC(run_cvt_pack_int);
    default:
        return NULL;
    }
}

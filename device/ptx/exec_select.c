/* Handlers of comparisons, predicates, selections, packing. */
#include "device/ptx/convert.h"
#include "device/ptx/lanes.h"
#include <xmmintrin.h>

/* The lanes where an expression in a and b holds, as a mask. */
#define WHERE(T, e)                       \
    {                                     \
        u32 bits[LANES];                  \
        LANES_APART EACH(l)               \
        {                                 \
            const T a = pa[l], b = pb[l]; \
            bits[l] = (e) ? 1u << l : 0;  \
        }                                 \
        u32 all = 0;                      \
        EACH(l) all |= bits[l];           \
        return all;                       \
    }

/* Comparisons of a type; NaN makes the ordered ones false and the unordered ones true. */
#define COMPARE(name, T)                                               \
    static u32 EXEC(compare_##name)(const T *pa, const T *pb, u32 cmp) \
    {                                                                  \
        switch (cmp) {                                                 \
        case CMP_EQ:                                                   \
            WHERE(T, a == b)                                           \
        case CMP_NE:                                                   \
            WHERE(T, (a < b) | (a > b))                                \
        case CMP_LT:                                                   \
            WHERE(T, a < b)                                            \
        case CMP_LE:                                                   \
            WHERE(T, a <= b)                                           \
        case CMP_GT:                                                   \
            WHERE(T, a > b)                                            \
        case CMP_GE:                                                   \
            WHERE(T, a >= b)                                           \
        case CMP_EQU:                                                  \
            WHERE(T, !((a < b) | (a > b)))                             \
        case CMP_NEU:                                                  \
            WHERE(T, a != b)                                           \
        case CMP_LTU:                                                  \
            WHERE(T, !(a >= b))                                        \
        case CMP_LEU:                                                  \
            WHERE(T, !(a > b))                                         \
        case CMP_GTU:                                                  \
            WHERE(T, !(a <= b))                                        \
        case CMP_GEU:                                                  \
            WHERE(T, !(a < b))                                         \
        case CMP_NUM:                                                  \
            WHERE(T, (a == a) & (b == b))                              \
        default:                                                       \
            WHERE(T, (a != a) | (b != b))                              \
        }                                                              \
    }
COMPARE(u16, u16)
COMPARE(s16, s16)
COMPARE(u32, u32)
COMPARE(s32, s32)
COMPARE(u64, u64)
COMPARE(s64, s64)
COMPARE(f32, f32)
COMPARE(f64, f64)

static u32 compare_halves(warp *w, const insn *i, u32 type, u32 shift)
{
    f32 a[LANES], b[LANES];
    const bool two = type == TYPE_f16x2 || type == TYPE_bf16x2, bf = type == TYPE_bf16 || type == TYPE_bf16x2;
    EACH(l)
    {
        const u16 x = two ? (u16)(REG(u32, i->a)[l] >> shift) : REG(u16, i->a)[l];
        const u16 y = two ? (u16)(REG(u32, i->b)[l] >> shift) : REG(u16, i->b)[l];
        a[l] = bf ? bf16_to_f32(x) : half_to_f32(x);
        b[l] = bf ? bf16_to_f32(y) : half_to_f32(y);
    }
    return EXEC(compare_f32)(a, b, i->sub);
}

static u32 compare(warp *w, const insn *i, u32 type)
{
    switch (type) {
    case TYPE_u16:
    case TYPE_b16:
        return EXEC(compare_u16)(REG(u16, i->a), REG(u16, i->b), i->sub);
    case TYPE_s16:
        return EXEC(compare_s16)(REG(s16, i->a), REG(s16, i->b), i->sub);
    case TYPE_u32:
    case TYPE_b32:
        return EXEC(compare_u32)(REG(u32, i->a), REG(u32, i->b), i->sub);
    case TYPE_s32:
        return EXEC(compare_s32)(REG(s32, i->a), REG(s32, i->b), i->sub);
    case TYPE_u64:
    case TYPE_b64:
        return EXEC(compare_u64)(REG(u64, i->a), REG(u64, i->b), i->sub);
    case TYPE_s64:
        return EXEC(compare_s64)(REG(s64, i->a), REG(s64, i->b), i->sub);
    case TYPE_f32:
        return EXEC(compare_f32)(REG(f32, i->a), REG(f32, i->b), i->sub);
    case TYPE_f64:
        return EXEC(compare_f64)(REG(f64, i->a), REG(f64, i->b), i->sub);
    default:
        return compare_halves(w, i, type, 0);
    }
}

static u32 combined(warp *w, const insn *i, u32 value)
{
    if (i->width == COMBINE_NONE)
        return value;
    u32 with = PRED(i->c);
    if (i->flags & FLAG_NEGATED_A)
        with = ~with;
    return i->width == COMBINE_AND ? value & with : i->width == COMBINE_OR ? value | with : value ^ with;
}

static const insn *EXEC(run_setp)(warp *w, const insn *i, u32 m)
{
    const u32 value = compare(w, i, i->type), first = combined(w, i, value);
    if (i->d2 != NO_OPERAND) {
        const u32 second = combined(w, i, ~value);
        SET_PRED(i->d2, m, second);
    }
    SET_PRED(i->d, m, first);
    return i + 1;
}

#define SETP(name, T)                                                               \
    static const insn *EXEC(run_setp_##name)(warp * w, const insn *i, u32 m)        \
    {                                                                               \
        const u32 value = EXEC(compare_##name)(REG(T, i->a), REG(T, i->b), i->sub); \
        SET_PRED(i->d, m, value);                                                   \
        return i + 1;                                                               \
    }
SETP(u32, u32)
SETP(s32, s32)
SETP(u64, u64)
SETP(s64, s64)
SETP(f32, f32)

static const insn *EXEC(run_setp_x2)(warp *w, const insn *i, u32 m)
{
    const u32 low = combined(w, i, compare_halves(w, i, i->type, 0)),
              high = combined(w, i, compare_halves(w, i, i->type, 16));
    SET_PRED(i->d, m, low);
    if (i->d2 != NO_OPERAND)
        SET_PRED(i->d2, m, high);
    return i + 1;
}

static const insn *EXEC(run_set)(warp *w, const insn *i, u32 m)
{
    const u32 value = combined(w, i, compare(w, i, i->from));
    EACH_ON(l, m)
    {
        const bool on = ON(value, l);
        if (i->type == TYPE_f16)
            REG(u16, i->d)[l] = on ? 0x3c00 : 0;
        else if (i->type == TYPE_bf16)
            REG(u16, i->d)[l] = on ? 0x3f80 : 0;
        else if (type_bytes(i->type) == 2)
            REG(u16, i->d)[l] = on ? 0xffff : 0;
        else
            REG(u32, i->d)[l] = !on ? 0 : i->type == TYPE_f32 ? 0x3f800000u : ~0u;
    }
    return i + 1;
}

static const insn *EXEC(run_set_x2)(warp *w, const insn *i, u32 m)
{
    const u32 low = combined(w, i, compare_halves(w, i, i->from, 0)),
              high = combined(w, i, compare_halves(w, i, i->from, 16));
    const u32 one = i->type == TYPE_f16x2 ? 0x3c00 : i->type == TYPE_bf16x2 ? 0x3f80 : 0xffff;
    EACH_ON(l, m)
    REG(u32, i->d)[l] = (ON(low, l) ? one : 0) | (ON(high, l) ? one << 16 : 0);
    return i + 1;
}

#define SELECT(name, T)                                                      \
    static const insn *EXEC(run_selp_##name)(warp * w, const insn *i, u32 m) \
    {                                                                        \
        const T *pa = REG(T, i->a), *pb = REG(T, i->b);                      \
        T *pd = REG(T, i->d);                                                \
        const u32 q = i->flags & FLAG_NEGATED_A ? ~PRED(i->c) : PRED(i->c);  \
        if (m == ~0u) {                                                      \
            LANES_APART EACH(l) pd[l] = ON(q, l) ? pa[l] : pb[l];            \
        } else {                                                             \
            EACH_ON(l, m) pd[l] = ON(q, l) ? pa[l] : pb[l];                  \
        }                                                                    \
        return i + 1;                                                        \
    }
SELECT(16, u16)
SELECT(32, u32)
SELECT(64, u64)

static const insn *EXEC(run_slct)(warp *w, const insn *i, u32 m)
{
    EACH_ON(l, m)
    {
        const bool first = i->from == TYPE_f32 ? REG(f32, i->c)[l] >= 0 : REG(s32, i->c)[l] >= 0;
        const operand from = first ? i->a : i->b;
        if (i->width == 2)
            REG(u16, i->d)[l] = REG(u16, from)[l];
        else if (i->width == 4)
            REG(u32, i->d)[l] = REG(u32, from)[l];
        else
            REG(u64, i->d)[l] = REG(u64, from)[l];
    }
    return i + 1;
}

static const insn *EXEC(run_testp)(warp *w, const insn *i, u32 m)
{
    u32 value = 0;
    EACH_ON(l, m)
    {
        const bool wide = i->type == TYPE_f64;
        const u64 bits = wide ? REG(u64, i->a)[l] & ~(1ull << 63) : REG(u32, i->a)[l] & 0x7fffffffu;
        const u64 infinity = wide ? 0x7ffull << 52 : 0x7f800000u, smallest = wide ? 1ull << 52 : 1u << 23;
        const bool is[] = {bits<infinity, bits == infinity, bits <= infinity, bits> infinity,
                           (bits >= smallest || bits == 0) && bits < infinity, bits && bits < smallest};
        value |= (u32)is[i->sub] << l;
    }
    SET_PRED(i->d, m, value);
    return i + 1;
}

static const insn *EXEC(run_predicate)(warp *w, const insn *i, u32 m)
{
    const u32 a = i->flags & FLAG_NEGATED_A ? ~PRED(i->a) : PRED(i->a),
              b = i->flags & FLAG_NEGATED_B ? ~PRED(i->b) : PRED(i->b);
    const u32 r = i->op == OP_PRED_AND   ? a & b
                  : i->op == OP_PRED_OR  ? a | b
                  : i->op == OP_PRED_XOR ? a ^ b
                  : i->op == OP_PRED_NOT ? ~a
                                         : a;
    SET_PRED(i->d, m, r);
    return i + 1;
}

static const insn *EXEC(run_pack)(warp *w, const insn *i, u32 m)
{
    const u32 n = i->sub, each = i->width / n, step = each < 2 ? 2 : each;
    char whole[LANES * 16];
    for (u32 k = 0; k < n; k++) {
        const char *from = REG(char, LIST(k));
        EACH(l) memcpy(whole + l * i->width + k * each, from + (u32)l * step, each);
    }
    char *to = REG(char, i->d);
    if (m == ~0u)
        memcpy(to, whole, LANES * i->width);
    else
        EACH_ON(l, m) memcpy(to + l * i->width, whole + l * i->width, i->width);
    return i + 1;
}

static const insn *EXEC(run_pack_2x32)(warp *w, const insn *i, u32 m)
{
    const u32 *low = REG(u32, LIST(0)), *high = REG(u32, LIST(1));
    u64 *pd = REG(u64, i->d);
    EACH(l) pd[l] = ON(m, l) ? (u64)high[l] << 32 | low[l] : pd[l];
    return i + 1;
}

static const insn *EXEC(run_pack_2x16)(warp *w, const insn *i, u32 m)
{
    const u16 *low = REG(u16, LIST(0)), *high = REG(u16, LIST(1));
    u32 *pd = REG(u32, i->d);
    EACH(l) pd[l] = ON(m, l) ? (u32)high[l] << 16 | low[l] : pd[l];
    return i + 1;
}

/* A register of 4 bytes into halves, as nvcc has it before every conversion of f16 and bf16. */
static const insn *EXEC(run_unpack_halves)(warp *w, const insn *i, u32 m)
{
    const u32 *a = REG(u32, i->a);
    u16 *low = REG(u16, LIST(0)), *high = REG(u16, LIST(1));
    u32 whole[LANES];
    memcpy(whole, a, sizeof whole);
    if (m == ~0u) {
        EACH(l) low[l] = (u16)whole[l];
        EACH(l) high[l] = (u16)(whole[l] >> 16);
        return i + 1;
    }
    EACH_ON(l, m)
    {
        low[l] = (u16)whole[l];
        high[l] = (u16)(whole[l] >> 16);
    }
    return i + 1;
}

static const insn *EXEC(run_unpack)(warp *w, const insn *i, u32 m)
{
    const u32 n = i->sub, each = i->width / n, step = each < 2 ? 2 : each;
    char whole[LANES * 16];
    memcpy(whole, REG(char, i->a), LANES * i->width);
    for (u32 k = 0; k < n; k++) {
        char *to = REG(char, LIST(k));
        EACH_ON(l, m)
        {
            memset(to + l * step, 0, step);
            memcpy(to + l * step, whole + l * i->width + k * each, each);
        }
    }
    return i + 1;
}

static const insn *EXEC(run_mov_128)(warp *w, const insn *i, u32 m)
{
    EACH_ON(l, m) memcpy(REG(char, i->d) + 16 * l, REG(char, i->a) + 16 * l, 16);
    return i + 1;
}

static const insn *EXEC(run_flushed)(warp *w, const insn *i, u32 m)
{
    const u32 before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    const insn *next = i->op == OP_SETP      ? EXEC(run_setp)(w, i, m)
                       : i->op == OP_SETP_X2 ? EXEC(run_setp_x2)(w, i, m)
                       : i->op == OP_SET     ? EXEC(run_set)(w, i, m)
                       : i->op == OP_SET_X2  ? EXEC(run_set_x2)(w, i, m)
                                             : EXEC(run_slct)(w, i, m);
    _mm_setcsr(before);
    return next;
}

static bool flushes(const insn *i)
{
    return (i->op == OP_SETP || i->op == OP_SETP_X2 || i->op == OP_SET || i->op == OP_SET_X2 ||
            i->op == OP_SLCT) &&
           i->flags & FLAG_FTZ;
}

insn_run EXEC(pick_select)(insn *i)
{
    if (flushes(i))
        return EXEC(run_flushed);
    switch (i->op) {
    case OP_SETP:
        if (i->d2 == NO_OPERAND && i->width == COMBINE_NONE)
            switch (i->type) {
            case TYPE_u32:
            case TYPE_b32:
                return EXEC(run_setp_u32);
            case TYPE_s32:
                return EXEC(run_setp_s32);
            case TYPE_u64:
            case TYPE_b64:
                return EXEC(run_setp_u64);
            case TYPE_s64:
                return EXEC(run_setp_s64);
            case TYPE_f32:
                return EXEC(run_setp_f32);
            default:
                break;
            }
        return EXEC(run_setp);
    case OP_SETP_X2:
        return EXEC(run_setp_x2);
    case OP_SET:
        return EXEC(run_set);
    case OP_SET_X2:
        return EXEC(run_set_x2);
    case OP_SELP_16:
        return EXEC(run_selp_16);
    case OP_SELP_32:
        return EXEC(run_selp_32);
    case OP_SELP_64:
        return EXEC(run_selp_64);
    case OP_SLCT:
        return EXEC(run_slct);
    case OP_TESTP:
        return EXEC(run_testp);
    case OP_PRED_AND:
    case OP_PRED_OR:
    case OP_PRED_XOR:
    case OP_PRED_NOT:
    case OP_PRED_MOV:
        return EXEC(run_predicate);
    case OP_PACK:
        return i->sub == 2 && i->width == 8   ? EXEC(run_pack_2x32)
               : i->sub == 2 && i->width == 4 ? EXEC(run_pack_2x16)
                                              : EXEC(run_pack);
    case OP_UNPACK:
        return i->width == 4 && i->sub == 2 ? EXEC(run_unpack_halves) : EXEC(run_unpack);
    case OP_MOV_128:
        return EXEC(run_mov_128);
    default:
        return NULL;
    }
}

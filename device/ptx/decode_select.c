/* Decoding of comparisons, selections, moves and conversions. */
#include "device/ptx/convert.h"
#include "device/ptx/decode.h"
#include <string.h>

static const char *const compare_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
                                            "lo",  "ls",  "hi",  "hs",  NULL};
static const char *const combine_names[] = {"and", "or", "xor", NULL};

/* lo, ls, hi, hs are the unsigned orders of integers. */
static int take_compare(statement *s)
{
    const int cmp = one_of(s, compare_names);
    return cmp >= 14 ? cmp - 14 + CMP_LT : cmp;
}

static bool compare_type(ptx_type type)
{
    return type != TYPE_NONE && type_bytes(type) >= 2 && type_bytes(type) <= 8 && type != TYPE_pred;
}

bool decode_setp(parser *p, statement *s)
{
    const int cmp = take_compare(s), combine = one_of(s, combine_names) + 1;
    const uint8_t ftz = has(s, "ftz") ? FLAG_FTZ : 0;
    const ptx_type type = take_type(s);
    const uint32_t width = type_bytes(type);
    if (cmp < 0 || !compare_type(type) || s->operand_count < 3)
        return false;
    const operand d = result_of(p, s, 0, 0), a = value_of(p, s, 1, width), b = value_of(p, s, 2, width);
    const operand c = combine ? predicate_of(p, s, 3) : NO_OPERAND;
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || (combine && c == NO_OPERAND))
        return false;
    const bool two = type == TYPE_f16x2 || type == TYPE_bf16x2;
    insn *i = emit(p, two ? OP_SETP_X2 : OP_SETP, s);
    i->d = d;
    i->d2 = second_result(s, 0);
    i->a = a;
    i->b = b;
    i->c = c;
    i->type = (uint8_t)type;
    i->sub = (uint8_t)cmp;
    i->width = (uint8_t)combine;
    i->flags = (uint8_t)(ftz | (combine && s->operands[3].negated ? FLAG_NEGATED_A : 0));
    return true;
}

/* set.CMP.dtype.stype: 1.0 or all ones where it holds. */
bool decode_set(parser *p, statement *s)
{
    const int cmp = take_compare(s), combine = one_of(s, combine_names) + 1;
    const uint8_t ftz = has(s, "ftz") ? FLAG_FTZ : 0;
    const ptx_type to = take_type(s), from = take_type(s);
    const uint32_t width = type_bytes(from);
    if (cmp < 0 || to == TYPE_NONE || !compare_type(from) || s->operand_count < 3)
        return false;
    const bool two = from == TYPE_f16x2 || from == TYPE_bf16x2;
    const operand d = result_of(p, s, 0, type_bytes(to)), a = value_of(p, s, 1, width),
                  b = value_of(p, s, 2, width);
    const operand c = combine ? predicate_of(p, s, 3) : NO_OPERAND;
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || (combine && c == NO_OPERAND))
        return false;
    insn *i = emit(p, two ? OP_SET_X2 : OP_SET, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->type = (uint8_t)to;
    i->from = (uint8_t)from;
    i->sub = (uint8_t)cmp;
    i->width = (uint8_t)combine;
    i->flags = (uint8_t)(ftz | (combine && s->operands[3].negated ? FLAG_NEGATED_A : 0));
    return true;
}

bool decode_selp(parser *p, statement *s)
{
    const ptx_type type = take_type(s);
    const uint32_t width = type_bytes(type);
    const operand d = result_of(p, s, 0, width), a = value_of(p, s, 1, width), b = value_of(p, s, 2, width);
    const operand c = predicate_of(p, s, 3);
    if (width < 2 || width > 8 || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND)
        return false;
    insn *i = emit(p, width == 2 ? OP_SELP_16 : width == 4 ? OP_SELP_32 : OP_SELP_64, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->flags = s->operands[3].negated ? FLAG_NEGATED_A : 0;
    return true;
}

bool decode_slct(parser *p, statement *s)
{
    const uint8_t ftz = has(s, "ftz") ? FLAG_FTZ : 0;
    const ptx_type type = take_type(s), by = take_type(s);
    const uint32_t width = type_bytes(type);
    const operand d = result_of(p, s, 0, width), a = value_of(p, s, 1, width), b = value_of(p, s, 2, width);
    const operand c = value_of(p, s, 3, 4);
    if (width < 2 || width > 8 || (by != TYPE_s32 && by != TYPE_f32) || d == NO_OPERAND || a == NO_OPERAND ||
        b == NO_OPERAND || c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_SLCT, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->width = (uint8_t)width;
    i->flags = ftz;
    i->from = (uint8_t)by;
    return true;
}

bool decode_testp(parser *p, statement *s)
{
    static const char *const tests[] = {"finite", "infinite",  "number", "notanumber",
                                        "normal", "subnormal", NULL};
    const int test = one_of(s, tests);
    const ptx_type type = take_type(s);
    const operand d = result_of(p, s, 0, 0), a = value_of(p, s, 1, type_bytes(type));
    if (test < 0 || (type != TYPE_f32 && type != TYPE_f64) || d == NO_OPERAND || a == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_TESTP, s);
    i->d = d;
    i->a = a;
    i->type = (uint8_t)type;
    i->sub = (uint8_t)test;
    return true;
}

/* mov.b64 %rd, {%r1, %r2} and back */
static bool decode_pack(parser *p, statement *s, uint32_t width)
{
    const bool pack = s->operands[1].kind == OPERAND_VECTOR;
    const uint32_t n = s->operands[pack ? 1 : 0].count;
    if (n < 2 || width % n)
        return false;
    const uint32_t each = width / n;
    const operand whole = pack ? result_of(p, s, 0, width) : value_of(p, s, 1, width);
    /* An element of one byte lives in a register of two. */
    if (whole == NO_OPERAND)
        return false;
    insn *i = emit(p, pack ? OP_PACK : OP_UNPACK, s);
    i->width = (uint8_t)width;
    i->sub = (uint8_t)n;
    if (pack) {
        i->d = whole;
        return list_values(p, i, s, 1, each < 2 ? 2 : each);
    }
    i->a = whole;
    return list_results(p, i, s, 0, each < 2 ? 2 : each);
}

bool decode_mov(parser *p, statement *s)
{
    const ptx_type type = s->part_count > 1 ? type_find(s->parts[s->part_count - 1]) : TYPE_NONE;
    if (s->operand_count != 2 || type == TYPE_NONE)
        return false;
    if (s->operands[0].kind == OPERAND_VECTOR || s->operands[1].kind == OPERAND_VECTOR) {
        take_type(s);
        return decode_pack(p, s, type_bytes(type));
    }
    if (type == TYPE_pred)
        return decode_predicate(p, s);
    if (type == TYPE_b128) {
        take_type(s);
        const operand d = result_of(p, s, 0, 16), a = value_of(p, s, 1, 16);
        insn *i = emit(p, OP_MOV_128, s);
        i->d = d;
        i->a = a;
        return d != NO_OPERAND && a != NO_OPERAND;
    }
    return decode_lanes(p, s);
}

/* ---- cvt ---- */

#define BIT(t) (1u << TYPE_##t)
static const struct {
    uint32_t to, from;
    uint8_t round, d, s;
} fast[] = {
#define W_u16                                 2
#define W_s16                                 2
#define W_u32                                 4
#define W_s32                                 4
#define W_f32                                 4
#define W_u64                                 8
#define W_s64                                 8
#define W_f64                                 8
#define CONVERT(id, to, from, round, D, S, e) {to, from, ROUND_##round, W_##D, W_##S},
#include "device/ptx/convert.def"
#undef CONVERT
};

static int find_fast(ptx_type to, ptx_type from, int round, uint32_t d, uint32_t a)
{
    for (int i = 0; i < CONVERT_COUNT; i++)
        if ((fast[i].to >> to & 1) && (fast[i].from >> from & 1) && fast[i].round == round &&
            fast[i].d == d && fast[i].s == a)
            return i;
    return -1;
}

static int take_round(statement *s)
{
    static const char *const names[] = {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", NULL};
    return one_of(s, names) + 1;
}

static operand register_operand(parser *p, statement *s, uint32_t k, uint32_t constant_width)
{
    const parsed_operand *o = &s->operands[k];
    if (o->kind == OPERAND_REGISTER)
        return 2 * o->reg;
    return element_value(p, o, constant_width < 2 ? 2 : constant_width);
}

/* Two floats into one register, or two or four small ones. */
static bool decode_cvt_pack(parser *p, statement *s, ptx_type to, ptx_type from, int round, uint8_t flags)
{
    const bool fp8 = to == TYPE_e4m3x2 || to == TYPE_e5m2x2;
    const bool from_pair = from == TYPE_f16x2 || from == TYPE_bf16x2;
    const operand d = result_of(p, s, 0, fp8 ? 2 : 4), a = value_of(p, s, 1, 4);
    const operand b = from_pair ? a : value_of(p, s, 2, 4);
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || (fp8 && round != ROUND_RN) ||
        (!fp8 && (from != TYPE_f32 || (round != ROUND_RN && round != ROUND_RZ))))
        return false;
    insn *i = emit(p, fp8 ? OP_CVT_FP8 : OP_CVT_PACK, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->type = (uint8_t)to;
    i->from = (uint8_t)from;
    i->sub = (uint8_t)round;
    i->flags = flags;
    return true;
}

static bool decode_cvt_integers(parser *p, statement *s)
{
    has(s, "sat");
    const ptx_type to = take_type(s), from = take_type(s), rest = take_type(s);
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4);
    const operand c = rest != TYPE_NONE ? value_of(p, s, 3, 4) : a;
    if (from != TYPE_s32 || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_CVT_PACK_INT, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = rest != TYPE_NONE ? c : NO_OPERAND;
    i->type = (uint8_t)to;
    return true;
}

bool decode_cvt(parser *p, statement *s)
{
    if (has(s, "pack"))
        return decode_cvt_integers(p, s);
    const int round = take_round(s);
    const uint8_t flags =
        (uint8_t)((has(s, "sat") ? CONVERT_SAT : 0) | (has(s, "ftz") ? CONVERT_FTZ : 0) |
                  (has(s, "relu") ? CONVERT_RELU : 0) | (has(s, "satfinite") ? CONVERT_FINITE : 0));
    const ptx_type to = take_type(s), from = take_type(s);
    if (to == TYPE_NONE || from == TYPE_NONE || s->operand_count < 2)
        return false;
    if (to == TYPE_f16x2 && (from == TYPE_e4m3x2 || from == TYPE_e5m2x2)) {
        const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 2);
        insn *i = emit(p, OP_CVT_FROM_FP8, s);
        i->d = d;
        i->a = a;
        i->from = (uint8_t)from;
        i->flags = flags;
        return d != NO_OPERAND && a != NO_OPERAND;
    }
    if (to == TYPE_f16x2 || to == TYPE_bf16x2 || to == TYPE_e4m3x2 || to == TYPE_e5m2x2)
        return decode_cvt_pack(p, s, to, from, round, flags);
    const operand d = s->operands[0].kind == OPERAND_REGISTER ? 2 * s->operands[0].reg : NO_OPERAND;
    const operand a = register_operand(p, s, 1, type_bytes(from));
    if (d == NO_OPERAND || a == NO_OPERAND || register_width(p, d) < type_bytes(to) ||
        register_width(p, a) < type_bytes(from) || (type_float(to) && to > TYPE_tf32))
        return false;
    const uint32_t dw = register_width(p, d), aw = register_width(p, a);
    const int fast_round = flags == CONVERT_SAT && round == ROUND_NO ? ROUND_SAT : round;
    const int kind = flags & ~CONVERT_SAT || (flags && fast_round != ROUND_SAT)
                         ? -1
                         : find_fast(to, from, fast_round, dw, aw);
    insn *i = emit(p, kind >= 0 ? OP_CVT_FAST : OP_CVT, s);
    i->d = d;
    i->a = a;
    i->type = (uint8_t)to;
    i->from = (uint8_t)from;
    i->sub = (uint8_t)(kind >= 0 ? kind : round);
    i->flags = flags;
    i->width = (uint8_t)dw;
    i->narrow = (uint8_t)aw;
    return true;
}

/* Decoding of what alu.def lists, and of selections, comparisons and bit operations beside it. */
#include "device/ptx/decode.h"
#include <string.h>

#define BIT(t) (1u << TYPE_##t)
enum {
    M_NONE = 0,
    M_U16 = BIT(u16),
    M_S16 = BIT(s16),
    M_U32 = BIT(u32),
    M_S32 = BIT(s32),
    M_U64 = BIT(u64),
    M_S64 = BIT(s64),
    M_B16 = BIT(b16) | M_U16 | M_S16,
    M_B32 = BIT(b32) | M_U32 | M_S32,
    M_B64 = BIT(b64) | M_U64 | M_S64,
    M_I16 = M_B16,
    M_I32 = M_B32,
    M_I64 = M_B64,
    M_UB16 = BIT(b16) | M_U16,
    M_UB32 = BIT(b32) | M_U32,
    M_UB64 = BIT(b64) | M_U64,
    M_F16 = BIT(f16),
    M_BF16 = BIT(bf16),
    M_F16X2 = BIT(f16x2),
    M_BF16X2 = BIT(bf16x2),
    M_F16ANY = M_F16 | M_BF16,
    M_F16X2ANY = M_F16X2 | M_BF16X2,
    M_F32 = BIT(f32),
    M_F64 = BIT(f64),
    M_M16 = M_B16 | M_F16 | M_BF16,
    M_M32 = M_B32 | M_F32 | M_F16X2 | M_BF16X2 | BIT(tf32),
    M_M64 = M_B64 | M_F64,
    M_I16X2 = BIT(u16x2) | BIT(s16x2),
    M_U16X2 = BIT(u16x2),
    M_S16X2 = BIT(s16x2),
    M_FLOATS = M_F16ANY | M_F16X2ANY | M_F32 | M_F64
};

enum { W_u16 = 2, W_s16 = 2, W_u32 = 4, W_s32 = 4, W_u64 = 8, W_s64 = 8, W_f32 = 4, W_f64 = 8 };

typedef struct row {
    const char *mnemonic, *select;
    uint32_t types;
    uint16_t op;
    uint8_t d, a, b, c; /* widths; 0: no such operand */
} row;

static const row rows[] = {
#define ALU1(id, class, name, sel, types, D, A, e)    {name, sel, M_##types, OP_##id, W_##D, W_##A, 0, 0},
#define ALU2(id, class, name, sel, types, D, A, B, e) {name, sel, M_##types, OP_##id, W_##D, W_##A, W_##B, 0},
#define ALU3(id, class, name, sel, types, D, A, B, C, e) \
    {name, sel, M_##types, OP_##id, W_##D, W_##A, W_##B, W_##C},
#include "device/ptx/alu.def"
#undef ALU1
#undef ALU2
#undef ALU3
};

/* How many modifiers of `select` the instruction has, or -1 where one is missing. */
static int selected(const statement *s, const char *select)
{
    int n = 0;
    for (const char *at = select; *at; n++) {
        const size_t length = strcspn(at, " ");
        bool found = false;
        for (uint32_t i = 1; i < s->part_count && !found; i++)
            found = strlen(s->parts[i]) == length && strncmp(s->parts[i], at, length) == 0;
        if (!found)
            return -1;
        at += length + (at[length] == ' ');
    }
    return n;
}

static void mark(statement *s, const char *select)
{
    for (const char *at = select; *at;) {
        const size_t length = strcspn(at, " ");
        for (uint32_t i = 1; i < s->part_count; i++)
            if (strlen(s->parts[i]) == length && strncmp(s->parts[i], at, length) == 0)
                s->used[i] = true;
        at += length + (at[length] == ' ');
    }
}

static const row *find_row(const statement *s, ptx_type type)
{
    const row *best = NULL;
    int most = -1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        if (r->mnemonic[0] != s->parts[0][0] || strcmp(r->mnemonic, s->parts[0]) != 0)
            continue;
        if (r->types != M_NONE && (type == TYPE_NONE || !(r->types >> type & 1)))
            continue;
        const int n = selected(s, r->select);
        if (n > most) {
            most = n;
            best = r;
        }
    }
    return best;
}

/* Rounding, flushing and saturation of floats. */
static uint8_t take_mode(statement *s, ptx_type type)
{
    uint8_t mode = 0;
    if (!type_float(type))
        return 0;
    has(s, "rn");
    has(s, "approx");
    has(s, "full");
    if (has(s, "rz"))
        mode |= MODE_RZ;
    if (has(s, "rm"))
        mode |= MODE_RM;
    if (has(s, "rp"))
        mode |= MODE_RP;
    if (has(s, "ftz"))
        mode |= MODE_FTZ;
    if (has(s, "sat"))
        mode |= MODE_SAT;
    return mode;
}

bool decode_lanes(parser *p, statement *s)
{
    uint32_t at = s->part_count - 1; /* of the type: CUDA's headers write min.s32.relu, too */
    while (at > 1 && type_find(s->parts[at]) == TYPE_NONE)
        at--;
    const ptx_type last = at > 0 ? type_find(s->parts[at]) : TYPE_NONE;
    const row *r = find_row(s, last);
    if (!r)
        return false;
    mark(s, r->select);
    if (r->types != M_NONE)
        s->used[at] = true;
    const uint8_t mode = take_mode(s, last);
    const uint32_t wanted = 1u + (r->a != 0) + (r->b != 0) + (r->c != 0);
    if (s->operand_count != wanted)
        return false;
    const operand a = value_of(p, s, 1, r->a);
    const operand b = r->b ? value_of(p, s, 2, r->b) : NO_OPERAND;
    const operand c = r->c ? value_of(p, s, 3, r->c) : NO_OPERAND;
    const operand d = result_of(p, s, 0, r->d);
    if (d == NO_OPERAND || a == NO_OPERAND || (r->b && b == NO_OPERAND) || (r->c && c == NO_OPERAND))
        return false;
    insn *i = emit(p, r->op, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->type = (uint8_t)last;
    i->narrow = mode;
    return true;
}

bool decode_predicate(parser *p, statement *s)
{
    static const char *const names[] = {"and", "or", "xor", "not", "mov"};
    for (uint32_t k = 0; k < 5; k++) {
        if (strcmp(s->parts[0], names[k]) != 0)
            continue;
        take_type(s);
        const operand d = result_of(p, s, 0, 0), a = predicate_of(p, s, 1);
        const operand b = k < 3 ? predicate_of(p, s, 2) : a;
        if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND)
            return false;
        insn *i = emit(p, OP_PRED_AND + k, s);
        i->d = d;
        i->a = a;
        i->b = b;
        i->flags = (uint8_t)((s->operands[1].negated ? FLAG_NEGATED_A : 0) |
                             (k < 3 && s->operands[2].negated ? FLAG_NEGATED_B : 0));
        return true;
    }
    return false;
}

bool decode_lop3(parser *p, statement *s)
{
    const bool with_predicate = has(s, "or") || has(s, "and");
    if (take_type(s) != TYPE_b32 || with_predicate || s->operand_count != 5)
        return false;
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4),
                  c = value_of(p, s, 3, 4);
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND ||
        s->operands[4].kind != OPERAND_IMMEDIATE)
        return false;
    insn *i = emit(p, OP_LOP3, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->sub = (uint8_t)s->operands[4].imm;
    return true;
}

bool decode_bfi(parser *p, statement *s)
{
    const uint32_t width = type_bytes(take_type(s));
    const operand d = result_of(p, s, 0, width), a = value_of(p, s, 1, width), b = value_of(p, s, 2, width);
    const operand c = value_of(p, s, 3, 4);
    if ((width != 4 && width != 8) || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND ||
        c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_BFI, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->width = (uint8_t)width;
    return list_values(p, i, s, 4, 4);
}

bool decode_prmt(parser *p, statement *s)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL};
    const int mode = one_of(s, modes);
    if (mode < 0)
        return decode_lanes(p, s);
    take_type(s);
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4),
                  c = value_of(p, s, 3, 4);
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_PRMT_MODE, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->sub = (uint8_t)mode;
    return true;
}

/* add.cc, addc, sub.cc, subc, mad.cc, madc: `sub` holds CARRY_* */
bool decode_carry(parser *p, statement *s)
{
    const bool sets = has(s, "cc"), reads = s->parts[0][strlen(s->parts[0]) - 1] == 'c';
    const bool multiplies = s->parts[0][0] == 'm', subtracts = s->parts[0][0] == 's';
    const bool high = multiplies && has(s, "hi");
    if (multiplies && !high && !has(s, "lo"))
        return false;
    const ptx_type type = take_type(s);
    const uint32_t width = type_bytes(type);
    const operand d = result_of(p, s, 0, width), a = value_of(p, s, 1, width), b = value_of(p, s, 2, width);
    const operand c = multiplies ? value_of(p, s, 3, width) : a;
    if ((width != 4 && width != 8) || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND ||
        c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_CARRY, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->type = (uint8_t)type;
    i->width = (uint8_t)width;
    i->sub = (uint8_t)(sets | reads << 1 | subtracts << 2 | multiplies << 3 | high << 4);
    return true;
}

bool decode_dot(parser *p, statement *s)
{
    const bool four = strcmp(s->parts[0], "dp4a") == 0, high = !four && has(s, "hi");
    if (!four && !high && !has(s, "lo"))
        return false;
    const ptx_type ta = take_type(s), tb = take_type(s);
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4),
                  c = value_of(p, s, 3, 4);
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND)
        return false;
    static const uint16_t of_four[4] = {OP_DP4A_UU, OP_DP4A_SU, OP_DP4A_US, OP_DP4A_SS};
    insn *i = emit(p, four ? of_four[type_signed(ta) | type_signed(tb) << 1] : OP_DP2A, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    i->sub = (uint8_t)(high | type_signed(ta) << 1 | type_signed(tb) << 2);
    return true;
}

/* vabsdiff4 and vabsdiff2 of unsigned parts, all of them: what CUDA's SIMD intrinsics are made of */
bool decode_absolute_differences(parser *p, statement *s)
{
    const bool four = strcmp(s->parts[0], "vabsdiff4") == 0, add = has(s, "add");
    const bool is_unsigned = take_type(s) == TYPE_u32 && take_type(s) == TYPE_u32 && take_type(s) == TYPE_u32;
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4),
                  c = value_of(p, s, 3, 4);
    if (!is_unsigned || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND)
        return false;
    insn *i = emit(p,
                   four  ? (add ? OP_VABSDIFF4_ADD : OP_VABSDIFF4)
                   : add ? OP_VABSDIFF2_ADD
                         : OP_VABSDIFF2,
                   s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->c = c;
    return true;
}

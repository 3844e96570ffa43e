/* Decoding of matrix instructions: ldmatrix, stmatrix, movmatrix, mma, wmma, wgmma. */
#include "device/ptx/decode.h"
#include "device/ptx/instructions.h"
#include <stdlib.h>
#include <string.h>

/* The part "m16n8k16": m, n, k. */
static bool take_shape(statement *s, uint32_t shape[3])
{
    for (uint32_t i = 1; i < s->part_count; i++) {
        char *end;
        if (s->parts[i][0] != 'm' || s->parts[i][1] < '0' || s->parts[i][1] > '9')
            continue;
        shape[0] = (uint32_t)strtoul(s->parts[i] + 1, &end, 10);
        shape[1] = *end == 'n' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
        shape[2] = *end == 'k' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
        return s->used[i] = *end == 0;
    }
    return false;
}

bool decode_ldmatrix(parser *p, statement *s)
{
    static const char *const counts[] = {"x1", "x2", "x4", NULL};
    uint32_t shape[3];
    has(s, "sync");
    has(s, "aligned");
    const bool move = strcmp(s->parts[0], "movmatrix") == 0, store = strcmp(s->parts[0], "stmatrix") == 0;
    const bool trans = has(s, "trans");
    if (!take_shape(s, shape) || shape[0] != 8 || shape[1] != 8)
        return false;
    if (move) {
        take_type(s);
        const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4);
        insn *i = emit(p, OP_LDMATRIX, s);
        i->sub = MATRIX_MOVE;
        i->d = d;
        i->a = a;
        return trans && d != NO_OPERAND && a != NO_OPERAND;
    }
    const int count = one_of(s, counts);
    has(s, "shared");
    has(s, "shared::cta");
    uint8_t flags = 0;
    operand base;
    int64_t offset;
    if (take_type(s) != TYPE_b16 || count < 0 ||
        !address_of(p, &s->operands[store ? 0 : 1], SPACE_SHARED, &base, &offset, &flags, FLAG_ADDRESS32))
        return false;
    insn *i = emit(p, store ? OP_STMATRIX : OP_LDMATRIX, s);
    i->a = base;
    i->imm = offset;
    i->flags = flags;
    i->sub = store ? MATRIX_STORE : MATRIX_LOAD;
    i->width = (uint8_t)(1 << count);
    i->narrow = trans;
    return (store ? list_values(p, i, s, 1, 4) : list_results(p, i, s, 0, 4)) &&
           i->defs + i->uses == 1 << count;
}

static uint32_t fragment_width(ptx_type type)
{
    return type == TYPE_f64 ? 8 : 4;
}

bool decode_mma(parser *p, statement *s)
{
    uint32_t shape[3];
    has(s, "sync");
    has(s, "aligned");
    const bool a_row = has(s, "row"), b_col = has(s, "col");
    const bool saturate = has(s, "satfinite");
    has(s, "kind::f8f6f4");
    if (!take_shape(s, shape))
        return false;
    const ptx_type d = take_type(s), a = take_type(s), b = take_type(s), c = take_type(s);
    if (!a_row || !b_col || c == TYPE_NONE || s->operand_count != 4)
        return false;
    if (shape[0] == 8 && shape[2] == 4 && d != TYPE_f64) /* Volta's f16 shape has a layout of its own */
        return false;
    insn *i = emit(p, OP_MMA, s);
    i->target = shape[0] | shape[1] << 8 | shape[2] << 16;
    i->type = (uint8_t)d;
    i->from = (uint8_t)a;
    i->sub = (uint8_t)b;
    i->width = (uint8_t)c;
    i->flags = saturate ? FLAG_SATURATE : 0;
    return list_results(p, i, s, 0, fragment_width(d)) && list_values(p, i, s, 1, fragment_width(a)) &&
           list_values(p, i, s, 2, fragment_width(b)) && list_values(p, i, s, 3, fragment_width(c));
}

static bool decode_wmma_memory(parser *p, statement *s, bool load)
{
    static const char *const which[] = {"a", "b", "c", "d", NULL};
    uint32_t shape[3];
    const int matrix = one_of(s, which);
    const bool columns = has(s, "col");
    has(s, "row");
    if (!take_shape(s, shape) || matrix < 0)
        return false;
    const ptx_space space = has(s, "global")                            ? SPACE_GLOBAL
                            : has(s, "shared") || has(s, "shared::cta") ? SPACE_SHARED
                                                                        : SPACE_GENERIC;
    const ptx_type type = take_type(s);
    uint8_t flags = 0;
    operand base;
    int64_t offset;
    const uint32_t data = load ? 0 : 1, address = load ? 1 : 0;
    const bool whole = type != TYPE_s4 && type != TYPE_u4 && type != TYPE_b1;
    if (type == TYPE_NONE || !whole ||
        !address_of(p, &s->operands[address], space, &base, &offset, &flags, FLAG_ADDRESS32))
        return false;
    const uint32_t line = matrix == 0   ? (columns ? shape[0] : shape[2])
                          : matrix == 1 ? (columns ? shape[2] : shape[1])
                                        : (columns ? shape[0] : shape[1]);
    const operand stride = s->operand_count > 2 ? value_of(p, s, 2, 4) : constant(p, line, 4);
    if (stride == NO_OPERAND)
        return false;
    insn *i = emit(p, load ? OP_WMMA_LOAD : OP_WMMA_STORE, s);
    i->a = base;
    i->b = stride;
    i->imm = offset;
    i->flags = (uint8_t)(flags | (columns ? WMMA_COLUMNS : 0));
    i->space = (uint8_t)space;
    i->type = (uint8_t)type;
    i->sub = (uint8_t)(matrix > 2 ? WMMA_C : matrix);
    i->target = shape[0] | shape[1] << 8 | shape[2] << 16;
    return load ? list_results(p, i, s, data, fragment_width(type))
                : list_values(p, i, s, data, fragment_width(type));
}

bool decode_wmma(parser *p, statement *s)
{
    has(s, "sync");
    has(s, "aligned");
    if (has(s, "load"))
        return decode_wmma_memory(p, s, true);
    if (has(s, "store"))
        return decode_wmma_memory(p, s, false);
    uint32_t shape[3];
    if (!has(s, "mma") || !take_shape(s, shape))
        return false;
    for (uint32_t k = 1; k < s->part_count;
         k++) /* of A and of B; fragments are laid out here without regard to it */
        if (strcmp(s->parts[k], "row") == 0 || strcmp(s->parts[k], "col") == 0)
            s->used[k] = true;
    const bool saturate = has(s, "satfinite");
    has(s, "rn");
    ptx_type types[4];
    for (int k = 0; k < 4; k++)
        types[k] = take_type(s);
    if (types[3] == TYPE_NONE) { /* wmma.mma.f16.f16: inputs are f16 and not named */
        if (types[1] == TYPE_NONE || types[2] != TYPE_NONE)
            return false;
        types[3] = types[1];
        types[1] = types[2] = TYPE_f16;
    }
    if (types[1] == TYPE_s4 || types[1] == TYPE_u4 || types[1] == TYPE_b1)
        return false;
    insn *i = emit(p, OP_WMMA_MMA, s);
    i->target = shape[0] | shape[1] << 8 | shape[2] << 16;
    i->type = (uint8_t)types[0];
    i->from = (uint8_t)types[1];
    i->sub = (uint8_t)types[2];
    i->width = (uint8_t)types[3];
    i->flags = saturate ? FLAG_SATURATE : 0;
    return list_results(p, i, s, 0, fragment_width(types[0])) &&
           list_values(p, i, s, 1, fragment_width(types[1])) &&
           list_values(p, i, s, 2, fragment_width(types[2])) &&
           list_values(p, i, s, 3, fragment_width(types[3])) &&
           (i->narrow = (uint8_t)(s->operands[1].kind == OPERAND_VECTOR ? s->operands[1].count : 1));
}

static bool immediate(const statement *s, uint32_t k, int64_t *out)
{
    if (k >= s->operand_count || s->operands[k].kind != OPERAND_IMMEDIATE)
        return false;
    *out = (int64_t)s->operands[k].imm;
    return true;
}

static bool decode_wgmma_mma(parser *p, statement *s)
{
    uint32_t shape[3];
    has(s, "mma_async");
    const bool saturate = has(s, "satfinite");
    if (!take_shape(s, shape) || shape[0] != 64)
        return false;
    const ptx_type d = take_type(s), a = take_type(s), b = take_type(s);
    if (b == TYPE_NONE)
        return false;
    const bool registers = s->operands[1].kind == OPERAND_VECTOR;
    const bool floats = d != TYPE_s32, halves = a == TYPE_f16 || a == TYPE_bf16;
    const operand desc_a = registers ? NO_OPERAND : value_of(p, s, 1, 8), desc_b = value_of(p, s, 2, 8);
    const operand scale = predicate_of(p, s, 3);
    if ((!registers && desc_a == NO_OPERAND) || desc_b == NO_OPERAND || scale == NO_OPERAND)
        return false;
    int64_t scale_a = 1, scale_b = 1, trans_a = 0, trans_b = 0;
    if (floats && (!immediate(s, 4, &scale_a) || !immediate(s, 5, &scale_b)))
        return false;
    if (halves && registers && !immediate(s, 6, &trans_b))
        return false;
    if (halves && !registers && (!immediate(s, 6, &trans_a) || !immediate(s, 7, &trans_b)))
        return false;
    insn *i = emit(p, OP_WGMMA, s);
    i->a = desc_a;
    i->b = desc_b;
    i->c = scale;
    i->target = shape[0] | shape[1] << 8; /* n up to 256 needs nine bits, k has its own field */
    i->reconverge = shape[2];
    i->type = (uint8_t)d;
    i->from = (uint8_t)a;
    i->sub = (uint8_t)b;
    i->flags = (uint8_t)((registers ? WGMMA_A_REGISTERS : 0) | (trans_a ? WGMMA_TRANS_A : 0) |
                         (trans_b ? WGMMA_TRANS_B : 0) | (scale_a == -1 ? WGMMA_NEGATE_A : 0) |
                         (scale_b == -1 ? WGMMA_NEGATE_B : 0) |
                         (s->operands[3].negated ? WGMMA_NOT_SCALE : 0) | (saturate ? FLAG_SATURATE : 0));
    if (!list_results(p, i, s, 0, 4))
        return false;
    /* The accumulators are read as well as written. */
    const uint32_t first = i->list, n = i->defs;
    for (uint32_t k = 0; k < n; k++, i->uses++)
        list_add(p, p->function->lists[first + k]);
    return !registers || list_values(p, i, s, 1, 4);
}

bool decode_wgmma(parser *p, statement *s)
{
    has(s, "sync");
    has(s, "aligned");
    if (has(s, "fence")) {
        emit(p, OP_WGMMA_FENCE, s);
        return true;
    }
    if (has(s, "commit_group")) {
        emit(p, OP_WGMMA_COMMIT, s);
        return true;
    }
    if (has(s, "wait_group")) {
        emit(p, OP_WGMMA_WAIT, s)->sub = (uint8_t)s->operands[0].imm;
        return s->operand_count == 1 && s->operands[0].kind == OPERAND_IMMEDIATE;
    }
    return decode_wgmma_mma(p, s);
}

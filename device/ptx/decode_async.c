/* Decoding of asynchronous copies and mbarriers. */
#include "device/ptx/decode.h"
#include "device/ptx/instructions.h"
#include <string.h>

static void ignore_spaces(statement *s)
{
    static const char *const words[] = {"shared", "shared::cta", "shared::cluster", "global", NULL};
    ignore(s, words);
}

static void ignore_sem(statement *s)
{
    static const char *const words[] = {"relaxed", "release", "acquire", NULL};
    ignore(s, words);
    ignore_scope(s);
}

static bool shared_address(parser *p, statement *s, uint32_t k, operand *base, int64_t *offset,
                           uint8_t *flags)
{
    return k < s->operand_count &&
           address_of(p, &s->operands[k], SPACE_CLUSTER, base, offset, flags, FLAG_ADDRESS32);
}

static int mbarrier_kind(statement *s)
{
    const bool expect = has(s, "expect_tx");
    if (has(s, "init"))
        return MBARRIER_INIT;
    if (has(s, "inval"))
        return MBARRIER_INVAL;
    if (has(s, "complete_tx"))
        return MBARRIER_COMPLETE;
    if (has(s, "pending_count"))
        return MBARRIER_PENDING;
    if (has(s, "arrive"))
        return expect ? MBARRIER_ARRIVE_EXPECT : MBARRIER_ARRIVE;
    if (has(s, "arrive_drop"))
        return expect ? MBARRIER_DROP_EXPECT : MBARRIER_DROP;
    if (expect)
        return MBARRIER_EXPECT;
    return has(s, "parity") ? MBARRIER_WAIT_PARITY : MBARRIER_WAIT_STATE;
}

bool decode_mbarrier(parser *p, statement *s)
{
    const bool try = has(s, "try_wait"), test = has(s, "test_wait"), relaxed = has(s, "relaxed");
    const int kind = mbarrier_kind(s);
    if (kind >= MBARRIER_WAIT_PARITY && kind <= MBARRIER_WAIT_STATE && !try && !test)
        return false;
    has(s, "noComplete");
    ignore_sem(s);
    ignore_spaces(s);
    take_type(s);
    if (kind == MBARRIER_PENDING) {
        const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 8);
        insn *i = emit(p, OP_MBARRIER, s);
        i->sub = MBARRIER_PENDING;
        i->d = d;
        i->b = a;
        return d != NO_OPERAND && a != NO_OPERAND;
    }
    const bool waits = kind == MBARRIER_WAIT_PARITY || kind == MBARRIER_WAIT_STATE;
    const bool arrives = kind >= MBARRIER_ARRIVE && kind <= MBARRIER_DROP_EXPECT;
    /* A remote arrival may lack the result altogether. */
    const uint32_t k = (arrives && s->operands[0].kind != OPERAND_ADDRESS) || waits ? 1 : 0;
    uint8_t flags = 0;
    operand base, d = NO_OPERAND, value = NO_OPERAND;
    int64_t offset;
    if (!shared_address(p, s, k, &base, &offset, &flags))
        return false;
    if (k && s->operands[0].kind != OPERAND_SINK && (d = result_of(p, s, 0, waits ? 0 : 8)) == NO_OPERAND)
        return false;
    if (k + 1 < s->operand_count &&
        (value = value_of(p, s, k + 1, kind == MBARRIER_WAIT_STATE ? 8 : 4)) == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_MBARRIER, s);
    i->sub = (uint8_t)kind;
    i->d = d;
    i->a = base;
    i->b = value;
    i->imm = offset;
    i->flags = (uint8_t)(flags | (relaxed ? 0 : FLAG_ACQUIRE | FLAG_RELEASE));
    i->width = try ? MBARRIER_TRY : MBARRIER_TEST;
    return true;
}

static bool decode_cp_async(parser *p, statement *s)
{
    ignore_cache(s);
    ignore_spaces(s);
    if (has(s, "L2::cache_hint"))
        s->operand_count--;
    uint8_t flags = 0;
    operand a, b, size = NO_OPERAND;
    int64_t to, from;
    if (!shared_address(p, s, 0, &a, &to, &flags) || s->operand_count < 3 ||
        !address_of(p, &s->operands[1], SPACE_GLOBAL, &b, &from, &flags, FLAG_ADDRESS32_B) ||
        s->operands[2].kind != OPERAND_IMMEDIATE)
        return false;
    bool by_predicate = false;
    if (s->operand_count > 3) {
        const parsed_operand *o = &s->operands[3];
        by_predicate = o->kind == OPERAND_REGISTER && p->function->widths[o->reg] == 0;
        size = by_predicate ? 2 * o->reg : value_of(p, s, 3, 4);
        if (size == NO_OPERAND)
            return false;
    }
    insn *i = emit(p, OP_CP_ASYNC, s);
    i->a = a;
    i->b = b;
    i->c = size;
    i->imm = to;
    i->target = (uint32_t)from;
    i->flags = (uint8_t)(flags | (by_predicate ? FLAG_NEGATED_A : 0));
    i->sub = (uint8_t)s->operands[2].imm;
    return (int64_t)(int32_t)from == from;
}

static bool decode_group(parser *p, statement *s)
{
    const bool bulk = has(s, "bulk"), read = has(s, "read");
    if (has(s, "commit_group")) {
        emit(p, bulk ? OP_BULK_COMMIT : OP_CP_COMMIT, s);
        return true;
    }
    if (has(s, "wait_all")) {
        emit(p, OP_CP_WAIT, s)->sub = 255; /* also what is not committed */
        return true;
    }
    if (!has(s, "wait_group") || s->operands[0].kind != OPERAND_IMMEDIATE)
        return false;
    insn *i = emit(p, bulk ? OP_BULK_WAIT : OP_CP_WAIT, s);
    i->sub = (uint8_t)(s->operands[0].imm > 254 ? 254 : s->operands[0].imm);
    i->flags = read ? TMA_READ_ONLY_WAIT : 0;
    return true;
}

/* Reductions of bulk copies: 1 + enum atomic_op, or 0. */
static uint8_t take_reduction(statement *s)
{
    static const char *const ops[] = {"add", "and", "or",  "xor", "exch", "cas",
                                      "min", "max", "inc", "dec", NULL};
    return strcmp(s->storage, "cp") == 0 && has(s, "reduce") ? (uint8_t)(one_of(s, ops) + 1) : 0;
}

static bool decode_bulk(parser *p, statement *s)
{
    const uint8_t reduction = take_reduction(s);
    has(s, "async");
    has(s, "bulk");
    const bool multicast = has(s, "multicast::cluster");
    const bool hint = has(s, "L2::cache_hint");
    s->operand_count -= hint;
    const bool to_group = has(s, "bulk_group");
    has(s, "mbarrier::complete_tx::bytes");
    has(s, "noftz");
    /* The first space is the target's. */
    uint32_t kind = BULK_TO_SHARED;
    if (to_group)
        kind = BULK_TO_GLOBAL;
    else if (!has(s, "global"))
        kind = BULK_SHARED_TO_SHARED;
    ignore_spaces(s);
    const ptx_type type = reduction ? take_type(s) : TYPE_NONE;
    uint8_t flags = 0;
    operand a, b, mbarrier = NO_OPERAND, mask = NO_OPERAND;
    int64_t to, from, mbarrier_offset = 0;
    if (s->operand_count < 3 ||
        !address_of(p, &s->operands[0], SPACE_CLUSTER, &a, &to, &flags, FLAG_ADDRESS32) ||
        !address_of(p, &s->operands[1], SPACE_CLUSTER, &b, &from, &flags, FLAG_ADDRESS32_B))
        return false;
    const operand size = value_of(p, s, 2, 4);
    uint8_t mbarrier_flags = 0;
    if (kind != BULK_TO_GLOBAL && !shared_address(p, s, 3, &mbarrier, &mbarrier_offset, &mbarrier_flags))
        return false;
    if (multicast && (mask = value_of(p, s, 4, 2)) == NO_OPERAND)
        return false;
    if (size == NO_OPERAND || (reduction && kind == BULK_SHARED_TO_SHARED))
        return false;
    insn *i = emit(p, OP_BULK, s);
    i->a = a;
    i->b = b;
    i->c = size;
    i->imm = to;
    i->target = (uint32_t)from;
    i->reconverge = (uint32_t)mbarrier_offset;
    i->flags = (uint8_t)(flags | (mbarrier_flags ? FLAG_NEGATED_A
                                                 : 0)); /* FLAG_NEGATED_A: mbarrier address of 32 bits */
    i->sub = (uint8_t)kind;
    i->from = reduction;
    i->type = (uint8_t)type;
    i->narrow = multicast ? TMA_MULTICAST : 0;
    list_add(p, mbarrier != NO_OPERAND ? mbarrier : size);
    i->uses = 1;
    if (multicast) {
        list_add(p, mask);
        i->uses++;
    }
    return true;
}

/* cp{.reduce}.async.bulk.tensor */
static bool decode_tensor(parser *p, statement *s)
{
    static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d", NULL};
    const uint8_t reduction = take_reduction(s);
    has(s, "async");
    has(s, "bulk");
    has(s, "tensor");
    const int rank = one_of(s, dims) + 1;
    const bool multicast = has(s, "multicast::cluster"), im2col = has(s, "im2col");
    const bool hint = has(s, "L2::cache_hint"), store = has(s, "bulk_group");
    s->operand_count -= hint;
    const bool no_offsets = has(s, "im2col_no_offs");
    has(s, "tile");
    has(s, "mbarrier::complete_tx::bytes");
    ignore_spaces(s);
    const uint32_t map_at = store ? 0 : 1, shared_at = store ? 1 : 0;
    const parsed_operand map = s->operands[map_at];
    uint8_t flags = 0, mbarrier_flags = 0;
    operand m, b, mbarrier = NO_OPERAND;
    int64_t map_offset, offset, mbarrier_offset = 0;
    if (rank < 1 || s->operand_count < 2 ||
        !address_of(p, &map, SPACE_GENERIC, &m, &map_offset, &flags, FLAG_ADDRESS32_B) ||
        (int)map.count != rank || !shared_address(p, s, shared_at, &b, &offset, &flags) ||
        (!store && !shared_address(p, s, 2, &mbarrier, &mbarrier_offset, &mbarrier_flags)))
        return false;
    insn *i = emit(p, OP_TMA, s);
    i->a = m;
    i->b = b;
    i->c = mbarrier;
    i->imm = offset;
    i->target = (uint32_t)map_offset;
    i->reconverge = (uint32_t)mbarrier_offset;
    i->flags = (uint8_t)(flags | (mbarrier_flags ? FLAG_NEGATED_A : 0));
    i->sub = !store;
    i->from = reduction;
    i->width = (uint8_t)rank;
    i->narrow = (uint8_t)((multicast ? TMA_MULTICAST : 0) | (im2col       ? TMA_IM2COL | TMA_OFFSETS
                                                             : no_offsets ? TMA_IM2COL
                                                                          : 0));
    for (int k = 0; k < rank; k++) {
        const operand v = element_value(p, &p->elements[map.first + (uint32_t)k], 4);
        if (v == NO_OPERAND)
            return false;
        list_add(p, v);
        i->uses++;
    }
    uint32_t next = 3;
    if (im2col && !list_values(p, i, s, next++, 2))
        return false;
    return !multicast || list_values(p, i, s, next, 2);
}

static bool decode_cp_mbarrier(parser *p, statement *s)
{
    has(s, "async");
    has(s, "mbarrier");
    has(s, "arrive");
    const bool noinc = has(s, "noinc");
    ignore_spaces(s);
    take_type(s);
    uint8_t flags = 0;
    operand base;
    int64_t offset;
    if (!shared_address(p, s, 0, &base, &offset, &flags))
        return false;
    insn *i = emit(p, OP_CP_MBARRIER, s);
    i->a = base;
    i->imm = offset;
    i->flags = flags;
    i->sub = noinc;
    return true;
}

bool decode_cp(parser *p, statement *s)
{
    bool tensor = false, bulk = false, mbarrier = false, group = false, prefetch = false;
    for (uint32_t i = 1; i < s->part_count; i++) {
        tensor |= strcmp(s->parts[i], "tensor") == 0;
        bulk |= strcmp(s->parts[i], "bulk") == 0;
        mbarrier |= strcmp(s->parts[i], "mbarrier") == 0;
        prefetch |= strcmp(s->parts[i], "prefetch") == 0;
        group |= strcmp(s->parts[i], "commit_group") == 0 || strncmp(s->parts[i], "wait_", 5) == 0;
    }
    if (prefetch) {
        for (uint32_t i = 1; i < s->part_count; i++)
            s->used[i] = true;
        emit(p, OP_NOP, s);
        return true;
    }
    if (tensor)
        return decode_tensor(p, s);
    has(s, "async");
    if (group)
        return decode_group(p, s);
    if (bulk)
        return decode_bulk(p, s);
    return mbarrier ? decode_cp_mbarrier(p, s) : decode_cp_async(p, s);
}

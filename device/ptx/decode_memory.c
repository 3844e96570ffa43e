/* Decoding of loads, stores, atomics and address arithmetic. */
#include "device/ptx/decode.h"
#include "device/ptx/instructions.h"
#include <string.h>

static ptx_space take_space(statement *s)
{
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {
        {"global", SPACE_GLOBAL},           {"shared", SPACE_SHARED},     {"shared::cta", SPACE_SHARED},
        {"shared::cluster", SPACE_CLUSTER}, {"local", SPACE_LOCAL},       {"param", SPACE_PARAM},
        {"param::entry", SPACE_PARAM},      {"param::func", SPACE_PARAM}, {"const", SPACE_CONST}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (has(s, spaces[i].name))
            return spaces[i].space;
    return SPACE_GENERIC;
}

/* Memory order; scopes have no effect here: host threads see each other's writes in order. */
static uint8_t take_order(statement *s)
{
    uint8_t flags = 0;
    has(s, "weak");
    if (has(s, "volatile") || has(s, "relaxed") || has(s, "mmio"))
        flags |= FLAG_VOLATILE;
    if (has(s, "acquire"))
        flags |= FLAG_VOLATILE | FLAG_ACQUIRE;
    if (has(s, "release"))
        flags |= FLAG_VOLATILE | FLAG_RELEASE;
    if (has(s, "acq_rel"))
        flags |= FLAG_VOLATILE | FLAG_ACQUIRE | FLAG_RELEASE;
    ignore_scope(s);
    return flags;
}

static uint32_t take_vector(statement *s)
{
    return has(s, "v2") ? 2 : has(s, "v4") ? 4 : has(s, "v8") ? 8 : 1;
}

/* Registers of a load or store may be wider than the type. Their common width, or 0. */
static uint32_t data_width(parser *p, const parsed_operand *o)
{
    uint32_t width = 0;
    const uint32_t n = o->kind == OPERAND_VECTOR ? o->count : 1;
    for (uint32_t j = 0; j < n; j++) {
        const parsed_operand *e = o->kind == OPERAND_VECTOR ? &p->elements[o->first + j] : o;
        if (e->kind == OPERAND_REGISTER) {
            const uint32_t w = p->function->widths[e->reg];
            if (width && w != width)
                return 0;
            width = w;
        }
    }
    return width ? width : UINT32_MAX;
}

static bool data_list(parser *p, insn *i, statement *s, uint32_t k, ptx_type type, uint32_t vector,
                      bool results)
{
    const parsed_operand *o = &s->operands[k];
    uint32_t width = data_width(p, o);
    if (width == UINT32_MAX)
        width = type_bytes(type) < 2 ? 2 : type_bytes(type);
    if (width == 0 || width < type_bytes(type) || (o->kind == OPERAND_VECTOR ? o->count : 1) != vector)
        return false;
    i->narrow = (uint8_t)width;
    return results ? list_results(p, i, s, k, width) : list_values(p, i, s, k, width);
}

static bool is_kernel_param(const parsed_operand *o)
{
    return o->symbol && o->symbol->space == SPACE_PARAM && o->symbol->is_function_param;
}

bool decode_load(parser *p, statement *s)
{
    if (has(s, "async"))
        return false;
    uint8_t flags = take_order(s);
    ptx_space space = take_space(s);
    ignore_cache(s);
    if (has(s, "L2::cache_hint") || has(s, "L1::cache_hint"))
        s->operand_count--;
    const uint32_t vector = take_vector(s);
    const ptx_type type = take_type(s);
    if (type == TYPE_NONE || type_bytes(type) == 0 || s->operand_count != 2)
        return false;
    const parsed_operand *o = &s->operands[1];
    operand base;
    int64_t offset;
    if (space == SPACE_PARAM && is_kernel_param(o)) {
        insn *i = emit(p, OP_LD_PARAM, s);
        i->imm = (int64_t)o->symbol->address + o->offset;
        i->type = (uint8_t)type;
        i->width = (uint8_t)type_bytes(type);
        return data_list(p, i, s, 0, type, vector, true);
    }
    if (!address_of(p, o, space, &base, &offset, &flags, FLAG_ADDRESS32))
        return false;
    if (o->symbol && (space == SPACE_GENERIC || space == SPACE_PARAM))
        space = o->symbol->space == SPACE_PARAM ? (o->symbol->is_function_param ? SPACE_GENERIC : SPACE_LOCAL)
                                                : o->symbol->space;
    else if (space == SPACE_PARAM)
        space = SPACE_GENERIC;
    insn *i = emit(p, OP_LD, s);
    i->a = base;
    i->imm = offset;
    i->space = (uint8_t)(space == SPACE_CONST ? SPACE_GLOBAL : space);
    i->flags = flags;
    i->type = (uint8_t)type;
    i->width = (uint8_t)type_bytes(type);
    return data_list(p, i, s, 0, type, vector, true);
}

static const char *const atomic_names[] = {"add", "and", "or",  "xor", "exch", "cas",
                                           "min", "max", "inc", "dec", NULL};

/* st.async and red.async [a], b, [mbarrier] */
static bool decode_store_async(parser *p, statement *s)
{
    take_order(s);
    take_space(s);
    const int reduction = strcmp(s->parts[0], "red") == 0 ? one_of(s, atomic_names) : -1;
    has(s, "mbarrier::complete_tx::bytes");
    const uint32_t vector = take_vector(s);
    const ptx_type type = take_type(s);
    operand a, m;
    int64_t offset, mbarrier_offset;
    uint8_t flags = 0;
    if (type == TYPE_NONE || s->operand_count != 3 ||
        !address_of(p, &s->operands[0], SPACE_CLUSTER, &a, &offset, &flags, FLAG_ADDRESS32) ||
        !address_of(p, &s->operands[2], SPACE_CLUSTER, &m, &mbarrier_offset, &flags, FLAG_ADDRESS32_B))
        return false;
    insn *i = emit(p, OP_ST_ASYNC, s);
    i->a = a;
    i->b = m;
    i->imm = offset;
    i->target = (uint32_t)mbarrier_offset;
    i->flags = flags;
    i->type = (uint8_t)type;
    i->width = (uint8_t)type_bytes(type);
    i->sub = (uint8_t)(reduction + 1);
    return data_list(p, i, s, 1, type, vector, false);
}

bool decode_store(parser *p, statement *s)
{
    if (has(s, "bulk"))
        return false;
    if (has(s, "async"))
        return decode_store_async(p, s);
    uint8_t flags = take_order(s);
    ptx_space space = take_space(s);
    ignore_cache(s);
    if (has(s, "L2::cache_hint"))
        s->operand_count--;
    const uint32_t vector = take_vector(s);
    const ptx_type type = take_type(s);
    operand base;
    int64_t offset;
    if (type == TYPE_NONE || type_bytes(type) == 0 || s->operand_count != 2 ||
        !address_of(p, &s->operands[0], space, &base, &offset, &flags, FLAG_ADDRESS32))
        return false;
    const variable *v = s->operands[0].symbol;
    if (v && (space == SPACE_GENERIC || space == SPACE_PARAM))
        space = v->space == SPACE_PARAM ? SPACE_LOCAL : v->space;
    else if (space == SPACE_PARAM)
        space = SPACE_LOCAL;
    if (space == SPACE_CONST)
        return false;
    insn *i = emit(p, OP_ST, s);
    i->a = base;
    i->imm = offset;
    i->space = (uint8_t)space;
    i->flags = flags;
    i->type = (uint8_t)type;
    i->width = (uint8_t)type_bytes(type);
    return data_list(p, i, s, 1, type, vector, false);
}

bool decode_atom(parser *p, statement *s)
{
    if (has(s, "async"))
        return decode_store_async(p, s);
    const bool returns = strcmp(s->parts[0], "atom") == 0;
    uint8_t flags = take_order(s);
    ptx_space space = take_space(s);
    const int op = one_of(s, atomic_names);
    has(s, "noftz");
    has(s, "ftz");
    ignore_cache(s);
    if (has(s, "L2::cache_hint"))
        s->operand_count--;
    const uint32_t vector = take_vector(s);
    const ptx_type type = take_type(s);
    const uint32_t width = type_bytes(type), k = returns ? 1 : 0;
    operand base;
    int64_t offset;
    if (op < 0 || width < 2 || width > 8 || s->operand_count < k + 2 ||
        !address_of(p, &s->operands[k], space, &base, &offset, &flags, FLAG_ADDRESS32))
        return false;
    if (s->operands[k].symbol && space == SPACE_GENERIC)
        space = s->operands[k].symbol->space;
    const operand c = op == ATOMIC_CAS ? value_of(p, s, k + 2, width) : NO_OPERAND;
    if (op == ATOMIC_CAS && c == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_ATOM, s);
    i->a = base;
    i->c = c;
    i->imm = offset;
    i->space = (uint8_t)space;
    i->flags = (uint8_t)(flags | FLAG_VOLATILE);
    i->type = (uint8_t)type;
    i->width = (uint8_t)width;
    i->sub = (uint8_t)op;
    i->narrow = (uint8_t)vector;
    if (returns && !list_results(p, i, s, 0, width))
        return false;
    return list_values(p, i, s, k + 1, width) && i->uses == vector && (!returns || i->defs == vector);
}

bool decode_cvta(parser *p, statement *s)
{
    const bool to = has(s, "to");
    const ptx_space space = take_space(s);
    const ptx_type type = take_type(s);
    const uint32_t width = type_bytes(type);
    const operand d = result_of(p, s, 0, width), a = value_of(p, s, 1, width);
    if (width != 8 || d == NO_OPERAND || a == NO_OPERAND)
        return false;
    const bool shared = space == SPACE_SHARED || space == SPACE_CLUSTER;
    const bool short_pointers = space == SPACE_PARAM || space == SPACE_LOCAL || space == SPACE_CONST;
    insn *i = emit(p, shared && to ? OP_CVTA_TO : shared || (short_pointers && !to) ? OP_CVTA : OP_MOV_64, s);
    i->d = d;
    i->a = a;
    i->space = (uint8_t)space;
    return true;
}

bool decode_isspacep(parser *p, statement *s)
{
    const ptx_space space = take_space(s);
    const operand d = result_of(p, s, 0, 0), a = value_of(p, s, 1, 8);
    if (space == SPACE_GENERIC || d == NO_OPERAND || a == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_ISSPACEP, s);
    i->d = d;
    i->a = a;
    i->space = (uint8_t)space;
    return true;
}

/* mapa: an address in the block of a rank; getctarank: the rank of an address */
bool decode_mapa(parser *p, statement *s)
{
    const bool map = strcmp(s->parts[0], "mapa") == 0;
    const bool shared = take_space(s) == SPACE_CLUSTER;
    const uint32_t width = type_bytes(take_type(s));
    if (s->operands[1].kind == OPERAND_ADDRESS)
        return false;
    const operand d = result_of(p, s, 0, map ? width : 4), a = value_of(p, s, 1, width);
    const operand b = map ? value_of(p, s, 2, 4) : a;
    if ((width != 4 && width != 8) || d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND)
        return false;
    insn *i = emit(p, map ? OP_MAPA : OP_GETCTARANK, s);
    i->d = d;
    i->a = a;
    i->b = b;
    i->width = (uint8_t)width;
    i->flags = shared ? 1 : 0;
    return true;
}

bool decode_prefetch(parser *p, statement *s)
{
    static const char *const known[] = {
        "global",           "local", "param", "const", "L1", "L2", "tensormap", "L2::evict_last",
        "L2::evict_normal", NULL};
    ignore(s, known);
    emit(p, OP_NOP, s);
    return true;
}

/* What has no effect on results, or only one on time. */
bool decode_nothing(parser *p, statement *s)
{
    static const char *const known[] = {"inc",
                                        "dec",
                                        "sync",
                                        "aligned",
                                        "u32",
                                        "launch_dependents",
                                        "wait",
                                        "fractional",
                                        "L2::evict_last",
                                        "L2::evict_first",
                                        "L2::evict_normal",
                                        "L2::evict_unchanged",
                                        "b64",
                                        "mask",
                                        NULL};
    insn *i = emit(p, OP_NOP, s);
    if (strcmp(s->parts[0], "nanosleep") == 0)
        i->op = OP_NANOSLEEP;
    if (strcmp(s->parts[0], "createpolicy") == 0) {
        const operand d = result_of(p, s, 0, 8);
        if (d == NO_OPERAND)
            return false;
        i->op = OP_MOV_64;
        i->d = d;
        i->a = constant(p, 0, 8);
    }
    ignore(s, known);
    return true;
}

/* tex.{1d,2d}.v4.{f32,s32,u32}.{s32,f32} {d, ...}, [handle, {x, y}] with an opaque 64-bit handle */
bool decode_tex(parser *p, statement *s)
{
    has(s, "unified");
    const uint32_t dims = has(s, "1d") ? 1 : has(s, "2d") ? 2 : 0;
    const bool vector = has(s, "v4");
    const ptx_type to = take_type(s), by = take_type(s);
    const parsed_operand *o = &s->operands[1];
    if (!dims || !vector || type_bytes(to) != 4 || (by != TYPE_s32 && by != TYPE_f32) ||
        s->operand_count != 2 || o->kind != OPERAND_ADDRESS || !o->has_register || o->count < dims ||
        p->function->widths[o->reg] != 8)
        return false;
    const uint32_t first = o->first;
    operand coordinates[2] = {NO_OPERAND, NO_OPERAND};
    for (uint32_t k = 0; k < dims; k++)
        if ((coordinates[k] = element_value(p, &p->elements[first + k], 4)) == NO_OPERAND)
            return false;
    insn *i = emit(p, OP_TEX, s);
    i->a = 2 * o->reg;
    i->b = coordinates[0];
    i->c = coordinates[1];
    i->type = (uint8_t)to;
    i->from = (uint8_t)by;
    i->sub = (uint8_t)dims;
    return list_results(p, i, s, 0, 4);
}

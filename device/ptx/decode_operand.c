/* Modifiers and operands of an instruction as decoders ask for them. */
#include "device/ptx/decode.h"
#include <stdlib.h>
#include <string.h>

bool has(statement *s, const char *modifier)
{
    for (uint32_t i = 1; i < s->part_count; i++)
        if (strcmp(s->parts[i], modifier) == 0)
            return s->used[i] = true;
    return false;
}

ptx_type take_type(statement *s)
{
    for (uint32_t i = 1; i < s->part_count; i++) {
        const ptx_type type = s->used[i] ? TYPE_NONE : type_find(s->parts[i]);
        if (type != TYPE_NONE) {
            s->used[i] = true;
            return type;
        }
    }
    return TYPE_NONE;
}

int one_of(statement *s, const char *const *modifiers)
{
    for (int i = 0; modifiers[i]; i++)
        if (has(s, modifiers[i]))
            return i;
    return -1;
}

void ignore(statement *s, const char *const *modifiers)
{
    for (int i = 0; modifiers[i]; i++)
        has(s, modifiers[i]);
}

void ignore_cache(statement *s)
{
    static const char *const hints[] = {"ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "nc",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_last",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B",
                                        NULL};
    ignore(s, hints);
}

void ignore_scope(statement *s)
{
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
    ignore(s, scopes);
}

uint32_t part_number(const char *part)
{
    while (*part && (*part < '0' || *part > '9'))
        part++;
    return (uint32_t)strtoul(part, NULL, 10);
}

uint32_t register_width(const parser *p, operand o)
{
    return o & 1 ? p->function->constant_widths[o >> 1] & 0x7f : p->function->widths[o >> 1];
}

/* The bits of a number as a value of `width` bytes. */
static uint64_t number_bits(const parsed_operand *o, uint32_t width)
{
    double wide;
    float narrow;
    uint64_t bits = o->imm;
    if (o->number == NUMBER_F64 && width == 4) {
        memcpy(&wide, &o->imm, 8);
        narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, 4);
    } else if (o->number == NUMBER_F32 && width == 8) {
        memcpy(&narrow, &o->imm, 4);
        wide = narrow;
        memcpy(&bits, &wide, 8);
    }
    return bits;
}

bool place_shared(parser *p, variable *v)
{
    ptx_function *f = p->function;
    if (v->dynamic) {
        f->uses_dynamic = true;
        if (v->align > f->shared_dynamic_start)
            f->shared_dynamic_start = v->align; /* its alignment until the function is complete */
        return true;
    }
    if (v->placed && (v->placed_in == f || v->placed_in == NULL))
        return true;
    if (f->shared_static == 0)
        f->shared_static = SHARED_START + p->module->shared_bytes;
    const uint32_t align = v->align ? v->align : 1;
    f->shared_static = (f->shared_static + align - 1) / align * align;
    v->address = f->shared_static;
    f->shared_static += (uint32_t)v->bytes;
    v->placed = true;
    /* Called functions share one layout over all kernels. */
    v->placed_in = f->is_kernel ? f : NULL;
    if (!f->is_kernel)
        p->module->shared_bytes = f->shared_static - SHARED_START;
    return true;
}

operand symbol_address(parser *p, variable *v, int64_t offset, uint32_t width)
{
    const uint64_t more = (uint64_t)offset;
    ptx_device *d = p->module->device;
    switch (v->space) {
    case SPACE_SHARED:
        place_shared(p, v);
        if (v->dynamic)
            return constant(p, more, width | 0x80);
        return constant(p, v->address + more, width);
    case SPACE_LOCAL:
        return constant(p, device_local_window(d) + p->function->local_start + v->address + more, width);
    case SPACE_PARAM:
        if (v->is_function_param)
            return constant(p, device_param_window(d) + v->address + more, width);
        return constant(p, device_local_window(d) + p->function->local_start + v->address + more, width);
    default:
        return constant(p, v->address + more, width);
    }
}

operand element_value(parser *p, const parsed_operand *o, uint32_t width)
{
    switch (o->kind) {
    case OPERAND_REGISTER:
        return p->function->widths[o->reg] == width ? 2 * o->reg : NO_OPERAND;
    case OPERAND_IMMEDIATE:
        return constant(p, number_bits(o, width), width);
    case OPERAND_SYMBOL:
        return symbol_address(p, o->symbol, o->offset, width);
    case OPERAND_NAME: {
        const ptx_function *f = function_find(p->module, o->name);
        return f && width == 8 ? constant(p, f->address, 8) : NO_OPERAND;
    }
    case OPERAND_SINK:
        return constant(p, 0, width);
    default:
        return NO_OPERAND;
    }
}

operand value_of(parser *p, statement *s, uint32_t k, uint32_t width)
{
    return k < s->operand_count ? element_value(p, &s->operands[k], width) : NO_OPERAND;
}

operand result_of(parser *p, statement *s, uint32_t k, uint32_t width)
{
    if (k >= s->operand_count)
        return NO_OPERAND;
    const parsed_operand *o = &s->operands[k];
    if (o->kind == OPERAND_SINK)
        return 2 * register_new(p, width);
    return o->kind == OPERAND_REGISTER && p->function->widths[o->reg] == width ? 2 * o->reg : NO_OPERAND;
}

operand second_result(statement *s, uint32_t k)
{
    return k < s->operand_count && s->operands[k].second != UINT32_MAX ? 2 * s->operands[k].second
                                                                       : NO_OPERAND;
}

operand predicate_of(parser *p, statement *s, uint32_t k)
{
    if (k < s->operand_count && s->operands[k].kind == OPERAND_IMMEDIATE)
        return constant(p, s->operands[k].imm ? UINT32_MAX : 0, 0);
    return value_of(p, s, k, 0);
}

bool address_of(parser *p, const parsed_operand *o, ptx_space space, operand *base, int64_t *offset,
                uint8_t *flags, uint8_t flag_bit)
{
    (void)space;
    if (o->kind != OPERAND_ADDRESS)
        return false;
    *offset = o->offset;
    if (o->symbol) {
        *base = symbol_address(p, o->symbol, 0, 8);
        return true;
    }
    if (!o->has_register) {
        *base = constant(p, 0, 8);
        return true;
    }
    const uint32_t width = p->function->widths[o->reg];
    if (width != 4 && width != 8)
        return false;
    *base = 2 * o->reg;
    if (width == 4)
        *flags |= flag_bit;
    return true;
}

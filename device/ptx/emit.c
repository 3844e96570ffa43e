/* Adding instructions, registers, constants and operand lists to a function. */
#include "device/ptx/decode.h"
#include <stdlib.h>
#include <string.h>

uint32_t register_new(parser *p, uint32_t width)
{
    ptx_function *f = p->function;
    if (!GROW(f->widths, f->register_count, f->register_capacity))
        abort();
    f->widths[f->register_count] = (uint8_t)width;
    return f->register_count++;
}

operand constant(parser *p, uint64_t value, uint32_t width)
{
    ptx_function *f = p->function;
    const uint32_t bytes = width & 0x7f;
    if (bytes < 8 && bytes > 0)
        value &= (1ull << (bytes * 8)) - 1;
    if (bytes == 0)
        value &= UINT32_MAX;
    uint32_t h = (uint32_t)((value * 0x9E3779B97F4A7C15ull) >> 40) + width;
    for (uint32_t tries = 0; tries < 64; tries++, h++) {
        uint32_t *slot = &p->constant_hash[h % 4096];
        if (*slot && f->constants[*slot - 1] == value && f->constant_widths[*slot - 1] == width)
            return (*slot - 1) * 2 + 1;
        if (*slot)
            continue;
        *slot = f->constant_count + 1;
        break;
    }
    uint32_t capacity = f->constant_capacity;
    if (!GROW(f->constants, f->constant_count, capacity))
        abort();
    if (!GROW(f->constant_widths, f->constant_count, f->constant_capacity))
        abort();
    f->constants[f->constant_count] = value;
    f->constant_widths[f->constant_count] = (uint8_t)width;
    return f->constant_count++ * 2 + 1;
}

insn *emit(parser *p, uint32_t op, const statement *s)
{
    ptx_function *f = p->function;
    if (f->count == f->capacity) {
        const uint32_t capacity = f->capacity * 2 + 256;
        f->code = realloc(f->code, capacity * sizeof *f->code);
        f->lines = realloc(f->lines, capacity * sizeof *f->lines);
        if (!f->code || !f->lines)
            abort();
        f->capacity = capacity;
    }
    insn *i = &f->code[f->count];
    memset(i, 0, sizeof *i);
    i->op = (uint16_t)op;
    i->guard = i->d = i->d2 = i->a = i->b = i->c = NO_OPERAND;
    i->list = f->list_count;
    i->target = i->reconverge = UINT32_MAX;
    i->type = i->from = TYPE_NONE;
    if (s) {
        i->guard = s->guard;
        i->guard_negated = s->guard_negated;
    }
    f->lines[f->count] = (source_line){p->file, p->line, p->lex.line};
    f->count++;
    return i;
}

void list_add(parser *p, operand value)
{
    ptx_function *f = p->function;
    if (!GROW(f->lists, f->list_count, f->list_capacity))
        abort();
    f->lists[f->list_count++] = value;
}

bool list_results(parser *p, insn *i, statement *s, uint32_t k, uint32_t width)
{
    const parsed_operand *o = &s->operands[k];
    const uint32_t n = o->kind == OPERAND_VECTOR ? o->count : 1;
    for (uint32_t j = 0; j < n; j++) {
        const parsed_operand *e = o->kind == OPERAND_VECTOR ? &p->elements[o->first + j] : o;
        if (e->kind == OPERAND_REGISTER && p->function->widths[e->reg] != width)
            return false;
        list_add(p, 2 * (e->kind == OPERAND_REGISTER ? e->reg : register_new(p, width)));
        i->defs++;
    }
    return true;
}

bool list_values(parser *p, insn *i, statement *s, uint32_t k, uint32_t width)
{
    const parsed_operand *o = &s->operands[k];
    const uint32_t n = o->kind == OPERAND_VECTOR ? o->count : 1;
    for (uint32_t j = 0; j < n; j++) {
        const operand v = element_value(p, o->kind == OPERAND_VECTOR ? &p->elements[o->first + j] : o, width);
        if (v == NO_OPERAND)
            return false;
        list_add(p, v);
        i->uses++;
    }
    return true;
}

/* Operands of instructions. */
#include "device/ptx/parse.h"
#include "device/ptx/special.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool register_find(const parser *p, const char *name, uint32_t *out)
{
    for (size_t i = p->family_count; i-- > 0;) {
        const register_family *f = &p->families[i];
        if (f->single) {
            if (strcmp(name, f->prefix) == 0)
                return *out = f->first, true;
            continue;
        }
        if (strncmp(name, f->prefix, f->length) != 0 || !isdigit((unsigned char)name[f->length]))
            continue;
        char *end;
        const unsigned long number = strtoul(name + f->length, &end, 10);
        if (*end == 0 && number < f->count)
            return *out = f->first + (uint32_t)number, true;
    }
    return false;
}

bool special_find(const char *name, uint32_t *number, uint32_t *width)
{
    static const struct {
        const char *name;
        uint32_t width;
    } specials[] = {
#define S(id, text, bytes) {text, bytes},
        PTX_SPECIALS(S)
#undef S
    };
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (strcmp(name, specials[i].name) == 0)
            return *number = i, *width = specials[i].width, true;
    return false;
}

static bool elements_parse(parser *p, parsed_operand *out)
{
    parsed_operand local[136];
    uint32_t n = 0;
    do {
        if (n == 136)
            return parse_fail(p, "a vector of more than 136 elements");
        if (!operand_parse(p, &local[n++]))
            return false;
    } while (lex_take(&p->lex, ','));
    if (!lex_take(&p->lex, '}'))
        return parse_fail(p, "expected '}'");
    if (p->element_count + n > MAX_ELEMENTS)
        return parse_fail(p, "too many elements in one instruction");
    out->first = p->element_count;
    out->count = n;
    memcpy(&p->elements[out->first], local, n * sizeof *local);
    p->element_count += n;
    return true;
}

static bool address_parse(parser *p, parsed_operand *out)
{
    parsed_operand base;
    number_kind kind;
    uint64_t number;
    if (!operand_parse(p, &base))
        return false;
    out->kind = OPERAND_ADDRESS;
    if (base.kind == OPERAND_REGISTER) {
        out->has_register = true;
        out->reg = base.reg;
    } else if (base.kind == OPERAND_SYMBOL) {
        out->symbol = base.symbol;
        out->offset = base.offset;
    } else if (base.kind == OPERAND_IMMEDIATE) {
        out->offset = (int64_t)base.imm;
    } else if (base.kind == OPERAND_NAME) {
        out->name = base.name;
    } else {
        return parse_fail(p, "an address that is neither register, variable nor number");
    }
    for (;;) {
        const bool minus = lex_peek(&p->lex) == '-';
        if (!minus && !lex_take(&p->lex, '+'))
            break;
        if (!lex_number(&p->lex, &number, &kind))
            return parse_fail(p, "an offset that is no number");
        out->offset += (int64_t)number;
    }
    if (lex_take(&p->lex, ',')) { /* [map, {coordinates}] and texture coordinates */
        parsed_operand more;
        if (!operand_parse(p, &more))
            return false;
        out->first = more.first;
        out->count = more.count;
        if (more.kind != OPERAND_VECTOR) {
            if (p->element_count == MAX_ELEMENTS)
                return parse_fail(p, "too many elements in one instruction");
            out->first = p->element_count;
            out->count = 1;
            p->elements[p->element_count++] = more;
        }
        if (lex_take(&p->lex, ',')) { /* [texture, sampler, {...}] */
            if (!operand_parse(p, &more))
                return false;
            return parse_fail(p, "separate samplers are not supported");
        }
    }
    return lex_take(&p->lex, ']') ? true : parse_fail(p, "expected ']'");
}

static char *keep_name(parser *p, const char *word)
{
    const size_t bytes = strlen(word) + 1;
    if (p->names_used + bytes > sizeof p->names)
        return NULL;
    char *kept = memcpy(p->names + p->names_used, word, bytes);
    p->names_used += bytes;
    return kept;
}

/* a|b, where the second may be a predicate beside the result */
static bool second_parse(parser *p, parsed_operand *out)
{
    if (!lex_take(&p->lex, '|'))
        return true;
    parsed_operand second;
    if (!operand_parse(p, &second))
        return false;
    if (second.kind == OPERAND_REGISTER)
        out->second = second.reg;
    return true;
}

static bool name_parse(parser *p, parsed_operand *out)
{
    char word[WORD_MAX];
    uint32_t width, number;
    if (!lex_word(&p->lex, word, sizeof word))
        return parse_fail(p, "unexpected character '%c'", lex_peek(&p->lex));
    if (strcmp(word, "_") == 0) {
        out->kind = OPERAND_SINK;
        return second_parse(p, out);
    }
    if (strcmp(word, "WARP_SZ") == 0) {
        out->kind = OPERAND_IMMEDIATE;
        out->imm = 32;
        return true;
    }
    if (register_find(p, word, &out->reg)) {
        out->kind = OPERAND_REGISTER;
        return second_parse(p, out);
    }
    if (special_find(word, &number, &width)) {
        /* Read into a register of its own before the instruction. */
        const uint32_t target = register_new(p, width);
        insn *i = emit(p, OP_SPECIAL, NULL);
        if (!i)
            return false;
        i->d = target * 2;
        i->sub = (uint8_t)number;
        out->kind = OPERAND_REGISTER;
        out->reg = target;
        return true;
    }
    /* vector members of registers, %v.x, do not occur in what compilers emit */
    variable *v = variable_find(p, word);
    if (!v) {
        out->kind = OPERAND_NAME;
        out->name = keep_name(p, word);
        return out->name ? true : parse_fail(p, "too many names in one instruction");
    }
    out->kind = OPERAND_SYMBOL;
    out->symbol = v;
    number_kind kind;
    uint64_t offset;
    while (lex_peek(&p->lex) == '+' || lex_peek(&p->lex) == '-') {
        lex_take(&p->lex, '+');
        if (!lex_number(&p->lex, &offset, &kind))
            return parse_fail(p, "an offset that is no number");
        out->offset += (int64_t)offset;
    }
    return true;
}

bool operand_parse(parser *p, parsed_operand *out)
{
    *out = (parsed_operand){.second = UINT32_MAX};
    const char c = lex_peek(&p->lex);
    if (c == '{') {
        lex_take(&p->lex, '{');
        out->kind = OPERAND_VECTOR;
        return elements_parse(p, out);
    }
    if (c == '[') {
        lex_take(&p->lex, '[');
        return address_parse(p, out);
    }
    if (c == '!') {
        lex_take(&p->lex, '!');
        if (!operand_parse(p, out))
            return false;
        out->negated = true;
        return true;
    }
    if (isdigit((unsigned char)c) || c == '-') {
        out->kind = OPERAND_IMMEDIATE;
        return lex_number(&p->lex, &out->imm, &out->number) ? true : parse_fail(p, "a bad number");
    }
    return name_parse(p, out);
}

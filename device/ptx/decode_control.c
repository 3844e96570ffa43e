/* Decoding of branches, calls, warp operations and barriers. */
#include "device/ptx/builtin.h"
#include "device/ptx/decode.h"
#include "device/ptx/instructions.h"
#include <stdlib.h>
#include <string.h>

static bool use_label(parser *p, const char *name, uint32_t at)
{
    if (!GROW(p->label_uses, p->label_use_count, p->label_use_capacity))
        return parse_fail(p, "out of memory");
    p->label_uses[p->label_use_count++] = (label_use){strdup(name), p->scope, at, p->lex.line};
    return true;
}

/* brx.idx index, table: a chain of comparisons and branches. */
static bool decode_branch_table(parser *p, statement *s)
{
    const operand index = value_of(p, s, 0, 4);
    if (s->operand_count != 2 || s->operands[1].kind != OPERAND_NAME || index == NO_OPERAND ||
        s->guard != NO_OPERAND)
        return false;
    const branch_table *t = NULL;
    for (size_t i = 0; i < p->table_count; i++)
        if (strcmp(p->tables[i].name, s->operands[1].name) == 0)
            t = &p->tables[i];
    if (!t)
        return false;
    const operand taken = 2 * register_new(p, 0);
    for (uint32_t k = 0; k < t->count; k++) {
        if (k + 1 < t->count) {
            insn *test = emit(p, OP_SETP, s);
            test->d = taken;
            test->a = index;
            test->b = constant(p, k, 4);
            test->type = TYPE_u32;
        }
        insn *i = emit(p, OP_BRA, s);
        if (k + 1 < t->count)
            i->guard = taken;
        if (!use_label(p, t->labels[k], p->function->count - 1))
            return false;
    }
    return true;
}

bool decode_branch(parser *p, statement *s)
{
    has(s, "uni");
    if (has(s, "idx"))
        return decode_branch_table(p, s);
    if (s->operand_count != 1 || s->operands[0].kind != OPERAND_NAME)
        return false;
    emit(p, OP_BRA, s);
    return use_label(p, s->operands[0].name, p->function->count - 1);
}

bool decode_exit(parser *p, statement *s)
{
    has(s, "uni");
    const bool ret = strcmp(s->parts[0], "ret") == 0;
    const bool stop = strcmp(s->parts[0], "exit") == 0;
    emit(p, ret && !p->function->is_kernel ? OP_RET : ret || stop ? OP_EXIT : OP_TRAP, s);
    return true;
}

bool decode_shfl(parser *p, statement *s)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
    const bool sync = has(s, "sync");
    const int mode = one_of(s, modes);
    if (take_type(s) != TYPE_b32 || mode < 0)
        return false;
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), b = value_of(p, s, 2, 4),
                  c = value_of(p, s, 3, 4);
    const operand members = sync ? value_of(p, s, 4, 4) : NO_OPERAND;
    if (d == NO_OPERAND || a == NO_OPERAND || b == NO_OPERAND || c == NO_OPERAND ||
        (sync && members == NO_OPERAND))
        return false;
    insn *i = emit(p, OP_SHFL, s);
    i->d = d;
    i->d2 = second_result(s, 0);
    i->a = a;
    i->b = b;
    i->c = c;
    i->sub = (uint8_t)mode;
    if (sync) {
        list_add(p, members);
        i->uses = 1;
    }
    return true;
}

bool decode_vote(parser *p, statement *s)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
    const bool sync = has(s, "sync");
    const int mode = one_of(s, modes);
    take_type(s);
    const operand d = result_of(p, s, 0, mode == VOTE_BALLOT ? 4 : 0), a = predicate_of(p, s, 1);
    const operand members = sync ? value_of(p, s, 2, 4) : NO_OPERAND;
    if (mode < 0 || d == NO_OPERAND || a == NO_OPERAND || (sync && members == NO_OPERAND))
        return false;
    insn *i = emit(p, OP_VOTE, s);
    i->d = d;
    i->a = a;
    i->b = members;
    i->sub = (uint8_t)mode;
    i->flags = s->operands[1].negated ? FLAG_NEGATED_A : 0;
    return true;
}

bool decode_match(parser *p, statement *s)
{
    has(s, "sync");
    const bool all = has(s, "all");
    if (!all && !has(s, "any"))
        return false;
    const uint32_t width = type_bytes(take_type(s));
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, width), members = value_of(p, s, 2, 4);
    if ((width != 4 && width != 8) || d == NO_OPERAND || a == NO_OPERAND || members == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_MATCH, s);
    i->d = d;
    i->d2 = second_result(s, 0);
    i->a = a;
    i->b = members;
    i->sub = all;
    i->width = (uint8_t)width;
    return true;
}

bool decode_redux(parser *p, statement *s)
{
    static const char *const ops[] = {"add", "min", "max", "and", "or", "xor", NULL};
    has(s, "sync");
    const int op = one_of(s, ops);
    const ptx_type type = take_type(s);
    const operand d = result_of(p, s, 0, 4), a = value_of(p, s, 1, 4), members = value_of(p, s, 2, 4);
    if (op < 0 || type_bytes(type) != 4 || type_float(type) || d == NO_OPERAND || a == NO_OPERAND ||
        members == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_REDUX, s);
    i->d = d;
    i->a = a;
    i->b = members;
    i->sub = (uint8_t)op;
    i->type = (uint8_t)type;
    return true;
}

bool decode_activemask(parser *p, statement *s)
{
    take_type(s);
    const operand d = result_of(p, s, 0, 4);
    emit(p, OP_ACTIVEMASK, s)->d = d;
    return d != NO_OPERAND;
}

/* elect.sync d|p, membermask */
bool decode_elect(parser *p, statement *s)
{
    has(s, "sync");
    const operand d = result_of(p, s, 0, 4), members = value_of(p, s, 1, 4);
    if (d == NO_OPERAND || members == NO_OPERAND)
        return false;
    insn *i = emit(p, OP_ELECT, s);
    i->d = d;
    i->d2 = second_result(s, 0);
    i->b = members;
    return true;
}

static bool decode_cluster_barrier(parser *p, statement *s)
{
    const bool arrive = has(s, "arrive");
    if (!arrive && !has(s, "wait"))
        return false;
    has(s, "aligned");
    const bool relaxed = has(s, "relaxed");
    has(s, "release");
    has(s, "acquire");
    insn *i = emit(p, arrive ? OP_CLUSTER_ARRIVE : OP_CLUSTER_WAIT, s);
    i->sub = relaxed;
    return true;
}

bool decode_bar(parser *p, statement *s)
{
    static const char *const reductions[] = {"and", "or", "popc", NULL};
    if (has(s, "cluster"))
        return decode_cluster_barrier(p, s);
    if (has(s, "warp")) {
        has(s, "sync");
        const operand members = value_of(p, s, 0, 4);
        emit(p, OP_WARPSYNC, s)->b = members;
        return members != NO_OPERAND;
    }
    has(s, "cta");
    has(s, "aligned");
    const bool reduces = has(s, "red"), arrives = has(s, "arrive");
    if (!reduces && !arrives && !has(s, "sync"))
        return false;
    const int reduction = reduces ? one_of(s, reductions) : -1;
    take_type(s);
    if (reduces && reduction < 0)
        return false;
    const uint32_t k = reduces ? 1 : 0, counted = s->operand_count - k - (reduces ? 1 : 0);
    const operand d = reduces ? result_of(p, s, 0, reduction == 2 ? 4 : 0) : NO_OPERAND;
    const operand id = value_of(p, s, k, 4), count = counted > 1 ? value_of(p, s, k + 1, 4) : NO_OPERAND;
    const operand c = reduces ? predicate_of(p, s, s->operand_count - 1) : NO_OPERAND;
    if (id == NO_OPERAND || (counted > 1 && count == NO_OPERAND) ||
        (reduces && (d == NO_OPERAND || c == NO_OPERAND)))
        return false;
    insn *i = emit(p, OP_BAR, s);
    i->d = d;
    i->a = id;
    i->b = count;
    i->c = c;
    i->sub = (uint8_t)(reduces ? BAR_RED_AND + reduction : arrives ? BAR_ARRIVE : BAR_SYNC);
    i->flags = reduces && s->operands[s->operand_count - 1].negated ? FLAG_NEGATED_A : 0;
    return true;
}

bool decode_fence(parser *p, statement *s)
{
    static const char *const words[] = {"sc",
                                        "acq_rel",
                                        "acquire",
                                        "release",
                                        "cta",
                                        "cluster",
                                        "gpu",
                                        "gl",
                                        "sys",
                                        "sync_restrict::shared::cta",
                                        "sync_restrict::shared::cluster",
                                        "to_proxy",
                                        "from_proxy",
                                        NULL};
    uint32_t kind = FENCE_MEMORY;
    if (has(s, "proxy")) {
        kind = FENCE_PROXY_OTHER;
        static const char *const spaces[] = {"global",
                                             "shared::cta",
                                             "shared::cluster",
                                             "async::global",
                                             "async::shared::cta",
                                             "async::shared::cluster",
                                             NULL};
        if (has(s, "async") || one_of(s, spaces) >= 0)
            kind = FENCE_PROXY_ASYNC;
        ignore(s, spaces);
        has(s, "alias");
        has(s, "tensormap::generic");
        has(s, "tensormap");
    }
    if (has(s, "mbarrier_init"))
        kind = FENCE_MBARRIER_INIT;
    if (kind == FENCE_MEMORY && (has(s, "cta") || has(s, "cluster")))
        kind = FENCE_BLOCK; /* of no use to other blocks */
    ignore(s, words);
    emit(p, OP_FENCE, s)->sub = (uint8_t)kind;
    return true;
}

/* ---- calls ---- */

static bool site_param(parser *p, const parsed_operand *o, call_param *out)
{
    const variable *v = o->symbol;
    if (o->kind != OPERAND_SYMBOL || v->space != SPACE_PARAM || v->is_function_param)
        return false;
    *out = (call_param){p->function->local_start + (uint32_t)v->address, (uint32_t)v->bytes};
    return true;
}

/* Operands in parentheses, the results' and arguments' variables. */
static bool site_list(parser *p, call_param *out, uint32_t most, uint32_t *count)
{
    *count = 0;
    if (lex_take(&p->lex, ')'))
        return true;
    do {
        parsed_operand o;
        if (!operand_parse(p, &o))
            return false;
        if (*count == most || !site_param(p, &o, &out[*count]))
            return parse_fail(p, "a call's argument that is no .param variable, or too many of them");
        ++*count;
    } while (lex_take(&p->lex, ','));
    return lex_take(&p->lex, ')') ? true : parse_fail(p, "expected ')' in a call");
}

/* call{.uni} (results), function, (arguments){, prototype}; operands are read here, since parentheses occur in no other instruction. */
bool decode_call(parser *p, statement *s)
{
    ptx_function *f = p->function;
    call_site site = {.function = -1, .builtin = -1, .pointer = NO_OPERAND};
    has(s, "uni");
    if (lex_take(&p->lex, '(')) {
        if (!site_list(p, site.results, 2, &site.result_count))
            return false;
        lex_take(&p->lex, ',');
    }
    parsed_operand target;
    if (!operand_parse(p, &target))
        return false;
    if (lex_take(&p->lex, ',') && lex_take(&p->lex, '(') &&
        !site_list(p, site.arguments, 16, &site.argument_count))
        return false;
    if (lex_take(&p->lex, ',')) { /* prototype or targets of an indirect call */
        parsed_operand prototype;
        if (!operand_parse(p, &prototype))
            return false;
    }
    if (target.kind == OPERAND_REGISTER) {
        site.pointer = 2 * target.reg;
    } else if (target.kind == OPERAND_NAME) {
        const ptx_function *callee = function_find(p->module, target.name);
        site.builtin = builtin_find(target.name);
        if (callee && callee->defined)
            site.function = (int32_t)callee->number;
        else if (site.builtin < 0)
            return false;
    } else {
        return false;
    }
    call_site *grown = realloc(f->calls_made, (f->call_count + 1) * sizeof *grown);
    if (!grown)
        return parse_fail(p, "out of memory");
    f->calls_made = grown;
    f->calls_made[f->call_count] = site;
    f->calls = f->calls || site.builtin < 0 || site.function >= 0;
    insn *i = emit(p, site.function < 0 && site.builtin >= 0 ? OP_CALL_BUILTIN : OP_CALL, s);
    i->a = site.pointer;
    i->target = f->call_count++;
    if (i->op == OP_CALL)
        emit(p, OP_JOIN, NULL); /* where the lanes meet again */
    return true;
}

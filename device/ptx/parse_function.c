/* Functions: headers, registers, labels, statements. */
#include "device/ptx/decode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ptx_function *function_find(ptx_module *m, const char *name)
{
    for (size_t i = 0; i < m->function_count; i++)
        if (strcmp(m->functions[i]->info.name, name) == 0)
            return m->functions[i];
    return NULL;
}

/* .reg .b32 %r<10>, %x; */
static bool registers_parse(parser *p)
{
    char word[WORD_MAX];
    lex_word(&p->lex, word, sizeof word);
    uint32_t vector = 1;
    if (strcmp(word, ".v2") == 0 || strcmp(word, ".v4") == 0)
        vector = 0;
    const ptx_type type = word[0] == '.' ? type_find(word + 1) : TYPE_NONE;
    if (type == TYPE_NONE || vector == 0)
        return parse_fail(p, "registers of type '%s'", word);
    const uint32_t width = type == TYPE_pred ? 0 : type_bytes(type) < 2 ? 2 : type_bytes(type);
    do {
        uint64_t count = 1;
        number_kind kind;
        if (!lex_word(&p->lex, word, sizeof word) || !GROW(p->families, p->family_count, p->family_capacity))
            return parse_fail(p, "registers without a name");
        register_family *f = &p->families[p->family_count++];
        *f = (register_family){
            .prefix = strdup(word), .length = strlen(word), .first = p->function->register_count};
        f->single = !lex_take(&p->lex, '<');
        if (!f->single &&
            (!lex_number(&p->lex, &count, &kind) || !lex_take(&p->lex, '>') || count > 1u << 24))
            return parse_fail(p, "registers %s: a bad count", word);
        f->count = (uint32_t)count;
        for (uint64_t i = 0; i < count; i++)
            register_new(p, width);
    } while (lex_take(&p->lex, ','));
    return lex_take(&p->lex, ';') ? true : parse_fail(p, "expected ';' after registers");
}

static void loc_parse(parser *p)
{
    uint64_t file = 0, line = 0;
    number_kind kind;
    lex_number(&p->lex, &file, &kind);
    lex_number(&p->lex, &line, &kind);
    if (line) { /* line 0: the compiler's own, which belongs to what is around it */
        p->file = (uint32_t)file;
        p->line = (uint32_t)line;
    }
    while (p->lex.at < p->lex.end && *p->lex.at != '\n' && *p->lex.at != ';')
        p->lex.at++;
}

/* .branchtargets L1, L2; behind a label */
static bool table_parse(parser *p, const char *name)
{
    branch_table *grown = realloc(p->tables, (p->table_count + 1) * sizeof *grown);
    if (!grown)
        return parse_fail(p, "out of memory");
    p->tables = grown;
    branch_table *t = &p->tables[p->table_count++];
    *t = (branch_table){.name = strdup(name)};
    char word[WORD_MAX];
    do {
        lex_word(&p->lex, word, sizeof word);
        t->labels = realloc(t->labels, (t->count + 1) * sizeof *t->labels);
        if (!t->labels)
            return parse_fail(p, "out of memory");
        t->labels[t->count++] = strdup(word);
    } while (lex_take(&p->lex, ','));
    lex_take(&p->lex, ';');
    return true;
}

static bool label_parse(parser *p, const char *name)
{
    char word[32];
    if (lex_peek(&p->lex) == '.') {
        const lexer before = p->lex;
        lex_word(&p->lex, word, sizeof word);
        if (strcmp(word, ".branchtargets") == 0)
            return table_parse(p, name);
        if (strcmp(word, ".callprototype") == 0 || strcmp(word, ".calltargets") == 0) {
            lex_past(&p->lex, ';');
            return true;
        }
        p->lex = before;
    }
    if (!GROW(p->labels, p->label_count, p->label_capacity))
        return parse_fail(p, "out of memory");
    p->labels[p->label_count++] = (label){strdup(name), p->scope, p->function->count};
    return true;
}

static bool directive_parse(parser *p, const char *word)
{
    if (strcmp(word, ".reg") == 0)
        return registers_parse(p);
    if (strcmp(word, ".loc") == 0)
        return loc_parse(p), true;
    if (strcmp(word, ".shared") == 0)
        return variable_parse(p, SPACE_SHARED, false, true);
    if (strcmp(word, ".local") == 0)
        return variable_parse(p, SPACE_LOCAL, false, true);
    if (strcmp(word, ".param") == 0)
        return variable_parse(p, SPACE_PARAM, false, true);
    if (strcmp(word, ".global") == 0)
        return variable_parse(p, SPACE_GLOBAL, false, true);
    if (strcmp(word, ".const") == 0)
        return variable_parse(p, SPACE_CONST, false, true);
    if (strcmp(word, ".pragma") == 0) {
        lex_past(&p->lex, ';');
        return true;
    }
    return parse_fail(p, "unknown directive '%s'", word);
}

static bool guard_parse(parser *p, statement *s)
{
    s->guard_negated = lex_take(&p->lex, '!');
    parsed_operand o;
    if (!operand_parse(p, &o))
        return false;
    if (o.kind != OPERAND_REGISTER || p->function->widths[o.reg] != 0)
        return parse_fail(p, "a guard that is no predicate");
    s->guard = 2 * o.reg;
    return true;
}

static bool statement_parse(parser *p, statement *s)
{
    p->element_count = 0;
    p->names_used = 0;
    s->operand_count = 0;
    if (strncmp(s->text, "call", 4) == 0 && (s->text[4] == 0 || s->text[4] == '.')) {
        if (!decode(p, s))
            return false;
        lex_past(&p->lex, ';');
        return true;
    }
    while (lex_peek(&p->lex) != ';') {
        if (s->operand_count == MAX_OPERANDS)
            return parse_fail(p, "'%s': more than %d operands", s->text, MAX_OPERANDS);
        if (!operand_parse(p, &s->operands[s->operand_count++]))
            return false;
        if (!lex_take(&p->lex, ','))
            break;
    }
    if (!lex_take(&p->lex, ';'))
        return parse_fail(p, "expected ';' after '%s'", s->text);
    return decode(p, s);
}

static bool scope_open(parser *p)
{
    if (p->scope_count == p->scope_capacity) {
        p->scope_capacity = p->scope_capacity * 2 + 64;
        p->scope_parents = realloc(p->scope_parents, p->scope_capacity * sizeof *p->scope_parents);
        if (!p->scope_parents)
            return parse_fail(p, "out of memory");
    }
    p->scope_parents[p->scope_count] = p->scope;
    p->scope = p->scope_count++;
    return true;
}

/* Everything between the braces of a function. Registers and labels of inner braces end with them. */
static bool body_parse(parser *p)
{
    size_t families[MAX_SCOPES];
    uint32_t depth = 0;
    static _Thread_local statement s;
    for (;;) {
        const char c = lex_peek(&p->lex);
        if (c == 0)
            return parse_fail(p, "the text ends within a function");
        if (lex_take(&p->lex, ';'))
            continue;
        if (lex_take(&p->lex, '{')) {
            if (depth == MAX_SCOPES || !scope_open(p))
                return parse_fail(p, "braces more than %d deep", MAX_SCOPES);
            families[depth++] = p->family_count;
            continue;
        }
        if (lex_take(&p->lex, '}')) {
            if (depth == 0)
                return true;
            while (p->family_count > families[depth - 1])
                free(p->families[--p->family_count].prefix);
            depth--;
            p->scope = p->scope_parents[p->scope];
            continue;
        }
        s.guard = NO_OPERAND;
        s.guard_negated = false;
        if (lex_take(&p->lex, '@') && !guard_parse(p, &s))
            return false;
        char word[WORD_MAX];
        if (!lex_statement(&p->lex, word, sizeof word))
            return parse_fail(p, "unexpected character '%c'", lex_peek(&p->lex));
        if (word[0] == '.') {
            if (!directive_parse(p, word))
                return false;
            continue;
        }
        if (lex_take(&p->lex, ':')) {
            if (!label_parse(p, word))
                return false;
            continue;
        }
        snprintf(s.text, sizeof s.text, "%s", word);
        if (!statement_parse(p, &s))
            return false;
    }
}

static bool resolve_labels(parser *p)
{
    for (size_t k = 0; k < p->label_use_count; k++) {
        const label_use *u = &p->label_uses[k];
        const label *found = NULL;
        for (uint32_t scope = u->scope; !found; scope = p->scope_parents[scope]) {
            for (size_t j = 0; j < p->label_count && !found; j++)
                if (p->labels[j].scope == scope && strcmp(p->labels[j].name, u->name) == 0)
                    found = &p->labels[j];
            if (scope == 0)
                break;
        }
        if (!found)
            return parse_fail(p, "label '%s' of line %u is not known", u->name, u->ptx_line);
        p->function->code[u->insn].target = found->at;
    }
    return true;
}

/* (.param .u64 a, ...): a kernel's parameters, or the results or arguments of a called function. */
static bool params_parse(parser *p, bool kernel, bool results)
{
    ptx_function *f = p->function;
    char word[WORD_MAX];
    while (!lex_take(&p->lex, ')')) {
        lex_word(&p->lex, word, sizeof word);
        if (strcmp(word, ".param") != 0)
            return parse_fail(p, "a parameter in '%s'; only .param is supported", word);
        variable *v = variable_declare(p, SPACE_PARAM, false, true);
        if (!v)
            return false;
        uint32_t *end = kernel ? &f->info.param_bytes : &f->local_bytes;
        const uint32_t at = (*end + v->align - 1) / v->align * v->align;
        v->address = at;
        v->is_function_param = kernel;
        *end = at + (uint32_t)v->bytes;
        if (kernel) {
            ptx_param *grown = realloc(f->params, (f->info.param_count + 1) * sizeof *grown);
            if (!grown)
                return parse_fail(p, "out of memory");
            f->params = grown;
            f->params[f->info.param_count++] = (ptx_param){v->name, at, (uint32_t)v->bytes, v->align};
        } else {
            uint32_t *count = results ? &f->params_out_count : &f->params_in_count;
            call_param *list = results ? f->params_out : f->params_in;
            if (*count == (results ? 2u : 16u))
                return parse_fail(p, "a function with too many parameters");
            list[(*count)++] = (call_param){f->local_start + at, (uint32_t)v->bytes};
        }
        lex_take(&p->lex, ',');
    }
    f->info.params = f->params;
    return true;
}

/* .maxntid 256, 1, 1 and the like, up to the body */
static bool attributes_parse(parser *p)
{
    ptx_function_info *info = &p->function->info;
    char word[WORD_MAX];
    while (lex_peek(&p->lex) == '.') {
        uint64_t n[3] = {1, 1, 1};
        number_kind kind;
        lex_word(&p->lex, word, sizeof word);
        for (int i = 0; i < 3 && lex_number(&p->lex, &n[i], &kind); i++)
            if (!lex_take(&p->lex, ','))
                break;
        for (int i = 0; i < 3; i++) {
            if (strcmp(word, ".maxntid") == 0)
                info->max_block[i] = (uint32_t)n[i];
            else if (strcmp(word, ".reqntid") == 0)
                info->required_block[i] = (uint32_t)n[i];
            else if (strcmp(word, ".reqnctapercluster") == 0)
                info->required_cluster[i] = (uint32_t)n[i];
        }
        if (strcmp(word, ".minnctapersm") == 0)
            info->min_blocks = (uint32_t)n[0];
        else if (strcmp(word, ".explicitcluster") == 0)
            info->explicit_cluster = 1;
        else if (strcmp(word, ".pragma") == 0)
            lex_past(&p->lex, ';');
    }
    return true;
}

static void start_function(parser *p)
{
    memset(p->locals, 0, sizeof p->locals);
    memset(p->constant_hash, 0, sizeof p->constant_hash);
    while (p->family_count)
        free(p->families[--p->family_count].prefix);
    while (p->label_count)
        free(p->labels[--p->label_count].name);
    while (p->label_use_count)
        free(p->label_uses[--p->label_use_count].name);
    p->table_count = 0;
    p->scope = 0;
    p->scope_count = 0;
    p->file = p->line = 0;
    scope_open(p);
}

/* Addresses in dynamic shared memory are known when the static part is. */
static void place_dynamic(ptx_function *f)
{
    const uint32_t align = f->shared_dynamic_start > 16 ? f->shared_dynamic_start : 16;
    if (f->shared_static == 0)
        f->shared_static = SHARED_START + f->module->shared_bytes;
    f->shared_dynamic_start = (f->shared_static + align - 1) / align * align;
    f->info.static_shared = f->shared_static - SHARED_START;
    for (uint32_t k = 0; k < f->constant_count; k++)
        if (f->constant_widths[k] & 0x80) {
            f->constants[k] += f->shared_dynamic_start;
            f->constant_widths[k] &= 0x7f;
        }
}

/* At the word behind .entry or .func: header and body. The function was registered before. */
bool function_parse(parser *p, bool kernel)
{
    char word[WORD_MAX];
    ptx_module *m = p->module;
    start_function(p);
    lexer results = {0};
    if (!kernel && lex_peek(&p->lex) == '(') {
        results = p->lex;
        lex_past(&p->lex, ')');
    }
    lex_word(&p->lex, word, sizeof word);
    ptx_function *f = p->function = function_find(m, word);
    if (!f)
        return parse_fail(p, "function '%s' is not known", word);
    f->local_start = (m->local_bytes + 15) / 16 * 16;
    const lexer after = p->lex;
    if (results.at) {
        p->lex = results;
        lex_take(&p->lex, '(');
        if (!params_parse(p, false, true))
            return false;
        p->lex = after;
    }
    if (lex_take(&p->lex, '(') && !params_parse(p, kernel, false))
        return false;
    attributes_parse(p);
    if (!lex_take(&p->lex, '{'))
        return parse_fail(p, "function '%s' has no body", word);
    if (!body_parse(p) || !resolve_labels(p))
        return false;
    emit(p, kernel ? OP_EXIT : OP_RET, NULL);
    place_dynamic(f);
    const uint32_t most = m->device->limits.threads_per_block,
                   *given = f->info.required_block[0] ? f->info.required_block : f->info.max_block;
    f->info.max_threads =
        given[0] && given[0] * given[1] * given[2] < most ? given[0] * given[1] * given[2] : most;
    f->info.const_bytes = m->const_bytes;
    f->info.local_bytes = f->local_bytes;
    f->info.instructions = f->count;
    f->info.unsupported = f->unsupported[0] ? f->unsupported : NULL;
    if (!kernel)
        m->local_bytes = f->local_start + f->local_bytes;
    if (cfg_build(f, p->error) != PTX_OK)
        return p->failed = true, false;
    exec_bind(f);
    return true;
}

/* Variables of a module or function: spaces, sizes, initial values. */
#include "device/ptx/parse.h"
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

static uint32_t hash(const char *name, uint32_t size)
{
    uint32_t h = 5381;
    while (*name)
        h = h * 33 ^ (unsigned char)*name++;
    return h % size;
}

variable *variable_find(parser *p, const char *name)
{
    for (variable *v = p->locals[hash(name, 256)]; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    for (variable *v = p->module->variables[hash(name, 1024)]; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static void add(parser *p, variable *v, bool local)
{
    variable **head = local ? &p->locals[hash(v->name, 256)] : &p->module->variables[hash(v->name, 1024)];
    v->next = *head;
    *head = v;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return align ? (value + align - 1) / align * align : value;
}

/* Give a variable its place. Shared ones get theirs when a function uses them. */
static bool place(parser *p, variable *v)
{
    ptx_function *f = p->function;
    if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) {
        ptx_error error;
        if (v->is_extern && v->bytes == 0)
            return parse_fail(p, "external variable '%s' without a size", v->name);
        if (ptx_alloc(p->module->device, v->bytes ? v->bytes : 1, v->name, &v->address, &error) != PTX_OK)
            return parse_fail(p, "%s", error.text);
        memset(device_view(p->module->device, v->address), 0, v->bytes);
        if (v->space == SPACE_CONST)
            p->module->const_bytes += (uint32_t)v->bytes;
        ptx_module *m = p->module;
        variable **grown = realloc(m->globals, (m->global_count + 1) * sizeof(variable *));
        if (!grown)
            return parse_fail(p, "out of memory");
        m->globals = grown;
        m->globals[m->global_count++] = v;
    } else if (v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !v->is_function_param)) {
        f->local_bytes = (uint32_t)align_up(f->local_bytes, v->align);
        v->address = f->local_bytes;
        f->local_bytes += (uint32_t)v->bytes;
    }
    return true;
}

variable *variable_declare(parser *p, ptx_space space, bool is_extern, bool local)
{
    char word[WORD_MAX];
    uint64_t align = 0, number;
    number_kind kind;
    uint32_t vector = 1;
    ptx_type type = TYPE_NONE;
    while (lex_peek(&p->lex) == '.') {
        lex_word(&p->lex, word, sizeof word);
        if (strcmp(word, ".align") == 0)
            lex_number(&p->lex, &align, &kind);
        else if (strcmp(word, ".v2") == 0 || strcmp(word, ".v4") == 0)
            vector = (uint32_t)(word[2] - '0');
        else if (strcmp(word, ".ptr") == 0 || strcmp(word, ".global") == 0 || strcmp(word, ".shared") == 0 ||
                 strcmp(word, ".const") == 0 || strcmp(word, ".local") == 0 ||
                 strncmp(word, ".attribute", 10) == 0)
            ;
        else if (strcmp(word, ".texref") == 0 || strcmp(word, ".samplerref") == 0 ||
                 strcmp(word, ".surfref") == 0)
            type = TYPE_b64;
        else if (type == TYPE_NONE && (type = type_find(word + 1)) == TYPE_NONE)
            return parse_fail(p, "unknown word '%s' in a declaration", word), NULL;
        if (strncmp(word, ".attribute", 10) == 0 && lex_take(&p->lex, '('))
            lex_past(&p->lex, ')');
    }
    if (type == TYPE_NONE || lex_word(&p->lex, word, sizeof word) == 0)
        return parse_fail(p, "a declaration without type or name"), NULL;
    variable *v = calloc(1, sizeof *v);
    if (!v || !(v->name = strdup(word)))
        return parse_fail(p, "out of memory"), NULL;
    uint64_t count = vector;
    bool unknown = false;
    while (lex_take(&p->lex, '[')) {
        if (lex_peek(&p->lex) == ']')
            unknown = true;
        else if (!lex_number(&p->lex, &number, &kind))
            return parse_fail(p, "'%s': an array size that is no number", word), NULL;
        else
            count *= number;
        lex_take(&p->lex, ']');
    }
    v->space = space;
    v->type = type;
    v->bytes = unknown ? 0 : count * type_bytes(type);
    v->align = align ? (uint32_t)align : type_bytes(type) * vector;
    v->is_extern = is_extern;
    v->dynamic = space == SPACE_SHARED && v->bytes == 0;
    add(p, v, local);
    return v;
}

static void store(parser *p, const variable *v, uint64_t at, uint64_t bits, uint32_t bytes)
{
    if (at + bytes <= v->bytes)
        memcpy(device_view(p->module->device, v->address) + at, &bits, bytes);
}

/* One value of an initialiser: a number, the address of a variable, or of a function. */
static bool initial_value(parser *p, variable *v, uint64_t at)
{
    uint64_t bits = 0, more;
    number_kind kind;
    const uint32_t bytes = type_bytes(v->type);
    const char next = lex_peek(&p->lex);
    if (isdigit((unsigned char)next) || next == '-') {
        if (!lex_number(&p->lex, &bits, &kind))
            return parse_fail(p, "'%s': a bad initial value", v->name);
        if (kind == NUMBER_F64 && bytes == 4) {
            double wide;
            memcpy(&wide, &bits, 8);
            const float narrow = (float)wide;
            bits = 0;
            memcpy(&bits, &narrow, 4);
        }
    } else {
        char word[WORD_MAX];
        if (!lex_word(&p->lex, word, sizeof word))
            return parse_fail(p, "'%s': a bad initial value", v->name);
        if (strcmp(word, "generic") == 0 && lex_take(&p->lex, '(')) {
            lex_word(&p->lex, word, sizeof word);
            lex_take(&p->lex, ')');
        }
        const variable *other = variable_find(p, word);
        const ptx_function *function = other ? NULL : function_find(p->module, word);
        if (!other && !function)
            return parse_fail(p, "'%s': initial value '%s' is not known", v->name, word);
        bits = other ? other->address : function->address;
        if (lex_take(&p->lex, '+') && lex_number(&p->lex, &more, &kind))
            bits += more;
    }
    store(p, v, at, bits, bytes);
    return true;
}

static bool initialise(parser *p, variable *v)
{
    if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
        return parse_fail(p, "'%s': an initial value in this state space", v->name);
    uint64_t at = 0;
    int depth = 0;
    do {
        while (lex_take(&p->lex, '{'))
            depth++;
        if (lex_peek(&p->lex) != '}') {
            if (!initial_value(p, v, at))
                return false;
            at += type_bytes(v->type);
        }
        while (depth && lex_take(&p->lex, '}'))
            depth--;
    } while (lex_take(&p->lex, ',') && depth);
    return true;
}

bool variable_parse(parser *p, ptx_space space, bool is_extern, bool local)
{
    variable *v = variable_declare(p, space, is_extern, local);
    if (!v)
        return false;
    if (!place(p, v) || (lex_take(&p->lex, '=') && !initialise(p, v)))
        return false;
    if (!lex_take(&p->lex, ';'))
        return parse_fail(p, "expected ';' after variable '%s'", v->name);
    return true;
}

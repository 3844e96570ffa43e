/* Modules: directives outside of functions, the order in which functions are read, lookup. */
#include "device/ptx/parse.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_fail(parser *p, const char *format, ...)
{
    if (p->failed)
        return false;
    p->failed = true;
    char text[700];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ptx_fail(p->error, PTX_BAD_TEXT, "%s:%u: %s", p->text_name, p->lex.line, text);
    return false;
}

/* Where a function's text begins, behind .entry or .func. */
typedef struct function_text {
    lexer at;
    bool kernel;
} function_text;

typedef struct function_texts {
    function_text *list;
    size_t count, capacity;
} function_texts;

/* Pass a function and note it: bodies are read when all names are known. */
static bool note_function(parser *p, function_texts *texts, bool kernel)
{
    char word[WORD_MAX];
    if (!GROW(texts->list, texts->count, texts->capacity))
        return parse_fail(p, "out of memory");
    const lexer at = p->lex;
    if (!kernel && lex_peek(&p->lex) == '(')
        lex_past(&p->lex, ')');
    if (!lex_word(&p->lex, word, sizeof word))
        return parse_fail(p, "a function without a name");
    ptx_module *m = p->module;
    ptx_function *f = function_find(m, word);
    if (!f) {
        f = calloc(1, sizeof *f);
        ptx_function **grown = realloc(m->functions, (m->function_count + 1) * sizeof *grown);
        if (!f || !grown)
            return parse_fail(p, "out of memory");
        f->module = m;
        f->info.name = strdup(word);
        f->info.target = m->target;
        f->info.ptx_major = m->version_major;
        f->info.ptx_minor = m->version_minor;
        f->is_kernel = kernel;
        f->number = (uint32_t)m->function_count;
        /* A value that no memory access accepts. */
        f->address = device_param_window(m->device) + (1ull << 31) + 16ull * f->number;
        m->functions = grown;
        m->functions[m->function_count++] = f;
    }
    while (lex_peek(&p->lex) && *p->lex.at != '{' && *p->lex.at != ';')
        p->lex.at++;
    if (lex_take(&p->lex, ';'))
        return true; /* a declaration */
    f->defined = true;
    texts->list[texts->count++] = (function_text){at, kernel};
    int depth = 0;
    do {
        const char c = lex_peek(&p->lex);
        if (!c)
            return parse_fail(p, "the text ends within function '%s'", word);
        depth += (c == '{') - (c == '}');
        p->lex.at++;
    } while (depth);
    return true;
}

static bool file_parse(parser *p)
{
    uint64_t number;
    number_kind kind;
    char name[WORD_MAX];
    if (!lex_number(&p->lex, &number, &kind) || !lex_string(&p->lex, name, sizeof name) || number > 1u << 20)
        return parse_fail(p, "a bad .file");
    ptx_module *m = p->module;
    if (number >= m->file_count) {
        char **grown = realloc(m->files, (number + 1) * sizeof *grown);
        if (!grown)
            return parse_fail(p, "out of memory");
        memset(grown + m->file_count, 0, (number + 1 - m->file_count) * sizeof *grown);
        m->files = grown;
        m->file_count = number + 1;
    }
    free(m->files[number]);
    m->files[number] = strdup(name);
    while (lex_take(&p->lex, ','))
        lex_number(&p->lex, &number, &kind);
    return true;
}

static void header_parse(parser *p, const char *word)
{
    char value[64];
    if (strcmp(word, ".version") == 0) {
        lex_word(&p->lex, value, sizeof value);
        sscanf(value, "%d.%d", &p->module->version_major, &p->module->version_minor);
    } else if (strcmp(word, ".target") == 0) {
        do {
            lex_word(&p->lex, value, sizeof value);
            if (strncmp(value, "sm_", 3) == 0)
                p->module->target = atoi(value + 3);
        } while (lex_take(&p->lex, ','));
    } else { /* .address_size 64 */
        lex_word(&p->lex, value, sizeof value);
    }
}

static bool section_pass(parser *p)
{
    lex_past(&p->lex, '{');
    lex_past(&p->lex, '}');
    return true;
}

static bool alias_parse(parser *p)
{
    char name[WORD_MAX], of[WORD_MAX];
    lex_word(&p->lex, name, sizeof name);
    lex_take(&p->lex, ',');
    lex_word(&p->lex, of, sizeof of);
    lex_past(&p->lex, ';');
    return parse_fail(p, ".alias '%s' is not supported", name);
}

static bool directive(parser *p, function_texts *texts, const char *word, bool *is_extern)
{
    static const char *const headers[] = {".version", ".target", ".address_size"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, headers[i]) == 0)
            return header_parse(p, word), true;
    if (strcmp(word, ".visible") == 0 || strcmp(word, ".weak") == 0 || strcmp(word, ".common") == 0)
        return true;
    if (strcmp(word, ".extern") == 0)
        return *is_extern = true;
    bool done = false, good = true;
    if (strcmp(word, ".file") == 0)
        done = true, good = file_parse(p);
    else if (strcmp(word, ".section") == 0)
        done = true, good = section_pass(p);
    else if (strcmp(word, ".global") == 0)
        done = true, good = variable_parse(p, SPACE_GLOBAL, *is_extern, false);
    else if (strcmp(word, ".const") == 0)
        done = true, good = variable_parse(p, SPACE_CONST, *is_extern, false);
    else if (strcmp(word, ".shared") == 0)
        done = true, good = variable_parse(p, SPACE_SHARED, *is_extern, false);
    else if (strcmp(word, ".entry") == 0 || strcmp(word, ".func") == 0)
        done = true, good = note_function(p, texts, word[1] == 'e');
    else if (strcmp(word, ".alias") == 0)
        return alias_parse(p);
    *is_extern = false;
    return done ? good : parse_fail(p, "unknown directive '%s'", word);
}

static bool read_text(parser *p)
{
    function_texts texts = {0};
    bool is_extern = false, good = true;
    while (good && lex_peek(&p->lex)) {
        char word[WORD_MAX];
        if (!lex_statement(&p->lex, word, sizeof word) || word[0] != '.')
            good = parse_fail(p, "unexpected text '%.20s'", word[0] ? word : p->lex.at);
        else
            good = directive(p, &texts, word, &is_extern);
    }
    /* Called functions first: kernels need to know what these use. */
    for (int kernels = 0; kernels < 2; kernels++)
        for (size_t i = 0; good && i < texts.count; i++)
            if (texts.list[i].kernel == (kernels == 1)) {
                p->lex = texts.list[i].at;
                good = function_parse(p, kernels);
            }
    free(texts.list);
    return good;
}

/* Calls that lead back to their function have no frames of their own here. */
static bool reaches(const ptx_module *m, const ptx_function *from, const ptx_function *to, uint32_t depth)
{
    if (depth > 64)
        return true;
    for (uint32_t i = 0; i < from->call_count; i++) {
        const int32_t n = from->calls_made[i].function;
        if (n >= 0 && (m->functions[n] == to || reaches(m, m->functions[n], to, depth + 1)))
            return true;
    }
    return false;
}

static void refuse_recursion(ptx_module *m)
{
    for (size_t i = 0; i < m->function_count; i++) {
        ptx_function *f = m->functions[i];
        if (!f->unsupported[0] && f->defined && reaches(m, f, f, 0)) {
            snprintf(f->unsupported, sizeof f->unsupported, "recursion: '%s' calls itself", f->info.name);
            f->info.unsupported = f->unsupported;
        }
    }
    /* A kernel cannot run what it calls either. */
    for (size_t pass = 0; pass < m->function_count; pass++)
        for (size_t i = 0; i < m->function_count; i++) {
            ptx_function *f = m->functions[i];
            for (uint32_t k = 0; k < f->call_count && !f->unsupported[0]; k++) {
                const int32_t n = f->calls_made[k].function;
                if (n >= 0 && m->functions[n]->unsupported[0]) {
                    snprintf(f->unsupported, sizeof f->unsupported, "%.500s", m->functions[n]->unsupported);
                    f->info.unsupported = f->unsupported;
                }
            }
        }
}

static void parser_free(parser *p)
{
    while (p->family_count)
        free(p->families[--p->family_count].prefix);
    while (p->label_count)
        free(p->labels[--p->label_count].name);
    while (p->label_use_count)
        free(p->label_uses[--p->label_use_count].name);
    free(p->families);
    free(p->labels);
    free(p->label_uses);
    free(p->tables);
    free(p->scope_parents);
    free(p);
}

ptx_status ptx_module_load(ptx_device *device, const char *text, size_t bytes, const char *name,
                           ptx_module **module, ptx_error *error)
{
    ptx_error own;
    *module = NULL;
    parser *p = calloc(1, sizeof *p);
    ptx_module *m = calloc(1, sizeof *m);
    if (!p || !m) {
        free(p);
        free(m);
        return ptx_fail(error, PTX_NO_MEMORY, "%s: no memory to read it", name);
    }
    m->device = device;
    m->name = strdup(name ? name : "module");
    *p = (parser){.module = m, .text_name = m->name, .error = error ? error : &own};
    p->lex = (lexer){text, text + bytes, 1};
    const bool good = read_text(p);
    const ptx_status status = good ? PTX_OK : p->error->status;
    parser_free(p);
    if (!good) {
        ptx_module_free(m);
        return status;
    }
    refuse_recursion(m);
    size_t counters = 0;
    for (size_t i = 0; i < m->function_count; i++) {
        m->functions[i]->counters_start = counters;
        counters += m->functions[i]->count;
    }
    *module = m;
    return PTX_OK;
}

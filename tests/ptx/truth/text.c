/* The PTX of cases. */
#include "truth.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    char *text;
    size_t length, room;
} buffer;

__attribute__((format(printf, 2, 3))) static void put(buffer *b, const char *format, ...)
{
    va_list args;
    if (b->room - b->length < 4096) {
        b->room = 2 * b->room + 16384;
        b->text = realloc(b->text, b->room);
        if (!b->text)
            abort();
    }
    va_start(args, format);
    b->length += (size_t)vsnprintf(b->text + b->length, b->room - b->length, format, args);
    va_end(args);
}

/* What a mark in a body stands for; see cases.def. */
static void put_mark(buffer *b, const truth_case *c, char mark)
{
    char copy[NAME_BYTES], *rest = copy, *part;
    const char *type = "", *suffix = strchr(c->name, '@');
    const int shared = strstr(c->name, ".shared") != NULL;
    truth_map map;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(c->name, "@"), c->name);
    if (mark == '$')
        put(b, "%s", copy);
    else if (mark == '@')
        put(b, "%s", suffix ? suffix + 1 : "");
    else if (mark == 'S')
        put(b, "%s", shared ? "shared" : "global");
    else if (mark == 'P')
        put(b, "%s", shared ? "%s" : "%m");
    else if (mark == 'N' && truth_map_of(c, &map))
        put(b, "%u", map.bytes);
    else if (mark == 'E' && truth_map_of(c, &map))
        put(b, "%u", map.per_16);
    while (mark == 'T' && (part = strsep(&rest, ".")))
        if (truth_kind_find(part))
            type = part;
    if (mark == 'T')
        put(b, "%s", type);
}

static void put_body(buffer *b, const truth_case *c)
{
    for (const char *at = c->body; *at; at++)
        if (*at == '$')
            put_mark(b, c, '$');
        else if (*at == '#')
            put_mark(b, c, *++at);
        else
            put(b, "%c", *at);
    put(b, "\n");
}

static void declare(buffer *b, const truth_kind *kind, char role, int k)
{
    if (kind->class == CLASS_PREDICATE)
        put(b, ".reg .pred %%%c%d; .reg .b16 %%%c%dw;\n", role, k, role, k);
    else
        put(b, ".reg .b%d %%%c%d;\n", 8 * truth_kind_bytes(kind), role, k);
}

static void put_kernel(buffer *b, const truth_case *c, size_t number)
{
    truth_map map;
    put(b,
        ".visible .entry c%zu(.param .u64 in, .param .u64 out, .param .u64 scratch%s)\n{\n"
        ".shared .align 1024 .b8 shared_memory[8200];\n"
        ".reg .b64 %%in, %%out, %%m, %%l<8>; .reg .b32 %%i, %%t, %%s, %%r<10>; .reg .b16 %%h<8>; .reg .pred "
        "%%p<4>;\n",
        number, truth_map_of(c, &map) ? ", .param .align 64 .b8 map[128]" : "");
    for (int k = 0; k < c->ins; k++)
        declare(b, c->in[k], 'a', k);
    for (int k = 0; k < c->outs; k++)
        declare(b, c->out[k], 'd', k);
    put(b,
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u64 %%m, [scratch];\n"
        "mov.u32 %%t, %%tid.x; mov.u32 %%i, %%ctaid.x; mad.lo.u32 %%i, %%i, %d, %%t;\n"
        "mad.wide.u32 %%in, %%i, 8, %%in; mad.wide.u32 %%out, %%i, 8, %%out; mad.wide.u32 %%m, %%i, 16, "
        "%%m;\n"
        "mov.u32 %%s, shared_memory; mad.lo.u32 %%s, %%t, 32, %%s;\n",
        BLOCK);
    for (int k = 0; k < c->ins; k++)
        if (c->in[k]->class == CLASS_PREDICATE)
            put(b, "ld.global.u16 %%a%dw, [%%in+%d]; setp.ne.u16 %%a%d, %%a%dw, 0;\n", k, k * c->rows * 8, k,
                k);
        else
            put(b, "ld.global.b%d %%a%d, [%%in+%d];\n", 8 * truth_kind_bytes(c->in[k]), k, k * c->rows * 8);
    put_body(b, c);
    for (int k = 0; k < c->outs; k++)
        if (c->out[k]->class == CLASS_PREDICATE)
            put(b, "selp.u16 %%d%dw, 1, 0, %%d%d; st.global.u16 [%%out+%d], %%d%dw;\n", k, k, k * c->rows * 8,
                k);
        else
            put(b, "st.global.b%d [%%out+%d], %%d%d;\n", 8 * truth_kind_bytes(c->out[k]), k * c->rows * 8, k);
    put(b, "ret;\n}\n");
}

char *truth_text(const truth_case *cases, size_t count)
{
    buffer b = {0};
    put(&b, ".version 8.6\n.target sm_90a\n.address_size 64\n");
    for (size_t i = 0; i < count; i++)
        put_kernel(&b, &cases[i], i);
    return b.text;
}

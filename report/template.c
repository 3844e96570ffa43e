/* The template renderer; template.h describes the language. One recursive pass over the text, no parsed form
 * is kept. */
#include "report/template.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_NAME = 64 };

typedef struct renderer {
    const char *name, *text;
    size_t position;
    const json_t *stack[MAX_DEPTH];
    int depth;
    text_buffer *out;
    assay_error *error;
} renderer;

typedef struct tag {
    char kind; /* 0 a value, '#', '^', '/', '!' */
    char name[MAX_NAME];
    size_t start, end; /* of the whole tag in the text */
} tag;

static int line_of(const renderer *r, size_t position)
{
    int line = 1;
    for (size_t i = 0; i < position; i++)
        line += r->text[i] == '\n';
    return line;
}

static assay_status fail(const renderer *r, size_t position, const char *what, const char *name,
                         const char *advice)
{
    return assay_error_set(r->error, ASSAY_ERR_FORMAT, "%s:%d: %s '%s'%s", r->name, line_of(r, position),
                           what, name, advice);
}

static const json_t *look_up(const renderer *r, const char *name)
{
    if (strcmp(name, ".") == 0)
        return r->stack[r->depth - 1];
    for (int i = r->depth - 1; i >= 0; i--) {
        const json_t *value = json_object_get(r->stack[i], name);
        if (value)
            return value;
    }
    return NULL;
}

static int is_true(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_FALSE:
    case JSON_NULL:
        return 0;
    case JSON_STRING:
        return json_string_length(value) > 0;
    case JSON_ARRAY:
        return json_array_size(value) > 0;
    default:
        return 1;
    }
}

/* Read the tag that starts at `start` ("{{"). */
static assay_status read_tag(const renderer *r, size_t start, tag *out)
{
    const char *open = r->text + start + 2, *close = strstr(open, "}}");
    if (!close)
        return fail(r, start, "no '}}' after", "{{", "");
    out->start = start;
    out->end = (size_t)(close - r->text) + 2;
    out->kind = strchr("#^/!", *open) && open < close ? *open++ : 0;
    if (out->kind == '!')
        return ASSAY_OK;
    while (open < close && (*open == ' ' || *open == '\t'))
        open++;
    while (close > open && (close[-1] == ' ' || close[-1] == '\t'))
        close--;
    const size_t length = (size_t)(close - open);
    if (length == 0 || length >= MAX_NAME)
        return fail(r, start, "a tag's name must have 1 to 63 characters:", "{{", "");
    memcpy(out->name, open, length);
    out->name[length] = '\0';
    return ASSAY_OK;
}

/* If only blanks and this tag are on its line, drop the line: take back the blanks before, skip to the next
 * line. */
static size_t after_tag(const renderer *r, const tag *t, int emit)
{
    size_t first = t->start, last = t->end;
    while (first > 0 && (r->text[first - 1] == ' ' || r->text[first - 1] == '\t'))
        first--;
    while (r->text[last] == ' ' || r->text[last] == '\t')
        last++;
    const int alone =
        (first == 0 || r->text[first - 1] == '\n') && (r->text[last] == '\n' || r->text[last] == '\0');
    if (!alone)
        return t->end;
    const size_t blanks = t->start - first;
    if (emit && blanks > 0 && r->out->length >= blanks) {
        r->out->length -= blanks;
        r->out->data[r->out->length] = '\0';
    }
    return r->text[last] == '\n' ? last + 1 : last;
}

static assay_status put_value(const renderer *r, const tag *t)
{
    const json_t *value = look_up(r, t->name);
    if (!value)
        return fail(r, t->start, "unknown placeholder", t->name, "");
    switch (json_typeof(value)) {
    case JSON_STRING:
        text_append(r->out, json_string_value(value), json_string_length(value));
        return ASSAY_OK;
    case JSON_INTEGER:
        text_printf(r->out, "%lld", (long long)json_integer_value(value));
        return ASSAY_OK;
    case JSON_REAL:
        text_printf(r->out, "%.10g", json_real_value(value));
        return ASSAY_OK;
    case JSON_TRUE:
    case JSON_FALSE:
        text_puts(r->out, json_is_true(value) ? "true" : "false");
        return ASSAY_OK;
    case JSON_NULL:
        return ASSAY_OK;
    default:
        return fail(r, t->start, "placeholder is a list or an object:", t->name, "; use it as a section");
    }
}

static assay_status render_until(renderer *r, const tag *section, int emit);

/* Render the body that starts at `body` once with `item` on the stack. */
static assay_status render_item(renderer *r, const tag *section, size_t body, const json_t *item, int emit)
{
    if (r->depth == MAX_DEPTH)
        return fail(r, section->start, "sections are nested too deep at", section->name, "");
    r->stack[r->depth++] = item;
    r->position = body;
    const assay_status status = render_until(r, section, emit);
    r->depth--;
    return status;
}

static assay_status render_section(renderer *r, const tag *section, int emit)
{
    const size_t body = r->position;
    if (!emit) /* the names inside belong to items that do not exist: only find the end */
        return render_item(r, section, body, r->stack[r->depth - 1], 0);
    const json_t *value = look_up(r, section->name);
    if (!value)
        return fail(r, section->start, "unknown section", section->name, "");
    const int wanted = section->kind == '#' ? is_true(value) : !is_true(value);
    if (wanted && section->kind == '#' && json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            const assay_status status = render_item(r, section, body, json_array_get(value, i), 1);
            if (status != ASSAY_OK)
                return status;
        }
        return ASSAY_OK;
    }
    const int enters = wanted && json_is_object(value);
    return render_item(r, section, body, enters ? value : r->stack[r->depth - 1], wanted);
}

/* Render from the current position to the end of `section` (NULL: of the text). */
static assay_status render_until(renderer *r, const tag *section, int emit)
{
    for (;;) {
        const char *from = r->text + r->position, *open = strstr(from, "{{");
        if (emit)
            text_append(r->out, from, open ? (size_t)(open - from) : strlen(from));
        if (!open)
            return section ? fail(r, section->start, "section is not closed:", section->name, "") : ASSAY_OK;
        tag t;
        assay_status status = read_tag(r, (size_t)(open - r->text), &t);
        if (status == ASSAY_OK && t.kind == 0 && emit)
            status = put_value(r, &t);
        if (status != ASSAY_OK)
            return status;
        r->position = t.kind ? after_tag(r, &t, emit) : t.end;
        if (t.kind == '/') {
            if (section && strcmp(section->name, t.name) == 0)
                return ASSAY_OK;
            return fail(r, t.start, "closing tag without its opening tag:", t.name, "");
        }
        if (t.kind == '#' || t.kind == '^')
            status = render_section(r, &t, emit);
        if (status != ASSAY_OK)
            return status;
    }
}

assay_status template_render(const char *name, const char *text, const json_t *context, text_buffer *out,
                             assay_error *error)
{
    renderer r = {.name = name, .text = text, .stack = {context}, .depth = 1, .out = out, .error = error};
    const assay_status status = render_until(&r, NULL, 1);
    if (status == ASSAY_OK && out->failed)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: no memory to render the template", name);
    return status;
}

assay_status template_render_file(const char *folder, const char *name, const json_t *context,
                                  text_buffer *out, assay_error *error)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = NULL;
    size_t bytes = 0;
    assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    status = template_render(path, text, context, out, error);
    free(text);
    return status;
}

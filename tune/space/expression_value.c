/* Values of expressions: equality, truth, text, lists, and the failure of an evaluation. */
#include "tune/space/expression_functions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double value_number(const expression_value *v)
{
    if (v->kind == VALUE_REAL)
        return v->real;
    return v->kind == VALUE_INTEGER || v->kind == VALUE_BOOLEAN ? (double)v->integer : 0;
}

int value_is_true(const expression_value *v)
{
    switch (v->kind) {
    case VALUE_REAL:
        return v->real != 0;
    case VALUE_TEXT:
        return v->text[0] != '\0';
    case VALUE_LIST:
        return v->count != 0;
    default:
        return v->integer != 0;
    }
}

static int is_number(const expression_value *v)
{
    return v->kind == VALUE_INTEGER || v->kind == VALUE_REAL || v->kind == VALUE_BOOLEAN;
}

int value_equals(const expression_value *a, const expression_value *b)
{
    if (is_number(a) && is_number(b))
        return a->kind == VALUE_REAL || b->kind == VALUE_REAL ? value_number(a) == value_number(b)
                                                              : a->integer == b->integer;
    if (a->kind != b->kind)
        return 0;
    if (a->kind == VALUE_TEXT)
        return strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!value_equals(&a->items[i], &b->items[i]))
            return 0;
    return a->count == b->count;
}

static int format_real(double real, char *out, size_t out_bytes)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    return snprintf(out, out_bytes, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

int value_format(const expression_value *v, char *out, size_t out_bytes)
{
    switch (v->kind) {
    case VALUE_INTEGER:
        return snprintf(out, out_bytes, "%lld", (long long)v->integer);
    case VALUE_REAL:
        return format_real(v->real, out, out_bytes);
    case VALUE_BOOLEAN:
        return snprintf(out, out_bytes, "%s", v->integer ? "True" : "False");
    case VALUE_TEXT:
        return snprintf(out, out_bytes, "%s", v->text);
    default:
        return snprintf(out, out_bytes, "[%zu values]", v->count);
    }
}

int value_is_number(const expression_value *v)
{
    return v->kind == VALUE_INTEGER || v->kind == VALUE_REAL || v->kind == VALUE_BOOLEAN;
}

expression_value evaluation_fail(evaluator *v, const node *at, const char *what)
{
    if (!v->failed)
        assay_error_set(v->error, ASSAY_ERR_INVALID, "column %d: %s", at->column, what);
    v->failed = 1;
    return value_integer(0);
}

expression_value *evaluation_list(evaluator *v, const node *at, size_t count)
{
    v->items += count + 1;
    list_block *block =
        v->items > EXPRESSION_MAX_LIST ? NULL : malloc(sizeof *block + (count + 1) * sizeof block->items[0]);
    if (block == NULL) {
        evaluation_fail(v, at, "the lists of this expression are too long");
        return NULL;
    }
    block->next = v->e->blocks;
    v->e->blocks = block;
    return block->items;
}

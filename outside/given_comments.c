/* The lines "// assay: ..." of a reference: see given_about.h. */
#include "outside/given_about.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

assay_status given_fail(const char *file, int line, assay_error *error, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return line > 0 ? assay_error_set(error, ASSAY_ERR_INVALID, "%s:%d: %s", file, line, message)
                    : assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s", file, message);
}

/* "A[M,K]" from *at on: into shapes. */
static assay_status take_shape(given_about *g, char **at, int line, assay_error *error)
{
    char *open = strchr(*at, '['), *close = open ? strchr(open, ']') : NULL, *save = NULL;
    json_t *axes = json_array();
    if (!close) {
        json_decref(axes);
        return given_fail(g->where, line, error, "\"%.40s\": a shape such as A[M,K] is expected", *at);
    }
    *open = *close = '\0';
    for (char *axis = strtok_r(open + 1, ",", &save); axis; axis = strtok_r(NULL, ",", &save)) {
        axis += strspn(axis, " ");
        for (size_t n = strlen(axis); n > 0 && axis[n - 1] == ' '; n--)
            axis[n - 1] = '\0';
        json_array_append_new(axes, json_string(axis));
    }
    json_object_set_new(json_object_get(g->about, "shapes"), *at, axes);
    *at = close + 1;
    return ASSAY_OK;
}

static assay_status take_shapes(given_about *g, char *text, int line, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (text += strspn(text, " "); *text && status == ASSAY_OK; text += strspn(text, " "))
        status = take_shape(g, &text, line, error);
    return status;
}

/* "M=64 N=32" as numbers. */
static assay_status take_numbers(given_about *g, json_t *into, char *text, int line, assay_error *error)
{
    char *save = NULL;
    for (char *word = strtok_r(text, " ,", &save); word; word = strtok_r(NULL, " ,", &save)) {
        char *equals = strchr(word, '='), *end = NULL;
        const double value = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || end == equals + 1 || *end)
            return given_fail(g->where, line, error, "\"%.40s\": NAME=NUMBER is expected", word);
        *equals = '\0';
        json_object_set_new(into, word,
                            value == (double)(long long)value ? json_integer((long long)value)
                                                              : json_real(value));
    }
    return ASSAY_OK;
}

static void take_names(json_t *into, char *text)
{
    char *save = NULL;
    for (char *word = strtok_r(text, " ,", &save); word; word = strtok_r(NULL, " ,", &save))
        json_array_append_new(into, json_string(word));
}

static assay_status take_tolerance(given_about *g, char *text, int line, assay_error *error)
{
    char *end = NULL;
    json_t *tolerance = json_object();
    const double both = strtod(text, &end);
    json_object_set_new(g->about, "tolerance", tolerance);
    if (end == text)
        return take_numbers(g, tolerance, text, line, error);
    json_object_set_new(tolerance, "atol", json_real(both));
    json_object_set_new(tolerance, "rtol", json_real(both));
    return ASSAY_OK;
}

/* One line behind "assay:"; its first word says what it is, and a word that is none of these is a size's name. */
static assay_status take_line(given_about *g, char *text, int line, assay_error *error)
{
    char word[ASSAY_NAME_MAX];
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t[");
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    char *rest = text + length;
    if (*rest == '[')
        return take_shapes(g, text, line, error);
    rest += strspn(rest, " \t");
    if (strcmp(word, "uniform") == 0 || strcmp(word, "outputs") == 0) {
        take_names(json_object_get(g->about, word), rest);
        return ASSAY_OK;
    }
    if (strcmp(word, "flops") == 0) {
        json_object_set_new(g->about, "flops", json_string(rest));
        return ASSAY_OK;
    }
    if (strcmp(word, "tolerance") == 0)
        return take_tolerance(g, rest, line, error);
    if (strcmp(word, "values") == 0)
        return take_numbers(g, json_object_get(g->about, "values"), rest, line, error);
    if (!strchr(rest, '='))
        return given_fail(
            g->where, line, error,
            "\"%s\": a size such as small M=64 N=64 is expected, shapes such as A[M,K], or one of: "
            "uniform, outputs, values, tolerance, flops",
            word);
    json_t *size = json_object();
    json_object_set_new(json_object_get(g->about, "sizes"), word, size);
    return take_numbers(g, size, rest, line, error);
}

assay_status given_read_comments(given_about *g, const char *text, assay_error *error)
{
    assay_status status = ASSAY_OK;
    int line = 1;
    for (const char *at = text; *at && status == ASSAY_OK; line++) {
        const size_t length = strcspn(at, "\n");
        char *copy = strndup(at, length), *mark = copy ? strstr(copy, "assay:") : NULL;
        if (mark && mark > copy && (strstr(copy, "//") || strchr(copy, '*'))) {
            char *end = strstr(mark, "*/");
            if (end)
                *end = '\0';
            for (size_t n = strlen(mark); n > 0 && isspace((unsigned char)mark[n - 1]); n--)
                mark[n - 1] = '\0';
            status = take_line(g, mark + 6, line, error);
        }
        free(copy);
        at += length + (at[length] == '\n');
    }
    return status;
}

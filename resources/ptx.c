/* Launch directives of PTX. A full parser is not needed: directives of a kernel stand between its parameter list and its body, and
 * identifiers cannot be confused with other text, as PTX has no strings outside of comments and debug sections. */
#include "resources/inspect.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARRAYS = 64 };

typedef struct span {
    const char *begin, *end;
} span;

static int is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static span name_at(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    span name = {at, at};
    while (is_name(*name.end))
        name.end++;
    return name;
}

/* Names of arrays declared `.extern .shared`: their size is given at launch. */
static int find_external_arrays(const char *text, span arrays[MAX_ARRAYS])
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, ".extern .shared")) != NULL && count < MAX_ARRAYS;) {
        const char *end = at + strcspn(at, "[;");
        const char *begin = end;
        while (begin > at && is_name(begin[-1]))
            begin--;
        arrays[count++] = (span){begin, end};
        at = end;
    }
    return count;
}

static int mentions(span body, const span *arrays, int count)
{
    for (int i = 0; i < count; i++) {
        const size_t length = (size_t)(arrays[i].end - arrays[i].begin);
        const char *at = body.begin;
        while (length > 0 && (at = memmem(at, (size_t)(body.end - at), arrays[i].begin, length)) != NULL) {
            if (!is_name(at[-1]) && !is_name(at[length]))
                return 1;
            at += length;
        }
    }
    return 0;
}

/* The braces after `at` and all between them; empty if the text ends before. */
static span find_body(const char *at)
{
    const char *open = strpbrk(at, "{;");
    if (open == NULL || *open == ';')
        return (span){at, at};
    int depth = 0;
    for (const char *c = open; *c != '\0'; c++) {
        depth += (*c == '{') - (*c == '}');
        if (depth == 0)
            return (span){open, c + 1};
    }
    return (span){at, at};
}

/* Product of the numbers after a directive, `x, y, z`; 0 if it is not there or no number of threads. */
static long directive(span head, const char *name)
{
    const char *at = memmem(head.begin, (size_t)(head.end - head.begin), name, strlen(name));
    long product = 1;
    if (at == NULL)
        return 0;
    at += strlen(name);
    for (int i = 0; i < 3; i++) {
        char *next;
        if (__builtin_mul_overflow(product, strtol(at, &next, 10), &product))
            return 0;
        at = next + strspn(next, " \t");
        if (*at != ',')
            break;
        at++;
    }
    return product;
}

static void put(json_t *kernel, const char *key, long value)
{
    if (value > 0)
        json_object_set_new(kernel, key, json_integer(value));
}

void ptx_read(const char *text, json_t *kernels)
{
    span arrays[MAX_ARRAYS];
    const int array_count = find_external_arrays(text, arrays);
    /* A function that was not inlined may be called by any kernel: its use counts for all. */
    int by_functions = 0;
    for (const char *at = text; (at = strstr(at, ".func ")) != NULL; at += 6)
        by_functions |= mentions(find_body(at), arrays, array_count);
    for (const char *at = text; (at = strstr(at, ".entry ")) != NULL;) {
        const span name = name_at(at + 7);
        const span body = find_body(name.end);
        at = name.end;
        if (body.begin == body.end)
            continue;
        const span head = {name.end, body.begin};
        json_t *kernel = inspect_kernel(kernels, name.begin, (size_t)(name.end - name.begin));
        put(kernel, "required_threads", directive(head, ".reqntid"));
        put(kernel, "max_threads", directive(head, ".maxntid"));
        put(kernel, "min_blocks", directive(head, ".minnctapersm"));
        put(kernel, "cluster_blocks", directive(head, ".reqnctapercluster"));
        json_object_set_new(kernel, "dynamic_shared",
                            json_boolean(by_functions || mentions(body, arrays, array_count)));
        at = body.end;
    }
}

/* The compiler's report: what `ptxas -v` prints for each kernel. Its form is not specified, so every number is found by the words
 * around it, never by its place in the line, and a line that is not known is passed over. */
#include "resources/inspect.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

json_t *inspect_kernel(json_t *kernels, const char *symbol, size_t length)
{
    char name[4096];
    snprintf(name, sizeof name, "%.*s", (int)length, symbol);
    json_t *kernel = json_object_get(kernels, name);
    if (kernel != NULL)
        return kernel;
    kernel = json_object();
    return json_object_set_new(kernels, name, kernel) == 0 ? kernel : NULL;
}

static json_t *member_object(json_t *object, const char *key, size_t length)
{
    return inspect_kernel(object, key, length);
}

/* The number in front of `words` within a line: "1024" of "1024 bytes smem". */
static int number_before(const char *line, const char *words, long *value)
{
    const char *at = strstr(line, words);
    if (at == NULL)
        return 0;
    while (at > line && at[-1] == ' ')
        at--;
    const char *end = at;
    while (at > line && isdigit((unsigned char)at[-1]))
        at--;
    if (at == end)
        return 0;
    *value = strtol(at, NULL, 10);
    return 1;
}

static void put_number(json_t *kernel, const char *key, const char *line, const char *words)
{
    long value;
    if (number_before(line, words, &value))
        json_object_set_new(kernel, key, json_integer(value));
}

/* Text between the first two quotes at or after `from`. */
static const char *quoted(const char *from, size_t *length)
{
    const char *begin = from ? strchr(from, '\'') : NULL;
    const char *end = begin ? strchr(begin + 1, '\'') : NULL;
    if (end == NULL)
        return NULL;
    *length = (size_t)(end - begin - 1);
    return begin + 1;
}

/* All constant banks: "384 bytes cmem[0], 12 bytes cmem[2]"; 0 where the sum is no number of bytes. */
static long constant_bytes(const char *line)
{
    long sum = 0;
    for (const char *at = line; (at = strstr(at, " bytes cmem[")) != NULL; at += 12) {
        const char *begin = at;
        while (begin > line && isdigit((unsigned char)begin[-1]))
            begin--;
        if (__builtin_add_overflow(sum, strtol(begin, NULL, 10), &sum))
            return 0;
    }
    return sum;
}

static void read_usage(json_t *kernel, const char *line)
{
    put_number(kernel, "registers", line, " registers");
    put_number(kernel, "barriers", line, " barriers");
    long shared = 0;
    number_before(line, " bytes smem", &shared); /* ptxas leaves out what is zero */
    json_object_set_new(kernel, "static_shared_bytes", json_integer(shared));
    json_object_set_new(kernel, "constant_bytes", json_integer(constant_bytes(line)));
}

static void read_stack(json_t *kernel, const char *line)
{
    put_number(kernel, "stack_bytes", line, " bytes stack frame");
    put_number(kernel, "spill_store_bytes", line, " bytes spill stores");
    put_number(kernel, "spill_load_bytes", line, " bytes spill loads");
}

/* Advice of the assembler about a kernel, such as wgmma instructions that it had to serialise: "(C7510) Potential ...". */
static void read_warning(json_t *kernels, const char *line)
{
    size_t length = 0;
    const char *name = quoted(strstr(line, "function "), &length);
    const char *text = strstr(line, "(C");
    if (name == NULL || text == NULL || kernels == NULL)
        return;
    json_t *kernel = inspect_kernel(kernels, name, length);
    json_t *warnings = json_object_get(kernel, "warnings");
    if (kernel == NULL)
        return;
    if (warnings == NULL) {
        warnings = json_array();
        json_object_set_new(kernel, "warnings", warnings);
    }
    const char *end = strstr(text, " in function '");
    if (end == NULL)
        end = strstr(text, " in the function '");
    const size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
    json_t *item = json_stringn(text, size);
    if (item != NULL)
        json_array_append_new(warnings, item);
}

typedef struct position {
    json_t *architectures, *kernels; /* kernels of the architecture being reported */
    json_t *entry, *function;        /* the kernel being compiled; the function whose properties follow */
    json_t *advice;                  /* lines whose architecture is not known yet */
} position;

/* The assembler advises before it names the architecture: what stands in front of a "Compiling entry function" is of that one. */
static void assign_advice(position *p)
{
    size_t i;
    json_t *line;
    json_array_foreach(p->advice, i, line) read_warning(p->kernels, json_string_value(line));
    json_array_clear(p->advice);
}

static void read_line(position *p, const char *line)
{
    size_t length = 0, arch_length = 0;
    const char *name;
    if (strstr(line, "Compiling entry function") != NULL) {
        name = quoted(line, &length);
        const char *arch = name ? quoted(name + length + 1, &arch_length) : NULL;
        if (arch == NULL)
            return;
        p->kernels = member_object(p->architectures, arch, arch_length);
        assign_advice(p);
        p->entry = p->function = inspect_kernel(p->kernels, name, length);
        json_object_set_new(p->entry, "entry", json_true());
    } else if ((name = strstr(line, "Function properties for ")) != NULL && p->kernels != NULL) {
        name += strlen("Function properties for ");
        p->function = inspect_kernel(p->kernels, name, strcspn(name, " \r"));
        if (json_object_get(p->function, "entry") == NULL)
            json_object_set_new(p->function, "entry", json_false());
    } else if (strstr(line, " bytes stack frame") != NULL && p->function != NULL) {
        read_stack(p->function, line);
    } else if (strstr(line, ": Used ") != NULL && p->entry != NULL) {
        read_usage(p->entry, line);
    } else if (strstr(line, ": (C") != NULL) {
        json_array_append_new(p->advice, json_string(line)); /* a line that is no UTF-8 is passed over */
    }
}

void report_read(const char *text, json_t *architectures)
{
    position p = {.architectures = architectures, .advice = json_array()};
    char *copy = strdup(text), *save = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &save))
        read_line(&p, line);
    assign_advice(&p);
    json_decref(p.advice);
    free(copy);
}

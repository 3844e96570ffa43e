/* What the parts of a site share: one place for what goes wrong, growing arrays, and writing a file. Knows nothing of pages. */
#include "core/json_file.h"
#include "dashboard/site.h"
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void site_fail(site *s, assay_status status, const assay_error *error)
{
    if (status == ASSAY_OK)
        return;
    if (s->status == ASSAY_OK)
        s->status = assay_error_set(s->error, status, "%s", error->message);
    else
        site_say(s, "%s", error->message);
}

void site_say(const site *s, const char *format, ...)
{
    if (s->options->messages == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(s->options->messages, format, arguments);
    va_end(arguments);
    fputc('\n', s->options->messages);
}

static void fail_for_memory(site *s)
{
    const assay_error error = {.status = ASSAY_ERR_NO_MEMORY, .message = "no memory for the dashboard"};
    site_fail(s, error.status, &error);
}

void *site_grow(site *s, void *items, int *count, int *capacity, size_t bytes)
{
    char *array; /* read and written through memcpy: `items` points to a pointer of some other type */
    memcpy(&array, items, sizeof array);
    if (*count == *capacity) {
        const int larger = *capacity ? 2 * *capacity : 16;
        array = realloc(array, (size_t)larger * bytes);
        if (array == NULL) {
            fail_for_memory(s);
            return NULL;
        }
        memcpy(items, &array, sizeof array);
        *capacity = larger;
    }
    char *item = array + (size_t)(*count)++ * bytes;
    memset(item, 0, bytes);
    return item;
}

char *site_copy(site *s, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        fail_for_memory(s);
        abort(); /* a few bytes: there is nothing left to report with */
    }
    return copy;
}

void site_write_file(site *s, const char *name, const char *text, size_t bytes)
{
    char path[PATH_MAX];
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", s->out, name);
    site_fail(s, text_file_write(path, text, bytes, &error), &error);
}

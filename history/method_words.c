/* How a result was measured, in words: see method_words.h. */
#include "method_words.h"
#include "json_file.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BATCH_BEFORE_IT_WAS_SAID = 40 }; /* cold launches in a GPU's queue, of results without `cold_batch` */

typedef struct method_traits {
    const char *flush; /* "?": not said */
    double cold_batch; /* 0: not said */
    double locked_mhz; /* 0: the clock was free */
} method_traits;

static method_traits read_traits(const json_t *method)
{
    return (method_traits){.flush = json_get_text(method, "flush", "?"),
                           .cold_batch = json_get_number(method, "cold_batch", 0),
                           .locked_mhz = json_get_number(method, "locked_mhz", 0)};
}

/* One more item of a list by commas; what does not fit is cut off. */
static void __attribute__((format(printf, 3, 4))) add(char *out, size_t bytes, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(out);
    if (used > 0) {
        snprintf(out + used, bytes - used, ", ");
        used = strlen(out);
    }
    va_start(arguments, format);
    vsnprintf(out + used, bytes - used, format, arguments);
    va_end(arguments);
}

static void add_lock(const method_traits *t, char *out, size_t bytes)
{
    if (t->locked_mhz > 0)
        add(out, bytes, "clock locked at %.0f MHz", t->locked_mhz);
}

void method_words(const json_t *method, char *out, size_t bytes)
{
    const method_traits t = read_traits(method);
    out[0] = '\0';
    add(out, bytes, "flush by %s", t.flush);
    if (t.cold_batch == 1)
        add(out, bytes, "cold launches alone in the queue");
    add_lock(&t, out, bytes);
}

static void add_flush(const method_traits *t, char *out, size_t bytes)
{
    if (strcmp(t->flush, "read") == 0)
        add(out, bytes, "flush by reading");
    else if (strcmp(t->flush, "?") == 0)
        add(out, bytes, "flush unknown");
    else if (strcmp(t->flush, "memset") != 0)
        add(out, bytes, "flush by %.24s", t->flush);
}

/* Only a GPU's queue makes cold launches longer, so elsewhere nothing is said and nothing missing. */
static void add_batch(const method_traits *t, const char *device_kind, char *out, size_t bytes)
{
    const double batch = t->cold_batch > 0 ? t->cold_batch : BATCH_BEFORE_IT_WAS_SAID;
    if (strcmp(device_kind, "cuda") == 0 && batch != 1)
        add(out, bytes, "in batches of %.0f", batch);
}

/* `cold_read` is flushed by reading whatever the method's flush is, so that says nothing of it; the other figures meet neither a flush nor
 * a queue of single launches. */
void method_label(const json_t *method, const char *device_kind, const char *figure, char *out, size_t bytes)
{
    const method_traits t = read_traits(method);
    const int by_method = strcmp(figure, "cold") == 0,
              is_cold = by_method || strcmp(figure, "cold_read") == 0;
    out[0] = '\0';
    if (by_method)
        add_flush(&t, out, bytes);
    if (is_cold)
        add_batch(&t, device_kind, out, bytes);
    add_lock(&t, out, bytes);
}

void method_label_of_row(const history_row *row, char *out, size_t bytes)
{
    json_t *method = json_loads(row->method, 0, NULL);
    method_label(method, row->device_kind, row->figure[0] ? row->figure : "cold", out, bytes);
    json_decref(method);
}

/* How a result was measured, in words: see method_words.h. */
#include "core/method_words.h"
#include "core/json_file.h"
#include "core/utf8.h"
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
    else if (t.cold_batch > 0 && t.cold_batch != BATCH_BEFORE_IT_WAS_SAID)
        add(out, bytes, "cold launches in batches of %.0f", t.cold_batch);
    add_lock(&t, out, bytes);
    utf8_make_line(out);
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

/* Only a GPU's queue makes cold launches longer, so elsewhere there is nothing to say. */
static double batch_of(const method_traits *t, const char *device_kind)
{
    if (strcmp(device_kind, "cuda") != 0)
        return 0;
    return t->cold_batch > 0 ? t->cold_batch : BATCH_BEFORE_IT_WAS_SAID;
}

/* What bears on a figure beside the clock. `cold_read` is flushed by reading whatever the method's flush is, so that says nothing of it; the
 * other figures meet neither a flush nor a queue of single launches. */
static int has_flush(const char *figure)
{
    return strcmp(figure, "cold") == 0;
}

static int has_queue(const char *figure)
{
    return strcmp(figure, "cold") == 0 || strcmp(figure, "cold_read") == 0;
}

void method_label(const json_t *method, const char *device_kind, const char *figure, char *out, size_t bytes)
{
    const method_traits t = read_traits(method);
    const double batch = batch_of(&t, device_kind);
    out[0] = '\0';
    if (has_flush(figure))
        add_flush(&t, out, bytes);
    if (has_queue(figure) && batch > 0 && batch != 1)
        add(out, bytes, "in batches of %.0f", batch);
    add_lock(&t, out, bytes);
    utf8_make_line(out);
}

void method_of_figure(const json_t *method, const char *device_kind, const char *figure, char *out,
                      size_t bytes)
{
    const method_traits t = read_traits(method);
    const double batch = batch_of(&t, device_kind);
    out[0] = '\0';
    if (has_flush(figure) && strcmp(t.flush, "memset") == 0)
        add(out, bytes, "flush by memset");
    else if (has_flush(figure))
        add_flush(&t, out, bytes);
    if (has_queue(figure) && batch == 1)
        add(out, bytes, "launches alone in the queue");
    else if (has_queue(figure) && batch > 0)
        add(out, bytes, "launches in batches of %.0f", batch);
    add_lock(&t, out, bytes);
    if (out[0] == '\0')
        add(out, bytes, "clock not locked");
    utf8_make_line(out);
}

/* How a result was timed, in words: see method.h. */
#include "results/method.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static void add_flush(const result_method *m, int also_usual, char *out, size_t bytes)
{
    if (strcmp(m->flush, "read") == 0)
        add(out, bytes, "flush by reading");
    else if (m->flush[0] == '\0')
        add(out, bytes, "flush unknown");
    else if (also_usual || strcmp(m->flush, "memset") != 0)
        add(out, bytes, "flush by %s", m->flush);
}

static void describe(const result_method *m, int mode_version, timing_mode mode, int also_usual, char *out,
                     size_t bytes)
{
    const timing_mode_info *info = timing_mode_get(mode);
    out[0] = '\0';
    if (info->flush == TIMING_FLUSH_METHOD)
        add_flush(m, also_usual, out, bytes);
    if (m->locked_mhz > 0)
        add(out, bytes, "clock locked at %d MHz", m->locked_mhz);
    if (m->version != RESULT_METHOD_VERSION || mode_version != info->version)
        add(out, bytes, "%s method (version %d.%d, now %d.%d)",
            m->version > RESULT_METHOD_VERSION || mode_version > info->version ? "later" : "earlier",
            m->version, mode_version, RESULT_METHOD_VERSION, info->version);
}

void timing_method_label(const result_method *method, int mode_version, timing_mode mode, char *out,
                         size_t bytes)
{
    describe(method, mode_version, mode, 0, out, bytes);
}

void result_method_label(const result *r, timing_mode mode, char *out, size_t bytes)
{
    const int version =
        r->times[mode].present ? r->times[mode].method_version : timing_mode_get(mode)->version;
    describe(&r->method, version, mode, 0, out, bytes);
}

void result_method_words(const result *r, timing_mode mode, char *out, size_t bytes)
{
    const int version =
        r->times[mode].present ? r->times[mode].method_version : timing_mode_get(mode)->version;
    describe(&r->method, version, mode, 1, out, bytes);
    if (out[0] == '\0')
        add(out, bytes, "clock not locked");
}

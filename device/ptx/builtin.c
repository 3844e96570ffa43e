/* What the CUDA runtime gives to kernels: printf, malloc, free, assert. */
#include "device/ptx/builtin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int builtin_find(const char *name)
{
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (int i = 0; i < BUILTIN_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

/* The call's parameter k of one lane. */
static char *param(warp *w, const call_param *p, uint32_t lane)
{
    return w->block->local + ((uint64_t)w->number * 32 + lane) * w->launch->local_bytes + p->offset;
}

static uint64_t argument(warp *w, const call_site *s, uint32_t k, uint32_t lane)
{
    uint64_t v = 0;
    if (k < s->argument_count)
        memcpy(&v, param(w, &s->arguments[k], lane), s->arguments[k].bytes > 8 ? 8 : s->arguments[k].bytes);
    return v;
}

/* A string of the kernel: bytes up to a NUL, cut to the buffer. */
static bool copy_text(warp *w, const insn *i, uint32_t lane, uint64_t address, char *out, size_t bytes)
{
    for (size_t n = 0; n + 1 < bytes; n++) {
        const char *p = lane_pointer(w, i, lane, SPACE_GENERIC, address + n, 1, false);
        if (!p)
            return false;
        out[n] = *p;
        if (*p == 0)
            return true;
    }
    out[bytes - 1] = 0;
    return true;
}

typedef struct text {
    char bytes[8192];
    size_t used;
} text;

static void put(text *t, const char *from, size_t n)
{
    for (size_t k = 0; k < n && t->used + 1 < sizeof t->bytes; k++)
        t->bytes[t->used++] = from[k];
}

/* One conversion of a format, "%-8.3lld"; the arguments lie one after the other, aligned to their size. */
static bool put_conversion(warp *w, const insn *i, uint32_t lane, text *t, const char *spec, size_t length,
                           uint64_t *at)
{
    char format[64], out[2048];
    snprintf(format, sizeof format, "%.*s", (int)(length < 60 ? length : 60), spec);
    const char kind = spec[length - 1];
    const bool wide = strstr(format, "l") || strstr(format, "z") || strstr(format, "j") || kind == 's' ||
                      kind == 'p' || strchr("eEfFgGaA", kind);
    const uint32_t bytes = wide ? 8 : 4;
    *at = (*at + bytes - 1) / bytes * bytes;
    const char *p = lane_pointer(w, i, lane, SPACE_GENERIC, *at, bytes, false);
    if (!p)
        return false;
    *at += bytes;
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    int n;
    if (strchr("eEfFgGaA", kind)) {
        double d;
        memcpy(&d, &v, 8);
        n = snprintf(out, sizeof out, format, d);
    } else if (kind == 's') {
        char string[1024];
        if (!copy_text(w, i, lane, v, string, sizeof string))
            return false;
        n = snprintf(out, sizeof out, format, string);
    } else if (wide) {
        n = snprintf(out, sizeof out, format, v);
    } else {
        n = snprintf(out, sizeof out, format, (uint32_t)v);
    }
    put(t, out, n < 0 ? 0 : (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
    return true;
}

static int32_t print(warp *w, const insn *i, uint32_t lane, uint64_t format_address, uint64_t arguments)
{
    char format[4096];
    static _Thread_local text t;
    t.used = 0;
    if (!copy_text(w, i, lane, format_address, format, sizeof format))
        return -1;
    for (const char *at = format; *at;) {
        if (*at != '%') {
            put(&t, at++, 1);
        } else if (at[1] == '%') {
            put(&t, "%", 1);
            at += 2;
        } else {
            const size_t length = 1 + strcspn(at + 1, "diuoxXeEfFgGaAcsp") + 1;
            if (strlen(at) < length || memchr(at, '*', length) || memchr(at, 'n', length))
                break;
            if (!put_conversion(w, i, lane, &t, at, length, &arguments))
                return -1;
            at += length;
        }
    }
    ptx_device *d = w->launch->device;
    pthread_mutex_lock(&d->print_lock);
    if (d->options.print)
        d->options.print(d->options.print_context, t.bytes, t.used);
    else
        fwrite(t.bytes, 1, t.used, stdout);
    pthread_mutex_unlock(&d->print_lock);
    return (int32_t)t.used;
}

static uint64_t heap_alloc(ptx_device *d, uint64_t bytes)
{
    ptx_address address = 0;
    pthread_mutex_lock(&d->lock);
    const bool fits = bytes && d->heap_used + bytes <= d->options.heap_bytes;
    d->heap_used += fits ? bytes : 0;
    pthread_mutex_unlock(&d->lock);
    return fits && ptx_alloc(d, bytes, "malloc in a kernel", &address, NULL) == PTX_OK ? address : 0;
}

static bool heap_free(ptx_device *d, uint64_t address)
{
    ptx_allocation a;
    if (address == 0)
        return true;
    if (!ptx_find(d, address, &a) || ptx_free(d, address, NULL) != PTX_OK)
        return false;
    pthread_mutex_lock(&d->lock);
    d->heap_used -= a.bytes < d->heap_used ? a.bytes : d->heap_used;
    pthread_mutex_unlock(&d->lock);
    return true;
}

const insn *builtin_run(warp *w, const insn *i, uint32_t m)
{
    const call_site *s = &w->fragments[w->current].function->calls_made[i->target];
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        uint64_t result = 0;
        switch (s->builtin) {
        case BUILTIN_VPRINTF:
            result = (uint32_t)print(w, i, lane, argument(w, s, 0, lane), argument(w, s, 1, lane));
            if ((int32_t)result < 0)
                return NULL;
            break;
        case BUILTIN_MALLOC:
            result = heap_alloc(w->launch->device, argument(w, s, 0, lane));
            break;
        case BUILTIN_FREE:
            if (!heap_free(w->launch->device, argument(w, s, 0, lane)))
                return found(w, i, 1u << lane, PTX_FOUND_OUT_OF_BOUNDS, argument(w, s, 0, lane),
                             "free of %#llx, which malloc did not give",
                             (unsigned long long)argument(w, s, 0, lane));
            memset(w->block->ranges, 0, sizeof w->block->ranges);
            break;
        default: {
            char message[512] = "", file[512] = "", function[512] = "";
            if (!copy_text(w, i, lane, argument(w, s, 0, lane), message, sizeof message) ||
                !copy_text(w, i, lane, argument(w, s, 1, lane), file, sizeof file) ||
                !copy_text(w, i, lane, argument(w, s, 3, lane), function, sizeof function))
                return NULL;
            const uint32_t t = w->number * 32 + lane, *b = w->launch->block;
            return found(w, i, 1u << lane, PTX_FOUND_ASSERT, 0, "%s:%u: %s: thread (%u,%u,%u): `%s`", file,
                         (uint32_t)argument(w, s, 2, lane), function, t % b[0], t / b[0] % b[1],
                         t / b[0] / b[1], message);
        }
        }
        if (s->result_count)
            memcpy(param(w, &s->results[0], lane), &result,
                   s->results[0].bytes > 8 ? 8 : s->results[0].bytes);
    }
    return i + 1;
}

/* What a result is of: see identity.h. */
#include "results/identity.h"
#include "core/text_stream.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[] = {
    [IDENTITY_OP] = "op",
    [IDENTITY_NAME] = "kernel",
    [IDENTITY_TUNABLES] = "tunables",
    [IDENTITY_DTYPE] = "dtype",
    [IDENTITY_MATH_MODE] = "math mode",
    [IDENTITY_SIZE] = "size",
    [IDENTITY_DIMS] = "dimensions",
    [IDENTITY_PARAMS] = "parameters",
    [IDENTITY_INPUTS] = "input distribution",
    [IDENTITY_KERNEL] = "kernel source",
    [IDENTITY_CODE] = "machine code",
    [IDENTITY_REFERENCE] = "reference.c",
    [IDENTITY_OP_JSON] = "op.json",
    [IDENTITY_COMPILER] = "compiler",
    [IDENTITY_FLAGS] = "compiler flags",
    [IDENTITY_ARCH] = "architecture",
    [IDENTITY_LIBRARY] = "library version",
    [IDENTITY_CARD_MODEL] = "card",
    [IDENTITY_CARD] = "card UUID",
    [IDENTITY_DRIVER] = "driver",
    [IDENTITY_HOST] = "host",
    [IDENTITY_METHOD] = "method",
    [IDENTITY_SETTINGS] = "settings of the method",
};
static_assert(sizeof part_names / sizeof *part_names == IDENTITY_PARTS, "each part has a name");

static void __attribute__((format(printf, 2, 3))) add_word(FILE *out, const char *format, ...)
{
    va_list arguments;
    if (ftell(out) > 0)
        fputc(' ', out);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static void write_param(FILE *out, const assay_param *p)
{
    if (p->type == ASSAY_PARAM_TEXT)
        add_word(out, "%s=%s", p->name, p->text);
    else if (p->type == ASSAY_PARAM_REAL)
        add_word(out, "%s=%.9g", p->name, p->real);
    else
        add_word(out, "%s=%lld", p->name, (long long)p->integer);
}

static void write_method(FILE *out, const result *r, timing_mode only)
{
    const result_method *m = &r->method;
    int flushes = 0;
    add_word(out, "version %d", m->version);
    for (int mode = 0; mode < TIMING_MODES; mode++) {
        const timing_mode_info *info = timing_mode_get(mode);
        if (only == TIMING_MODES ? !(m->modes & timing_mode_bit(mode)) : mode != (int)only)
            continue;
        flushes |= info->flush == TIMING_FLUSH_METHOD;
        add_word(out, "%s.%d", info->name,
                 r->times[mode].present ? r->times[mode].method_version : info->version);
    }
    if (flushes)
        add_word(out, "flush by %s", m->flush);
    if (m->locked_mhz > 0)
        add_word(out, "clock locked at %d MHz", m->locked_mhz);
}

static void write_settings(FILE *out, const result *r)
{
    const result_method *m = &r->method;
    char modes[160];
    timing_modes_text(m->modes, modes, sizeof modes);
    add_word(out,
             "%d repetitions of %g ms after %g ms, %d to %d samples, %g s a mode, modes %s, seed %llu, %llu",
             m->repetitions, m->sample_ms, m->warmup_ms, m->min_samples, m->max_samples, m->bound_s, modes,
             (unsigned long long)m->seed, (unsigned long long)r->problem.seed);
}

static void write_case(FILE *out, const result *r, identity_part part)
{
    switch (part) {
    case IDENTITY_OP:
        fputs(r->id.op, out);
        break;
    case IDENTITY_NAME:
        fprintf(out, "%s %s", result_kind_name(r->id.kind), r->id.name);
        break;
    case IDENTITY_TUNABLES:
        for (int i = 0; i < r->tunable_count; i++)
            add_word(out, "%s=%lld", r->tunables[i].name, (long long)r->tunables[i].value);
        break;
    case IDENTITY_DTYPE:
        fputs(assay_dtype_name(r->id.dtype), out);
        break;
    case IDENTITY_MATH_MODE:
        fputs(r->math_mode, out);
        break;
    case IDENTITY_SIZE:
        fputs(r->id.size, out);
        break;
    case IDENTITY_DIMS:
        for (int i = 0; i < r->problem.dim_count; i++)
            add_word(out, "%s=%lld", r->problem.dims[i].name, (long long)r->problem.dims[i].value);
        break;
    case IDENTITY_PARAMS:
        for (int i = 0; i < r->problem.param_count; i++)
            write_param(out, &r->problem.params[i]);
        break;
    default:
        fputs(r->problem.distribution, out);
        break;
    }
}

static void write_part(FILE *out, const result *r, identity_part part, timing_mode mode)
{
    switch (part) {
    case IDENTITY_KERNEL:
        fputs(r->hashes.kernel, out);
        break;
    case IDENTITY_CODE:
        fputs(r->hashes.code, out);
        break;
    case IDENTITY_REFERENCE:
        fputs(r->hashes.reference, out);
        break;
    case IDENTITY_OP_JSON:
        fputs(r->hashes.op_json, out);
        break;
    case IDENTITY_COMPILER:
        fputs(r->toolchain.compiler, out);
        break;
    case IDENTITY_FLAGS:
        fputs(r->toolchain.flags, out);
        break;
    case IDENTITY_ARCH:
        fputs(r->toolchain.arch, out);
        break;
    case IDENTITY_LIBRARY:
        fputs(r->library_version, out);
        break;
    case IDENTITY_CARD_MODEL:
        fprintf(out, "%s", r->device.name);
        break;
    case IDENTITY_CARD:
        fputs(r->device.uuid, out);
        break;
    case IDENTITY_DRIVER:
        fprintf(out, "%s", r->device.driver);
        if (r->device.runtime[0])
            add_word(out, "runtime %s", r->device.runtime);
        break;
    case IDENTITY_HOST:
        if (r->host.name[0])
            fprintf(out, "%s, %d x %s", r->host.name, r->host.cpus, r->host.cpu);
        break;
    case IDENTITY_METHOD:
        write_method(out, r, mode);
        break;
    case IDENTITY_SETTINGS:
        write_settings(out, r);
        break;
    default:
        write_case(out, r, part);
        break;
    }
}

assay_status identity_of(const result *r, timing_mode mode, result_identity *out, assay_error *error)
{
    *out = (result_identity){0};
    for (int part = 0; part < IDENTITY_PARTS; part++) {
        FILE *text = text_stream_open(&out->text[part], NULL);
        if (text)
            write_part(text, r, (identity_part)part, mode);
        if (!text_stream_close(text, &out->text[part]))
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the identity of a result");
    }
    return ASSAY_OK;
}

void identity_release(result_identity *identity)
{
    for (int part = 0; part < IDENTITY_PARTS; part++)
        free(identity->text[part]);
    *identity = (result_identity){0};
}

/* Of a hash its beginning tells as much to a reader. */
static int shown_length(identity_part part)
{
    return part == IDENTITY_KERNEL || part == IDENTITY_CODE || part == IDENTITY_REFERENCE ||
                   part == IDENTITY_OP_JSON
               ? 8
               : 120;
}

static void add_difference(identity_part part, const char *a, const char *b, const char *between, char *words,
                           size_t bytes)
{
    const size_t used = strlen(words);
    const int length = shown_length(part);
    snprintf(words + used, bytes - used, "%s%s %.*s%s%.*s", used ? "; " : "", part_names[part], length,
             a[0] ? a : "unknown", between, length, b[0] ? b : "unknown");
}

unsigned identity_compare(const result_identity *a, const result_identity *b, unsigned mask,
                          const char *between, char *words, size_t bytes)
{
    unsigned differ = 0;
    if (words)
        words[0] = '\0';
    for (int part = 0; part < IDENTITY_PARTS; part++) {
        if (!(mask & IDENTITY_BIT(part)) || strcmp(a->text[part], b->text[part]) == 0)
            continue;
        differ |= IDENTITY_BIT(part);
        if (words)
            add_difference((identity_part)part, a->text[part], b->text[part], between, words, bytes);
    }
    return differ;
}

unsigned result_differs(const result *a, const result *b, timing_mode mode, unsigned mask,
                        const char *between, char *words, size_t bytes)
{
    result_identity first, second = {0};
    unsigned differ = mask;
    if (words)
        words[0] = '\0';
    if (identity_of(a, mode, &first, NULL) == ASSAY_OK && identity_of(b, mode, &second, NULL) == ASSAY_OK)
        differ = identity_compare(&first, &second, mask, between, words, bytes);
    identity_release(&first);
    identity_release(&second);
    return differ;
}

/* See case_options.h. */
#include "core/case_options.h"
#include "core/variant_name.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 4)))
add_words(char *out, size_t out_bytes, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, out_bytes - used, format, arguments);
    va_end(arguments);
}

static void add_values(const workspace *ws, const assay_case *c, const char *there, char *out,
                       size_t out_bytes)
{
    char path[4400];
    module_record record;
    const char *name, *between = " --set ";
    json_t *value;
    case_module_path(ws, c, path, sizeof path);
    if (module_record_read(there ? there : path, &record, NULL) != ASSAY_OK)
        return;
    json_object_foreach(json_object_get(record.json, "tunables"), name, value)
    {
        add_words(out, out_bytes, "%s%s=%lld", between, name, (long long)json_integer_value(value));
        between = ",";
    }
    module_record_release(&record);
}

static void add_shape(const opspec_size *size, char *out, size_t out_bytes)
{
    for (int i = 0; i < size->dims.count; i++)
        add_words(out, out_bytes, "%s%s=%lld", i ? "," : " --dims ", size->dims.dim[i].name,
                  (long long)size->dims.dim[i].value);
    for (int i = 0; i < size->dims.param_count; i++) {
        const assay_param *p = &size->dims.params[i];
        add_words(out, out_bytes, "%s%s=", i ? "," : " --params ", p->name);
        if (p->type == ASSAY_PARAM_TEXT)
            add_words(out, out_bytes, "%s", p->text);
        else if (p->type == ASSAY_PARAM_REAL)
            add_words(out, out_bytes, "%.17g", p->real);
        else
            add_words(out, out_bytes, "%lld", (long long)p->integer);
    }
}

void case_options(const workspace *ws, const assay_case *c, const char *record, char *out, size_t out_bytes)
{
    char base[ASSAY_NAME_MAX];
    const opspec_size *size = opspec_is_shape(c->size) ? opspec_find_size(c->op->spec, c->size) : NULL;
    tuned_variant_base(c->variant, base);
    snprintf(out, out_bytes, "%s%s", base[0] ? "--variant " : "", base);
    if (tuned_variant_is(c->variant))
        add_values(ws, c, record, out, out_bytes);
    add_words(out, out_bytes, "%s--dtype %s", out[0] ? " " : "", assay_dtype_name(c->dtype));
    if (size)
        add_shape(size, out, out_bytes);
    else
        add_words(out, out_bytes, " --size %s", c->size);
}

/* data/op-OP.js: the trends of one op, as arrays by column so that months of commits stay a few hundred kilobytes.
 * docs/dashboard.md lists the keys. */
#include "dashboard/site.h"
#include <string.h>

static void put_text(text_buffer *out, const char *key, const char *value)
{
    text_printf(out, ",\"%s\":", key);
    script_string(out, value);
}

static void put_numbers(text_buffer *out, const char *key, const series *one,
                        double (*get)(const series_point *point), int digits)
{
    text_printf(out, ",\"%s\":[", key);
    for (int i = 0; i < one->count; i++) {
        if (i > 0)
            text_puts(out, ",");
        script_number(out, get(&one->points[i]), digits);
    }
    text_puts(out, "]");
}

static double get_commit(const series_point *p)
{
    return p->commit;
}
static double get_card(const series_point *p)
{
    return p->card;
}
static double get_mean(const series_point *p)
{
    return p->mean_us;
}
static double get_low(const series_point *p)
{
    return p->low_us;
}
static double get_high(const series_point *p)
{
    return p->high_us;
}
static double get_dirty(const series_point *p)
{
    return p->dirty;
}

static void put_statuses(text_buffer *out, const series *one)
{
    text_puts(out, ",\"status\":\"");
    for (int i = 0; i < one->count; i++)
        text_append(out, &one->points[i].status, 1);
    text_puts(out, "\"");
}

static void put_changes(text_buffer *out, const series *one)
{
    text_puts(out, ",\"changes\":[");
    for (int i = 0; i < one->change_count; i++) {
        const change_point *c = &one->changes[i];
        text_printf(out, "%s[%d,%.5g,%.5g,%.4g]", i > 0 ? "," : "", c->index, c->before, c->after, c->p);
    }
    text_puts(out, "]");
}

/* "static": [key, [[point, value], ...]], a value for each point from which on it is another one. */
static void put_statics(text_buffer *out, const series *one)
{
    text_puts(out, ",\"static\":[");
    for (int i = 0; i < one->static_count; i++) {
        const series_static *value = &one->statics[i];
        const int first = i == 0 || strcmp(one->statics[i - 1].key, value->key) != 0;
        if (first) {
            text_puts(out, i > 0 ? "]],[" : "[");
            script_string(out, value->key);
            text_puts(out, ",[");
        }
        text_printf(out, "%s[%d,", first ? "" : ",", value->point);
        if (value->text[0] != '\0')
            script_string(out, value->text);
        else
            script_number(out, value->number, 9);
        text_puts(out, "]");
    }
    text_puts(out, one->static_count > 0 ? "]]]" : "]");
}

static void put_series(text_buffer *out, const series *one)
{
    text_printf(out, "{\"card\":%d", one->model);
    put_text(out, "variant", one->variant);
    put_text(out, "dtype", one->dtype);
    put_text(out, "size", one->size);
    put_text(out, "kind", one->kind);
    put_text(out, "mode", timing_mode_name(one->mode));
    put_text(out, "method", one->method);
    put_text(out, "math", one->math_mode);
    put_text(out, "inputs", one->distribution);
    put_text(out, "dims", one->dims);
    put_text(out, "reason", one->reason);
    text_puts(out, ",\"speedup\":");
    script_number(out, one->speedup, 4);
    text_puts(out, ",\"bound\":");
    script_number(out, one->count > 0 ? one->points[one->count - 1].percent_of_bound : 0.0, 4);
    put_numbers(out, "commit", one, get_commit, 9);
    put_numbers(out, "on", one, get_card, 9);
    put_numbers(out, "mean", one, get_mean, 5);
    put_numbers(out, "low", one, get_low, 5);
    put_numbers(out, "high", one, get_high, 5);
    put_numbers(out, "dirty", one, get_dirty, 1);
    put_statuses(out, one);
    put_changes(out, one);
    put_statics(out, one);
    text_puts(out, "}");
}

void site_write_op_data(site *s)
{
    text_buffer out = {0};
    char name[256];
    text_puts(&out, "assay.op = {\"name\":");
    script_string(&out, s->op);
    text_puts(&out, ",\"series\":[\n");
    for (int i = 0; i < s->series_count; i++) {
        if (i > 0)
            text_puts(&out, ",\n");
        put_series(&out, &s->series[i]);
    }
    text_puts(&out, "\n]};\n");
    site_file_name("data/op-", s->op, ".js", name, sizeof name);
    const assay_error no_memory = {.status = ASSAY_ERR_NO_MEMORY, .message = "no memory for an op's trends"};
    if (out.failed)
        site_fail(s, ASSAY_ERR_NO_MEMORY, &no_memory);
    else
        site_write_file(s, name, text_get(&out), out.length);
    text_release(&out);
}

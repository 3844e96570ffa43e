/* data/site.js, which every page reads, and data/overview.js: of each case the newest time by each method, its changes and the shape of its trend,
 * and no samples, so that the overview stays small. docs/dashboard.md lists the keys. */
#include "dashboard/site.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARK_POINTS = 60, SPARK_LEVELS = 36 };

/* The last means as one character each, "0" the lowest to "z" the highest, "." where there is none. The range is at least
 * 6% of the middle, so that noise looks like noise. */
static void put_spark(text_buffer *out, const series *one)
{
    double low = INFINITY, high = -INFINITY;
    const int first = one->count > SPARK_POINTS ? one->count - SPARK_POINTS : 0;
    for (int i = first; i < one->count; i++) {
        low = fmin(low, one->points[i].mean_us); /* fmin and fmax pass over NAN */
        high = fmax(high, one->points[i].mean_us);
    }
    const double middle = 0.5 * (low + high), range = fmax(high - low, 0.06 * middle);
    text_puts(out, "\"");
    for (int i = first; i < one->count; i++) {
        const double mean = one->points[i].mean_us;
        char letter = '.';
        if (mean > 0.0) {
            const int level = (int)lround((0.5 + (mean - middle) / range) * (SPARK_LEVELS - 1));
            letter = "0123456789abcdefghijklmnopqrstuvwxyz"[level];
        }
        text_append(out, &letter, 1);
    }
    text_puts(out, "\"");
}

static void put_texts(text_buffer *out, const series *one)
{
    const char *const texts[] = {
        one->variant,   one->dtype,  one->size,  one->kind, timing_mode_name(one->mode),
        one->math_mode, one->method, one->reason};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        text_puts(out, i > 0 ? "," : "");
        script_string(out, texts[i]);
    }
}

static void put_row(text_buffer *out, const series *one)
{
    const series_point *newest = &one->points[one->count - 1];
    text_puts(out, "[");
    put_texts(out, one);
    text_printf(out, ",%d,\"%c\",%d,", one->model, newest->status, newest->commit);
    const double numbers[] = {newest->mean_us, newest->low_us, newest->high_us, newest->percent_of_bound,
                              one->speedup};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        script_number(out, numbers[i], 4);
        text_puts(out, ",");
    }
    put_spark(out, one);
    text_puts(out, ",[");
    for (int i = 0; i < one->change_count; i++) {
        const series_point *after = &one->points[one->changes[i].index];
        text_printf(out, "%s[%d,%.4g,%d]", i > 0 ? "," : "", after->commit, one->changes[i].ratio,
                    after->card != after[-1].card);
    }
    text_puts(out, "]]");
}

/* The mode that stands for a case: cold where it was taken, else the first; by every method, as none of their changes is another's. */
static int is_main_mode(const site *s, int i)
{
    const series *one = &s->series[i];
    if (one->mode == TIMING_COLD)
        return 1;
    for (int j = 0; j < s->series_count; j++) {
        const series *other = &s->series[j];
        if (other->case_id == one->case_id && other->model == one->model && other->mode != one->mode &&
            (j < i || other->mode == TIMING_COLD))
            return 0;
    }
    return 1;
}

void site_add_overview(site *s)
{
    int rows = 0;
    text_puts(&s->overview, s->overview.length > 0 ? ",\n{\"op\":" : "{\"op\":");
    script_string(&s->overview, s->op);
    text_puts(&s->overview, ",\"rows\":[");
    for (int i = 0; i < s->series_count; i++) {
        if (s->series[i].count == 0 || !is_main_mode(s, i))
            continue;
        text_puts(&s->overview, rows++ > 0 ? ",\n" : "\n");
        put_row(&s->overview, &s->series[i]);
    }
    text_puts(&s->overview, "]}");
}

static void put_commits(const site *s, text_buffer *out)
{
    text_puts(out, ",\n\"commits\":[");
    for (int i = 0; i < s->commit_count; i++) {
        text_puts(out, i > 0 ? ",\n[" : "\n[");
        script_string(out, s->commits[i].hash);
        text_printf(out, ",%lld,", (long long)s->commits[i].time);
        script_string(out, s->commits[i].subject);
        text_puts(out, "]");
    }
    text_puts(out, "]");
}

static void put_cards(const site *s, text_buffer *out)
{
    text_puts(out, ",\n\"cards\":[");
    for (int i = 0; i < s->model_count; i++) {
        const char *const texts[] = {s->models[i].slug, s->models[i].name, s->models[i].device_kind};
        text_puts(out, i > 0 ? ",[" : "[");
        for (int j = 0; j < 3; j++) {
            text_puts(out, j > 0 ? "," : "");
            script_string(out, texts[j]);
        }
        text_puts(out, "]");
    }
    text_puts(out, "],\n\"setups\":[");
    for (int i = 0; i < s->card_count; i++) {
        const char *const texts[] = {s->cards[i].uuid, s->cards[i].driver, s->cards[i].runtime};
        text_puts(out, i > 0 ? ",[" : "[");
        for (int j = 0; j < 3; j++) {
            text_puts(out, j > 0 ? "," : "");
            script_string(out, texts[j]);
        }
        text_puts(out, "]");
    }
    text_puts(out, "]");
}

static void put_ops(const site *s, text_buffer *out)
{
    text_puts(out, ",\n\"ops\":[");
    for (int i = 0; i < s->op_count; i++) {
        char page[256];
        site_file_name("op-", s->ops[i], ".html", page, sizeof page);
        text_puts(out, i > 0 ? ",[" : "[");
        script_string(out, s->ops[i]);
        text_printf(out, ",\"%s\"]", page);
    }
    text_puts(out, "]");
}

void site_write_overview_data(site *s)
{
    text_buffer out = {0};
    text_puts(&out, "assay.site = {\"commitUrl\":");
    script_string(&out, s->options->commit_url ? s->options->commit_url : "");
    put_ops(s, &out);
    put_cards(s, &out);
    put_commits(s, &out);
    text_puts(&out, "};\n");
    site_write_file(s, "data/site.js", text_get(&out), out.length);
    text_release(&out);
    text_puts(&out, "assay.overview = [\n");
    text_append(&out, text_get(&s->overview), s->overview.length);
    text_puts(&out, "\n];\n");
    const assay_error no_memory = {.status = ASSAY_ERR_NO_MEMORY, .message = "no memory for the overview"};
    if (out.failed || s->overview.failed)
        site_fail(s, ASSAY_ERR_NO_MEMORY, &no_memory);
    else
        site_write_file(s, "data/overview.js", text_get(&out), out.length);
    text_release(&out);
}

/* Text and JSON of a comparison: see compare_output.h. */
#include "history/compare_output.h"
#include "history/compare_output_internal.h"
#include "core/json_file.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

void compare_case_name(const compare_case *c, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s.%s.%s.%s%s%s", c->op, c->variant, c->dtype, c->size,
             strcmp(c->figure, "cold") == 0 ? "" : " ", strcmp(c->figure, "cold") == 0 ? "" : c->figure);
}

void compare_summary(const compare_report *report, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int v = 0; v < COMPARE_VERDICTS && used < bytes; v++)
        if (report->verdicts[v] > 0 || v <= COMPARE_INCONCLUSIVE)
            used += (size_t)snprintf(out + used, bytes - used, "%s%d %s", used ? ", " : "",
                                     report->verdicts[v], compare_verdict_name((compare_verdict)v));
    if (report->unusable > 0 && used < bytes)
        snprintf(out + used, bytes - used, ", %d result files unusable", report->unusable);
}

void compare_format_us(double us, char *out, size_t bytes)
{
    snprintf(out, bytes, isfinite(us) ? "%.*f" : "-", us < 10 ? 3 : us < 1000 ? 2 : us < 1e5 ? 1 : 0, us);
}

void compare_format_change(double ratio, char *out, size_t bytes)
{
    snprintf(out, bytes, isfinite(ratio) ? "%+.2f%%" : "-", 100.0 * (ratio - 1.0));
}

static void add_remark(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_remark(char *out, size_t bytes, const char *format, ...)
{
    va_list values;
    const size_t used = strlen(out), begin = used ? used + 2 : 0;
    if (begin + 1 >= bytes)
        return;
    if (used)
        strcpy(out + used, "; ");
    va_start(values, format);
    vsnprintf(out + begin, bytes - begin, format, values);
    va_end(values);
}

void compare_remark(const compare_case *c, char *out, size_t bytes)
{
    out[0] = '\0';
    if (c->normalised_by[0] && isfinite(c->new_relative))
        add_remark(out, bytes, "relative to %s, whose time it takes %.3f and %.3f of", c->normalised_by,
                   c->base_relative, c->new_relative);
    else if (c->normalised_by[0])
        add_remark(out, bytes, "relative to %s", c->normalised_by);
    if (c->paired)
        add_remark(out, bytes, "turn by turn");
    if (c->floors_levelled)
        add_remark(out, bytes, "less the difference of the floors, %.2f and %.2f us", c->base_floor_us,
                   c->new_floor_us);
    if (fabs(c->shift_us) * 200 > c->new_us) /* half a percent */
        add_remark(out, bytes, "without %+.2f us that unchanged kernels moved by", c->shift_us);
    if (c->repeated)
        add_remark(out, bytes, "repeated");
    if (c->reason[0])
        add_remark(out, bytes, "%s", c->reason);
}

static void print_case(const compare_case *c, FILE *out)
{
    char name[400], base[32], changed[32], change[32], low[32], high[32], interval[80], remark[800];
    compare_case_name(c, name, sizeof name);
    compare_format_us(c->base_us, base, sizeof base);
    compare_format_us(c->new_us, changed, sizeof changed);
    compare_format_change(c->ratio.ratio, change, sizeof change);
    compare_format_change(c->ratio.low95, low, sizeof low);
    compare_format_change(c->ratio.high95, high, sizeof high);
    snprintf(interval, sizeof interval, isfinite(c->ratio.ratio) ? "[%s, %s]" : "-", low, high);
    fprintf(out, "%-12s  %-44s %10s %10s %9s  %-20s", compare_verdict_name(c->verdict), name, base, changed,
            change, interval);
    if (isfinite(c->p_adjusted))
        fprintf(out, " p %-7.2g delta %+.2f", c->p_adjusted, c->test.delta);
    compare_remark(c, remark, sizeof remark);
    fprintf(out, "%s%s\n", remark[0] ? "  " : "", remark);
}

static void write_text(const compare_report *report, int all, FILE *out)
{
    char summary[256];
    int listed = 0;
    fprintf(out, "base: %s\nnew:  %s\n\n", report->base_label, report->new_label);
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        for (int i = 0; i < report->count; i++) {
            if ((int)report->cases[i].verdict != v || (v == COMPARE_SAME && !all))
                continue;
            if (listed++ == 0)
                fprintf(out, "%-12s  %-44s %10s %10s %9s  %-20s\n", "verdict", "case", "base us", "new us",
                        "change", "95% interval");
            print_case(&report->cases[i], out);
        }
    compare_summary(report, summary, sizeof summary);
    fprintf(out, "%s%s\n", listed ? "\n" : "", summary);
}

static json_t *floor_json(double us)
{
    return us > 0 ? json_number(us) : json_null();
}

static json_t *case_json(const compare_case *c)
{
    json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:[o, o], s:[o, o]}",
                            "op", c->op, "variant", c->variant, "dtype", c->dtype, "size", c->size, "figure",
                            c->figure, "card", c->slug, "verdict", compare_verdict_name(c->verdict), "reason",
                            c->reason, "base_us", json_number(c->base_us), "new_us", json_number(c->new_us),
                            "ratio", json_number(c->ratio.ratio), "interval95", json_number(c->ratio.low95),
                            json_number(c->ratio.high95), "interval90", json_number(c->ratio.low90),
                            json_number(c->ratio.high90));
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:i, s:o, s:o, s:[i, i], s:[i, i], s:b, s:i}", "p",
        json_number(c->p), "p_ranks", json_number(c->test.p), "p_adjusted", json_number(c->p_adjusted), "u",
        isfinite(c->test.p) ? json_number(c->test.u) : json_null(), "cliffs_delta",
        isfinite(c->test.p) ? json_number(c->test.delta) : json_null(), "minimum_effect",
        c->minimum_effect > 0 ? json_number(c->minimum_effect) : json_null(), "exact", c->test.exact,
        "controls", c->controls, "control_shift_us", c->controls ? json_number(c->shift_us) : json_null(),
        "normalised_by", c->normalised_by[0] ? json_string(c->normalised_by) : json_null(), "runs",
        c->base_runs, c->new_runs, "repetitions", c->base_repetitions, c->new_repetitions, "same_card",
        c->same_card, "repeated", c->repeated);
    json_object_update(out, more);
    json_decref(more);
    json_object_update_new(
        out, json_pack("{s:[o, o], s:o, s:[o, o], s:b}", "floor_us", floor_json(c->base_floor_us),
                       floor_json(c->new_floor_us), "floor_shift_us",
                       c->floors_levelled ? json_number(c->new_floor_us - c->base_floor_us) : json_null(),
                       "relative", json_number(c->base_relative), json_number(c->new_relative), "paired",
                       c->paired));
    return out;
}

static void write_json(const compare_report *report, FILE *out)
{
    json_t *counts = json_object(), *cases = json_array();
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        json_object_set_new(counts, compare_verdict_name((compare_verdict)v),
                            json_integer(report->verdicts[v]));
    for (int i = 0; i < report->count; i++)
        json_array_append_new(cases, case_json(&report->cases[i]));
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:o, s:i, s:o}", "schema", 1, "base", report->base_label, "new",
                  report->new_label, "verdicts", counts, "unusable_files", report->unusable, "cases", cases);
    json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(root);
}

void compare_write(const compare_report *report, compare_format format, int all, FILE *out)
{
    switch (format) {
    case COMPARE_TEXT:
        write_text(report, all, out);
        return;
    case COMPARE_MARKDOWN:
        compare_write_markdown(report, all, out);
        return;
    case COMPARE_JSON:
        write_json(report, out);
        return;
    case COMPARE_JUNIT:
        compare_write_junit(report, out);
        return;
    }
}

/* Targets as a table for people and as JSON: no judgement here. */
#include "report/report_text.h"
#include "report/targets.h"
#include <math.h>
#include <string.h>

enum { COLUMNS = 7, CELL_BYTES = 320 };

typedef struct table {
    const report_model *model;
    FILE *out;
    int markdown, widths[COLUMNS];
} table;

static const char *const heads[COLUMNS] = {"op",    "dtype",           "target", "sizes",
                                           "worst", "kernel, against", "verdict"};
static const char *const verdicts[TARGET_VERDICTS] = {"met", "missed", "not measured"};

/* Targets of one op, dtype and rule stand together; with `all` each stands alone. */
static int end_of_group(const target_list *list, int first, int all)
{
    const target *a = &list->items[first];
    int end = first + 1;
    while (!all && end < list->count && list->items[end].op == a->op && list->items[end].dtype == a->dtype &&
           strcmp(list->items[end].rule, a->rule) == 0)
        end++;
    return end;
}

/* A missed target before one that was not measured, then the least ratio. */
static const target *worst_of(const target_list *list, int first, int end)
{
    static const int rank[TARGET_VERDICTS] = {
        [TARGET_MISSED] = 0, [TARGET_NOT_MEASURED] = 1, [TARGET_MET] = 2};
    const target *worst = &list->items[first];
    for (int i = first + 1; i < end; i++) {
        const target *t = &list->items[i];
        if (rank[t->verdict] < rank[worst->verdict] ||
            (t->verdict == worst->verdict && t->ratio < worst->ratio))
            worst = t;
    }
    return worst;
}

/* As many decimals as tell a miss from what was wanted. */
static void ratio_text(const target *t, char *out, size_t bytes)
{
    if (isfinite(t->ratio))
        snprintf(out, bytes, t->verdict == TARGET_MISSED ? "%.2f%%" : "%.1f%%", 100 * t->ratio);
    else
        snprintf(out, bytes, "-");
}

static void entry_text(const report_entry *entry, timing_mode mode, char *out, size_t bytes)
{
    char time[32];
    if (!entry) {
        snprintf(out, bytes, "-");
        return;
    }
    text_us(time, sizeof time, entry->times[mode].mean_us);
    snprintf(out, bytes, "%s %s us", entry->name, time);
}

/* The row of targets [first, end), which share op, dtype and rule. */
static void fill_row(const table *t, const target_list *list, int first, int end,
                     char row[COLUMNS][CELL_BYTES])
{
    const target *worst = worst_of(list, first, end);
    const opspec *spec = t->model->ws->ops[worst->op].spec;
    char ratio[32], kernel[120], against[120];
    int met = 0;
    for (int i = first; i < end; i++)
        met += list->items[i].verdict == TARGET_MET;
    ratio_text(worst, ratio, sizeof ratio);
    entry_text(worst->kernel, worst->mode, kernel, sizeof kernel);
    entry_text(worst->against, worst->mode, against, sizeof against);
    snprintf(row[0], CELL_BYTES, "%s", spec->name);
    snprintf(row[1], CELL_BYTES, "%s", report_dtype_name(spec, worst->dtype));
    snprintf(row[2], CELL_BYTES, "%s%s%s", worst->rule, worst->mode == TIMING_COLD ? "" : ", ",
             worst->mode == TIMING_COLD ? "" : timing_mode_name(worst->mode));
    snprintf(row[3], CELL_BYTES, "%d of %d", met, end - first);
    snprintf(row[4], CELL_BYTES, "%s at %s", ratio, spec->sizes[worst->size].name);
    snprintf(row[5], CELL_BYTES, "%s, %s", kernel, against);
    snprintf(row[6], CELL_BYTES, "%s%s%.240s%s", verdicts[worst->verdict], *worst->reason ? " (" : "",
             worst->reason, *worst->reason ? ")" : "");
}

static void print_row(const table *t, char row[COLUMNS][CELL_BYTES])
{
    for (int c = 0; c < COLUMNS; c++)
        if (t->markdown)
            fprintf(t->out, "| %s ", row[c]);
        else
            fprintf(t->out, "%-*s%s", c + 1 < COLUMNS ? t->widths[c] : 0, row[c],
                    c + 1 < COLUMNS ? "  " : "");
    fputs(t->markdown ? "|\n" : "\n", t->out);
}

static void print_rows(table *t, const target_list *list, int all)
{
    char row[COLUMNS][CELL_BYTES];
    for (int c = 0; c < COLUMNS; c++)
        t->widths[c] = (int)strlen(heads[c]);
    for (int first = 0, end; first < list->count; first = end) {
        end = end_of_group(list, first, all);
        fill_row(t, list, first, end, row);
        for (int c = 0; c < COLUMNS; c++)
            t->widths[c] = (int)strlen(row[c]) > t->widths[c] ? (int)strlen(row[c]) : t->widths[c];
    }
    for (int c = 0; c < COLUMNS; c++)
        snprintf(row[c], CELL_BYTES, "%s", heads[c]);
    print_row(t, row);
    if (t->markdown)
        fputs("|---|---|---|---|---:|---|---|\n", t->out);
    for (int first = 0, end; first < list->count; first = end) {
        end = end_of_group(list, first, all);
        fill_row(t, list, first, end, row);
        print_row(t, row);
    }
}

void targets_print(const report_model *model, const target_list *list, int all, int markdown, FILE *out)
{
    table t = {.model = model, .out = out, .markdown = markdown};
    fprintf(out, "%s, %s, commit %.12s%s\n\n", model->device, model->time, model->commit,
            model->dirty ? " (with uncommitted changes)" : "");
    print_rows(&t, list, all);
    fprintf(out, "\n%d targets: %d met, %d missed, %d not measured", list->count, list->counts[TARGET_MET],
            list->counts[TARGET_MISSED], list->counts[TARGET_NOT_MEASURED]);
    if (list->without_results)
        fprintf(out, "; no results of %d op x dtype", list->without_results);
    fputc('\n', out);
}

static json_t *target_json(const report_model *model, const target *t)
{
    const opspec *spec = model->ws->ops[t->op].spec;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s}", "op", spec->name, "dtype",
                     report_dtype_name(spec, t->dtype), "size", spec->sizes[t->size].name, "target", t->rule,
                     "mode", timing_mode_name(t->mode), "kernel", t->kernel ? t->kernel->name : "", "against",
                     t->against ? t->against->name : "", "ratio",
                     isfinite(t->ratio) ? json_real(t->ratio) : json_null(), "verdict", verdicts[t->verdict],
                     "reason", t->reason);
}

json_t *targets_json(const report_model *model, const target_list *list)
{
    json_t *targets = json_array();
    for (int i = 0; i < list->count; i++)
        json_array_append_new(targets, target_json(model, &list->items[i]));
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o}", "device", model->device, "commit", model->commit,
                     "time", model->time, "met", list->counts[TARGET_MET], "missed",
                     list->counts[TARGET_MISSED], "not_measured", list->counts[TARGET_NOT_MEASURED],
                     "targets", targets);
}

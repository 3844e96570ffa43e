/* The summary of all ops: best kernels, speedups, failures. The Markdown and the JSON say the same. */
#include "report/report_summary.h"
#include "core/json_file.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 2 * OPSPEC_MAX_SIZES };

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

/* Cold rows of each op and dtype that has a result. Ends after the last; *dtype starts at -1, *op at 0. */
static int next_rows(const report_model *model, int *op, int *dtype, report_rows *rows)
{
    while (*op < model->ws->op_count) {
        if (++*dtype >= spec_of(model, *op)->dtype_count) {
            ++*op;
            *dtype = -1;
            continue;
        }
        report_rows_build(model, *op, *dtype, TIMING_COLD, rows);
        if (rows->measured_count)
            return 1;
    }
    return 0;
}

/* The share of the roofline bound at the size that moves the most bytes; NAN if unknown. */
static double roofline_percent(const report_rows *rows)
{
    double bytes = 0, percent = NAN;
    for (int s = 0; rows->best >= 0 && s < rows->sizes; s++) {
        const report_entry *entry = rows->row[rows->best].entries[s];
        if (!report_has_time(entry, rows->mode) || !(entry->result->bytes > bytes))
            continue;
        bytes = entry->result->bytes;
        percent = entry->times[rows->mode].percent_of_roofline;
    }
    return percent;
}

/* The best kernel's entry at a size and the best baseline there; 0 if the kernel has no time. */
static int at_size(const report_rows *rows, int size, const report_entry **own, const report_entry **baseline)
{
    *own = rows->best >= 0 ? rows->row[rows->best].entries[size] : NULL;
    if (!report_has_time(*own, rows->mode))
        return 0;
    *baseline = report_best_baseline(rows, *own);
    return 1;
}

static double ratio_of(const report_entry *own, const report_entry *baseline)
{
    return baseline ? baseline->times[TIMING_COLD].mean_us / own->times[TIMING_COLD].mean_us : NAN;
}

static json_t *size_json(const report_entry *own, const report_entry *baseline, const char *source)
{
    json_t *out = json_object();
    json_object_set_new(out, "mean_us", json_number(own->times[TIMING_COLD].mean_us));
    json_object_set_new(out, "baseline", baseline ? json_string(baseline->name) : json_null());
    json_object_set_new(out, "baseline_us",
                        json_number(baseline ? baseline->times[TIMING_COLD].mean_us : NAN));
    json_object_set_new(out, "speedup", json_number(ratio_of(own, baseline)));
    if (baseline)
        json_object_set_new(out, "outcome",
                            json_string(report_outcome_name(report_outcome_at(own, baseline, TIMING_COLD))));
    if (*source)
        json_object_set_new(out, "source", json_string(source));
    return out;
}

static json_t *best_json(const report_model *model, const report_rows *rows)
{
    const opspec *spec = spec_of(model, rows->op);
    const report_row *best = rows->best >= 0 ? &rows->row[rows->best] : NULL;
    json_t *out = json_object(), *sizes = json_object();
    json_object_set_new(out, "op", json_string(spec->name));
    json_object_set_new(out, "dtype", json_string(report_dtype_name(spec, rows->dtype)));
    json_object_set_new(out, "outcome", json_string(report_outcome_name(report_rows_outcome(rows))));
    json_object_set_new(out, "sizes", sizes);
    json_object_set_new(out, "kernel", best ? json_string(best->name) : json_null());
    if (!best)
        return out;
    json_object_set_new(out, "math_mode", json_string(best->math_mode));
    json_object_set_new(out, "final_us", json_number(best->final_us));
    json_object_set_new(out, "speedup", json_number(best->speedup));
    json_object_set_new(out, "geomean_speedup", json_number(best->geomean));
    json_object_set_new(out, "percent_of_roofline", json_number(roofline_percent(rows)));
    json_object_set_new(out, "above_roofline", json_boolean(best->flagged));
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *own, *baseline;
        if (at_size(rows, s, &own, &baseline))
            json_object_set_new(sizes, spec->sizes[s].name, size_json(own, baseline, spec->sizes[s].source));
    }
    return out;
}

static json_t *case_json(const report_model *model, const report_entry *entry)
{
    char name[256];
    text_case(name, sizeof name, model, entry);
    json_t *out = json_object(), *times = json_object();
    json_object_set_new(out, "case", json_string(name));
    json_object_set_new(out, "kind", json_string(result_kind_name(entry->kind)));
    json_object_set_new(out, "state", json_string(text_state(entry->state)));
    json_object_set_new(out, "reason", json_string(entry->reason));
    json_object_set_new(out, "verdict", entry->verdict ? json_string(entry->verdict->status) : json_null());
    for (int m = 0; m < TIMING_MODES; m++) {
        const report_times *t = &entry->times[m];
        if (!report_has_time(entry, (timing_mode)m))
            continue;
        json_t *mode = json_object();
        json_object_set_new(mode, "mean_us", json_number(t->mean_us));
        json_object_set_new(mode, "median_us", json_number(entry->result->times[m].median_us));
        json_object_set_new(mode, "percent_of_roofline", json_number(t->percent_of_roofline));
        json_object_set_new(mode, "above_roofline", json_boolean(t->above_roofline));
        json_object_set_new(times, timing_mode_name((timing_mode)m), mode);
    }
    json_object_set_new(out, "modes", times);
    if (entry->overhead_shift_us != 0.0)
        json_object_set_new(out, "overhead_shift_us", json_number(entry->overhead_shift_us));
    return out;
}

static void count_cases(const report_model *model, report_summary *summary)
{
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        const verdict_record *v = entry->verdict;
        if (entry->kind != RESULT_VARIANT || entry->state == STATE_REMOVED)
            continue;
        summary->timed += report_has_time(entry, TIMING_COLD);
        summary->verified += verdict_record_is(v, "pass");
        summary->failed += v && !verdict_record_is(v, "pass") && !verdict_record_is(v, "skipped");
    }
    summary->unreadable_count = model->unreadable.count;
}

void summary_count(const report_model *model, report_summary *summary)
{
    report_rows rows;
    int op = 0, dtype = -1;
    int *const counts[REPORT_OUTCOMES] = {[REPORT_WIN] = &summary->wins,
                                          [REPORT_TIE] = &summary->ties,
                                          [REPORT_LOSS] = &summary->losses,
                                          [REPORT_INCOMPLETE] = &summary->incomplete};
    count_cases(model, summary);
    while (next_rows(model, &op, &dtype, &rows)) {
        const report_outcome outcome = report_rows_outcome(&rows);
        if (outcome != REPORT_NOT_JUDGED)
            ++*counts[outcome];
    }
}

static json_t *notes_json(const report_notes *notes)
{
    json_t *out = json_array();
    for (int i = 0; i < notes->count; i++)
        json_array_append_new(out, json_pack("{s:s, s:s, s:i}", "what", notes->items[i].file, "reason",
                                             notes->items[i].reason, "count", notes->items[i].count));
    return out;
}

void summary_collect(const report_model *model, report_summary *summary)
{
    json_t *root = json_object(), *best = json_array(), *cases = json_array();
    report_rows rows;
    int op = 0, dtype = -1;
    summary_count(model, summary);
    while (next_rows(model, &op, &dtype, &rows))
        json_array_append_new(best, best_json(model, &rows));
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].verdict || model->entries[i].result)
            json_array_append_new(cases, case_json(model, &model->entries[i]));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "device",
                        json_pack("{s:s, s:s, s:s}", "kind", model->cpu ? "cpu" : "cuda", "name",
                                  model->device, "slug", model->slug));
    json_object_set_new(root, "time", json_string(model->time));
    json_object_set_new(root, "git", json_pack("{s:s, s:b}", "commit", model->commit, "dirty", model->dirty));
    json_object_set_new(root, "success",
                        json_pack("{s:i, s:i, s:i, s:i}", "wins", summary->wins, "ties", summary->ties,
                                  "losses", summary->losses, "incomplete", summary->incomplete));
    json_object_set_new(root, "best", best);
    json_object_set_new(root, "cases", cases);
    json_object_set_new(root, "unreadable", notes_json(&model->unreadable));
    json_object_set_new(root, "left_out", notes_json(&model->left_out));
    json_decref(summary->json);
    summary->json = root;
}

void summary_success_text(const report_summary *summary, char *out, size_t bytes)
{
    const struct {
        int count;
        const char *one, *many;
    } parts[] = {{summary->wins, "win", "wins"},
                 {summary->ties, "tie", "ties"},
                 {summary->losses, "loss", "losses"},
                 {summary->incomplete, "incomplete", "incomplete"}};
    size_t n = 0;
    out[0] = '\0';
    if (summary->wins + summary->ties + summary->losses + summary->incomplete == 0)
        return;
    for (int i = 0; i < 3 + (summary->incomplete > 0) && n < bytes; i++)
        n += (size_t)snprintf(out + n, bytes - n, "%s%d %s", i ? ", " : "", parts[i].count,
                              parts[i].count == 1 ? parts[i].one : parts[i].many);
}

/* Columns of the table: every size name that any best kernel has a time at, in the ops' order. Shapes of
 * models, which say where they come from, have a table of their own: each is one op's, and the columns would
 * be more than a page holds. */
static int size_columns(const report_model *model, const char *names[MOST_COLUMNS])
{
    report_rows rows;
    int count = 0, op = 0, dtype = -1;
    while (next_rows(model, &op, &dtype, &rows))
        for (int s = 0; s < rows.sizes; s++) {
            const opspec_size *size = &spec_of(model, op)->sizes[s];
            const report_entry *own, *baseline;
            int known = size->source[0] != '\0' || !at_size(&rows, s, &own, &baseline);
            for (int k = 0; k < count && !known; k++)
                known = strcmp(names[k], size->name) == 0;
            if (!known && count < MOST_COLUMNS)
                names[count++] = size->name;
        }
    return count;
}

/* "1.02x torch_compile", "1.00x cub (tie)" */
static void speedup_text(const report_entry *own, const report_entry *baseline, char *out, size_t bytes)
{
    char ratio[32];
    text_ratio(ratio, sizeof ratio, ratio_of(own, baseline));
    snprintf(out, bytes, "%s%s%s%s", ratio, baseline ? " " : "", baseline ? baseline->name : "",
             baseline && report_is_tie(own, baseline, TIMING_COLD) ? " (tie)" : "");
}

static void put_cells(const report_model *model, const report_rows *rows, const char *const *names, int count,
                      json_t *row)
{
    const opspec *spec = spec_of(model, rows->op);
    for (int k = 0; k < count; k++) {
        char text[200] = "-";
        for (int s = 0; s < rows->sizes; s++) {
            const report_entry *own, *baseline;
            if (strcmp(spec->sizes[s].name, names[k]) == 0 && at_size(rows, s, &own, &baseline))
                speedup_text(own, baseline, text, sizeof text);
        }
        context_put(context_add(row, "cells"), "text", "%s", text);
    }
    context_close_list(row, "cells");
}

static void put_best(const report_model *model, const report_rows *rows, const char *const *names, int count,
                     json_t *out)
{
    const opspec *spec = spec_of(model, rows->op);
    const report_row *best = rows->best >= 0 ? &rows->row[rows->best] : NULL;
    const double percent = roofline_percent(rows);
    char text[64];
    json_t *row = context_add(out, "rows");
    context_put(row, "op", "%s", spec->name);
    context_put(row, "log", "%s_log.md", spec->name);
    context_put(row, "dtype", "%s%s", report_dtype_name(spec, rows->dtype),
                best && strcmp(best->math_mode, "tf32") == 0 ? " (tf32)" : "");
    context_put(row, "kernel", "%s", best ? best->name : "none has a time");
    text_us(text, sizeof text, best ? best->final_us : NAN);
    context_put(row, "final", "%s", text);
    text_ratio(text, sizeof text, best ? best->speedup : NAN);
    context_put(row, "speedup", "%s", text);
    text_ratio(text, sizeof text, best ? best->geomean : NAN);
    context_put(row, "geomean", "%s", text);
    snprintf(text, sizeof text, "-");
    if (isfinite(percent))
        snprintf(text, sizeof text, "%.0f%%", percent);
    context_put(row, "roofline", "%s", text);
    context_put(row, "outcome", "%s", report_outcome_name(report_rows_outcome(rows)));
    put_cells(model, rows, names, count, row);
}

/* The best kernel at each shape of a model. */
static void put_shapes(const report_model *model, const report_rows *rows, json_t *out)
{
    const opspec *spec = spec_of(model, rows->op);
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *own, *baseline;
        char text[200];
        if (spec->sizes[s].source[0] == '\0' || !at_size(rows, s, &own, &baseline))
            continue;
        json_t *row = context_add(out, "shapes");
        context_put(row, "op", "%s", spec->name);
        context_put(row, "log", "%s_log.md", spec->name);
        context_put(row, "dtype", "%s", report_dtype_name(spec, rows->dtype));
        context_put(row, "size", "%s", spec->sizes[s].name);
        context_put(row, "source", "%s", spec->sizes[s].source);
        context_put(row, "kernel", "%s", own->name);
        text_us(text, sizeof text, own->times[TIMING_COLD].mean_us);
        context_put(row, "time", "%s", text);
        speedup_text(own, baseline, text, sizeof text);
        context_put(row, "speedup", "%s", text);
    }
}

/* Cases that should have a time and have none. Those that were verified and never asked to be timed are no
 * failures: their number is said. */
static void put_failures(const report_model *model, json_t *out)
{
    int untimed = 0;
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        char name[256], reason[400];
        if (entry->state == STATE_MISSING || entry->state == STATE_TIMED || entry->state == STATE_UNSTABLE)
            continue;
        if (!entry->result && entry->state != STATE_REMOVED && verdict_record_is(entry->verdict, "pass")) {
            untimed += entry->size < spec_of(model, entry->op)->size_count; /* edge cases are never timed */
            continue;
        }
        text_case(name, sizeof name, model, entry);
        text_markdown(reason, sizeof reason, entry->reason, 200);
        json_t *item = context_add(out, "failures");
        context_put(item, "case", "%s", name);
        context_put(item, "state", "%s", text_state(entry->state));
        context_put(item, "reason", "%s", reason);
    }
    context_close_list(out, "failures");
    context_put(out, "untimed", "%s", "");
    if (untimed)
        context_put(out, "untimed", "%d more %s verified and not timed.", untimed,
                    untimed == 1 ? "case is" : "cases are");
}

static void put_success(const report_summary *summary, json_t *out)
{
    char text[128];
    summary_success_text(summary, text, sizeof text);
    context_put(out, "success", "%s%s%s Cases: %d verified, %d failed, %d timed.",
                *text ? "**" : "No best kernel has a baseline to be judged by", text,
                *text ? "** of the best kernels against the best baselines." : ".", summary->verified,
                summary->failed, summary->timed);
}

/* Rows of all best kernels, and the geometric mean of their speedups. */
static void put_rows(const report_model *model, json_t *out)
{
    const char *names[MOST_COLUMNS];
    const int columns = size_columns(model, names);
    double logs = 0;
    int count = 0, op = 0, dtype = -1;
    report_rows rows;
    for (int k = 0; k < columns; k++)
        context_put(context_add(out, "sizes"), "name", "%s", names[k]);
    while (next_rows(model, &op, &dtype, &rows)) {
        put_best(model, &rows, names, columns, out);
        put_shapes(model, &rows, out);
        const double speedup = rows.best >= 0 ? rows.row[rows.best].speedup : NAN;
        logs += isfinite(speedup) ? log(speedup) : 0;
        count += isfinite(speedup);
    }
    context_close_list(out, "shapes");
    context_close_list(out, "sizes");
    context_close_list(out, "rows");
    context_put(out, "overall", "%s", "");
    if (count)
        context_put(out, "overall", "The geometric mean of the speedups over %d op x dtype is %.2fx.", count,
                    exp(logs / count));
}

json_t *summary_context(const report_model *model, const report_summary *summary, const json_t *files,
                        const char *roofline, const char *speedup, const char *no_plots)
{
    json_t *out = json_object();
    context_identity(model, out);
    put_success(summary, out);
    put_rows(model, out);
    put_failures(model, out);
    context_flags(model, -1, out);
    for (int u = 0; u < model->unreadable.count; u++) {
        char reason[600];
        text_markdown(reason, sizeof reason, model->unreadable.items[u].reason, 0);
        json_t *line = context_add(out, "unreadable");
        context_put(line, "file", "%s", model->unreadable.items[u].file);
        context_put(line, "reason", "%s", reason);
    }
    context_close_list(out, "unreadable");
    json_object_set(out, "files", (json_t *)files);
    context_put(out, "roofline_plot", "%s", roofline);
    context_put(out, "speedup_plot", "%s", speedup);
    context_put(out, "no_plots", "%s", no_plots);
    return out;
}

/* The summary of all ops: best kernels, speedups, failures. The Markdown and the JSON say the same. */
#include "report/report_summary.h"
#include "core/json_file.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

/* Speedups of the best kernel size by size against the fastest peer there. */
typedef struct size_speedups {
    const report_entry *peer[OPSPEC_MAX_SIZES]; /* NULL: none */
    double ratio[OPSPEC_MAX_SIZES];
    double mean;
    int count;
} size_speedups;

static void get_speedups(const report_model *model, const report_rows *rows, size_speedups *out)
{
    const report_row *best = &rows->row[rows->best];
    double sum = 0;
    *out = (size_speedups){.mean = NAN};
    for (int s = 0; s < rows->sizes; s++) {
        out->ratio[s] = NAN;
        if (!report_has_time(best->entries[s], rows->figure) ||
            !(out->peer[s] = report_fastest_peer(model, best->entries[s], rows->figure)))
            continue;
        out->ratio[s] =
            out->peer[s]->figures[rows->figure].mean_us / best->entries[s]->figures[rows->figure].mean_us;
        sum += out->ratio[s];
        out->count++;
    }
    if (out->count)
        out->mean = sum / out->count;
}

/* Percent of what the intensity of the best kernel's largest size allows; NAN if unknown. */
static double roof_percent(const report_rows *rows)
{
    for (int s = rows->sizes - 1; s >= 0; s--) {
        const report_entry *entry = rows->row[rows->best].entries[s];
        if (!report_has_time(entry, REPORT_COLD))
            continue;
        return entry->figures[REPORT_COLD].percent_of_roof;
    }
    return NAN;
}

static int has_results(const report_model *model, int op, int dtype)
{
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].op == op && model->entries[i].dtype == dtype && model->entries[i].result)
            return 1;
    return 0;
}

static json_t *best_json(const report_model *model, const report_rows *rows)
{
    const opspec *spec = spec_of(model, rows->op);
    const int success = report_rows_success(rows);
    json_t *out = json_object(), *sizes = json_object();
    json_object_set_new(out, "op", json_string(spec->name));
    json_object_set_new(out, "dtype", json_string(report_dtype_name(spec, rows->dtype)));
    json_object_set_new(out, "success", success < 0 ? json_null() : json_boolean(success));
    json_object_set_new(out, "sizes", sizes);
    if (rows->best < 0) {
        json_object_set_new(out, "kernel", json_null());
        return out;
    }
    const report_row *best = &rows->row[rows->best];
    size_speedups speedups;
    get_speedups(model, rows, &speedups);
    json_object_set_new(out, "kernel", json_string(best->name));
    json_object_set_new(out, "math_mode", json_string(best->math_mode));
    json_object_set_new(out, "final_us", json_number(best->final_us));
    json_object_set_new(out, "peer",
                        best->best_peer ? json_string(report_display_name(best->best_peer)) : json_null());
    json_object_set_new(out, "speedup", json_number(best->speedup));
    if (!isfinite(best->speedup) && best->refused)
        json_object_set_new(out, "no_speedup", json_string(text_other_method()));
    json_object_set_new(out, "mean_speedup", json_number(speedups.mean));
    json_object_set_new(out, "geomean_speedup", json_number(best->geomean));
    json_object_set_new(out, "percent_of_roof", json_number(roof_percent(rows)));
    json_object_set_new(out, "above_roof", json_boolean(best->flagged));
    for (int s = 0; s < rows->sizes; s++) {
        if (!report_has_time(best->entries[s], rows->figure))
            continue;
        json_t *size = json_object();
        json_object_set_new(sizes, spec->sizes[s].name, size);
        json_object_set_new(size, "mean_us", json_number(best->entries[s]->figures[rows->figure].mean_us));
        json_object_set_new(size, "peer",
                            speedups.peer[s] ? json_string(report_display_name(speedups.peer[s]->name))
                                             : json_null());
        json_object_set_new(size, "speedup", json_number(speedups.ratio[s]));
        if (!speedups.peer[s] && report_has_other_peer(model, best->entries[s], rows->figure))
            json_object_set_new(size, "no_speedup", json_string(text_other_method()));
        if (spec->sizes[s].source[0] != '\0')
            json_object_set_new(size, "source", json_string(spec->sizes[s].source));
    }
    return out;
}

static json_t *case_json(const report_model *model, const report_entry *entry)
{
    static const char *const kinds[] = {"variant", "peer", "bound"};
    char name[256];
    text_case(name, sizeof name, model, entry);
    json_t *out = json_object(), *times = json_object();
    json_object_set_new(out, "case", json_string(name));
    json_object_set_new(out, "kind", json_string(kinds[entry->kind]));
    json_object_set_new(out, "state", json_string(text_state(entry->state)));
    json_object_set_new(out, "reason", json_string(entry->reason));
    json_object_set_new(out, "verdict",
                        entry->verdict ? json_string(json_get_text(entry->verdict, "status", ""))
                                       : json_null());
    for (int f = 0; f < REPORT_FIGURES; f++)
        if (report_has_time(entry, f)) {
            json_t *figure = json_object();
            json_object_set_new(figure, "mean_us", json_number(entry->figures[f].mean_us));
            json_object_set_new(figure, "median_us", json_number(entry->figures[f].median_us));
            json_object_set_new(figure, "percent_of_roof", json_number(entry->figures[f].percent_of_roof));
            json_object_set_new(figure, "above_roof", json_boolean(entry->figures[f].above_roof));
            json_object_set_new(times, report_figure_name(f), figure);
        }
    json_object_set_new(out, "figures", times);
    if (entry->floor_shift_us != 0.0)
        json_object_set_new(out, "floor_shift_us", json_number(entry->floor_shift_us));
    return out;
}

static void count_cases(const report_model *model, report_summary *summary)
{
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->kind != REPORT_VARIANT || entry->state == STATE_REMOVED)
            continue;
        const char *verdict = json_get_text(entry->verdict, "status", "");
        summary->timed += report_has_time(entry, REPORT_COLD);
        summary->verified += strcmp(verdict, "pass") == 0;
        summary->failed += *verdict && strcmp(verdict, "pass") != 0 && strcmp(verdict, "skipped") != 0;
    }
    summary->unreadable_count = model->unreadable_count;
}

void summary_collect(const report_model *model, report_summary *summary)
{
    json_t *root = json_object(), *best = json_array(), *cases = json_array(), *unreadable = json_array();
    count_cases(model, summary);
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < spec_of(model, o)->dtype_count; d++) {
            report_rows rows;
            if (!has_results(model, o, d))
                continue;
            report_rows_build(model, o, d, REPORT_COLD, &rows);
            const int success = report_rows_success(&rows);
            summary->judged += success >= 0;
            summary->wins += success == 1;
            json_array_append_new(best, best_json(model, &rows));
        }
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].verdict || model->entries[i].result)
            json_array_append_new(cases, case_json(model, &model->entries[i]));
    for (int i = 0; i < model->unreadable_count; i++)
        json_array_append_new(unreadable, json_pack("{s:s,s:s}", "file", model->unreadable[i].file, "reason",
                                                    model->unreadable[i].reason));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "device",
                        json_pack("{s:s,s:s,s:s}", "kind", model->cpu ? "cpu" : "cuda", "name", model->device,
                                  "slug", model->slug));
    json_object_set_new(root, "time", json_string(model->time));
    json_object_set_new(root, "git", json_pack("{s:s,s:b}", "commit", model->commit, "dirty", model->dirty));
    json_object_set_new(root, "success",
                        json_pack("{s:i,s:i}", "wins", summary->wins, "judged", summary->judged));
    json_object_set_new(root, "best", best);
    json_object_set_new(root, "cases", cases);
    json_object_set_new(root, "unreadable", unreadable);
    json_decref(summary->json);
    summary->json = root;
}

/* Columns of the table: every size name that any best kernel was timed at, in the ops' order. Shapes from the real world, which say
 * where they come from, have a table of their own: each is one op's, and the columns would be more than a page holds. */
static int size_columns(const report_model *model, const json_t *best,
                        const char *names[2 * OPSPEC_MAX_SIZES])
{
    int count = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int s = 0; s < spec_of(model, o)->size_count; s++) {
            const char *name = spec_of(model, o)->sizes[s].name;
            int known = spec_of(model, o)->sizes[s].source[0] != '\0', used = 0;
            size_t i;
            json_t *item;
            for (int k = 0; k < count; k++)
                known |= strcmp(names[k], name) == 0;
            json_array_foreach(best, i, item) used |=
                json_object_get(json_object_get(item, "sizes"), name) != NULL;
            if (!known && used && count < 2 * OPSPEC_MAX_SIZES)
                names[count++] = name;
        }
    return count;
}

static void put_ratio(json_t *object, const char *key, const json_t *from, const char *from_key)
{
    char text[32];
    text_ratio(text, sizeof text, json_get_number(from, from_key, NAN));
    context_put(object, key, "%s", text);
}

/* The speedup of a kernel or of one of its sizes, or why there is none; behind it the peer, if there is one. */
static void put_speedup(json_t *object, const char *key, const json_t *from, const char *peer)
{
    char text[32];
    text_ratio(text, sizeof text, json_get_number(from, "speedup", NAN));
    context_put(object, key, "%s%s%s", json_get_text(from, "no_speedup", text), *peer ? " " : "", peer);
}

static void put_best(const json_t *best, const char *const *names, int count, json_t *out)
{
    json_t *row = context_add(out, "rows");
    char text[64];
    const char *op = json_get_text(best, "op", ""), *kernel = json_get_text(best, "kernel", "");
    const json_t *success = json_object_get(best, "success");
    const double roof = json_get_number(best, "percent_of_roof", NAN);
    context_put(row, "op", "%s", op);
    context_put(row, "log", "%s_log.md", op);
    context_put(row, "dtype", "%s%s", json_get_text(best, "dtype", ""),
                strcmp(json_get_text(best, "math_mode", ""), "tf32") == 0 ? " (tf32)" : "");
    context_put(row, "kernel", "%s", *kernel ? kernel : "none was timed");
    text_us(text, sizeof text, json_get_number(best, "final_us", NAN));
    context_put(row, "final", "%s", text);
    context_put(row, "peer", "%s", json_get_text(best, "peer", "-"));
    put_speedup(row, "speedup", best, "");
    put_ratio(row, "mean", best, "mean_speedup");
    put_ratio(row, "geomean", best, "geomean_speedup");
    if (isfinite(roof))
        context_put(row, "roof", "%.0f%%", roof);
    else
        context_put(row, "roof", "-");
    context_put(row, "success", "%s",
                json_is_null(success)   ? "not judged"
                : json_is_true(success) ? "yes"
                                        : "no");
    for (int k = 0; k < count; k++) {
        const json_t *size = json_object_get(json_object_get(best, "sizes"), names[k]);
        put_speedup(context_add(row, "cells"), "text", size, json_get_text(size, "peer", ""));
    }
    context_close_list(row, "cells");
}

/* The best kernel's speedup at each size that has a source. */
static void put_named(const json_t *best, json_t *out)
{
    const char *name;
    json_t *size;
    json_object_foreach(json_object_get(best, "sizes"), name, size)
    {
        const char *source = json_get_text(size, "source", "");
        char text[64];
        if (source[0] == '\0')
            continue;
        json_t *row = context_add(out, "named");
        context_put(row, "op", "%s", json_get_text(best, "op", ""));
        context_put(row, "log", "%s_log.md", json_get_text(best, "op", ""));
        context_put(row, "dtype", "%s", json_get_text(best, "dtype", ""));
        context_put(row, "size", "%s", name);
        context_put(row, "source", "%s", source);
        context_put(row, "kernel", "%s", json_get_text(best, "kernel", ""));
        text_us(text, sizeof text, json_get_number(size, "mean_us", NAN));
        context_put(row, "time", "%s", text);
        context_put(row, "peer", "%s", json_get_text(size, "peer", "-"));
        put_speedup(row, "speedup", size, "");
    }
}

/* Cases that should have a time and have none. Those that were verified and never asked to be timed are no failures: their number is
 * said. */
static void put_failures(const report_model *model, json_t *out)
{
    int untimed = 0;
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        char name[256], reason[400];
        if (entry->state == STATE_MISSING || entry->state == STATE_TIMED || entry->state == STATE_UNSTABLE)
            continue;
        if (!entry->result && entry->state != STATE_REMOVED &&
            strcmp(json_get_text(entry->verdict, "status", ""), "pass") == 0) {
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

/* Mean and geometric mean of the speedups over all op x dtype. */
static void put_overall(const json_t *best, json_t *out)
{
    double sum = 0, logs = 0;
    int count = 0;
    size_t i;
    json_t *item;
    json_array_foreach(best, i, item)
    {
        const double ratio = json_get_number(item, "speedup", NAN);
        if (!isfinite(ratio))
            continue;
        sum += ratio;
        logs += log(ratio);
        count++;
    }
    if (count)
        context_put(out, "overall", "Over %d op x dtype: mean speedup %.2fx, geometric mean %.2fx.", count,
                    sum / count, exp(logs / count));
    else
        context_put(out, "overall", "No best kernel has a peer to be compared with.");
}

json_t *summary_context(const report_model *model, const report_summary *summary, const json_t *files,
                        const char *roofline, const char *speedup, const char *no_plots)
{
    json_t *out = json_object(), *best = json_object_get(summary->json, "best"), *item;
    const char *names[2 * OPSPEC_MAX_SIZES];
    const int columns = size_columns(model, best, names);
    size_t i;
    context_identity(model, out);
    if (summary->judged)
        context_put(out, "success",
                    "**%d of %d** best kernels are at 1.00x or more of their best peer (%.0f%%). Cases: %d "
                    "verified, %d failed, %d timed.",
                    summary->wins, summary->judged, 100.0 * summary->wins / summary->judged,
                    summary->verified, summary->failed, summary->timed);
    else
        context_put(out, "success",
                    "No best kernel has a peer to be judged by. Cases: %d verified, %d failed, %d timed.",
                    summary->verified, summary->failed, summary->timed);
    for (int k = 0; k < columns; k++)
        context_put(context_add(out, "sizes"), "name", "%s", names[k]);
    json_array_foreach(best, i, item) put_best(item, names, columns, out);
    json_array_foreach(best, i, item) put_named(item, out);
    context_close_list(out, "named");
    context_close_list(out, "sizes");
    context_close_list(out, "rows");
    put_overall(best, out);
    put_failures(model, out);
    context_flags(model, -1, out);
    for (int u = 0; u < model->unreadable_count; u++) {
        char reason[600];
        text_markdown(reason, sizeof reason, model->unreadable[u].reason, 0);
        json_t *line = context_add(out, "unreadable");
        context_put(line, "file", "%s", model->unreadable[u].file);
        context_put(line, "reason", "%s", reason);
    }
    context_close_list(out, "unreadable");
    json_object_set(out, "files", (json_t *)files);
    context_put(out, "roofline_plot", "%s", roofline);
    context_put(out, "speedup_plot", "%s", speedup);
    context_put(out, "no_plots", "%s", no_plots);
    return out;
}

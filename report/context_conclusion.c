/* The result section and the checklist of an op's log: the chosen kernel of each dtype and what its times
 * say about it. */
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

static const char *size_name(const report_model *model, const report_entry *entry)
{
    return report_size_name(spec_of(model, entry->op), entry->size);
}

/* Of the sizes at which a row has a time, the one that moves the most bytes; NULL for none. */
static const report_entry *largest_timed(const report_rows *rows, const report_row *row)
{
    const report_entry *largest = NULL;
    for (int s = 0; s < rows->sizes; s++)
        if (report_has_time(row->entries[s], rows->mode) &&
            (!largest || row->entries[s]->result->bytes > largest->result->bytes))
            largest = row->entries[s];
    return largest;
}

static void say(json_t *lines, text_buffer *line)
{
    if (line->length)
        json_array_append_new(lines, json_string(text_get(line)));
    text_release(line);
}

static void say_time(const report_model *model, const report_rows *rows, json_t *lines)
{
    const report_row *best = &rows->row[rows->best];
    char final[32];
    text_buffer line = {0};
    text_us(final, sizeof final, best->final_us);
    if (best->timed == 1)
        text_printf(&line, "It takes %s us at %s.", final, size_name(model, largest_timed(rows, best)));
    else
        text_printf(&line, "Its mean time over %d sizes is %s us.", best->timed, final);
    if (best->timed < rows->measured_count)
        text_printf(&line, " %d of %d sizes have no time.", rows->measured_count - best->timed,
                    rows->measured_count);
    if (model->cpu)
        text_puts(&line, " This is a CPU SIMT device timing, never comparable with a GPU.");
    say(lines, &line);
}

/* "`torch_compile` at small and medium, `cub` at large": the best baseline at each size, in the order of
 * first use. */
static void name_baselines(const report_model *model, const report_rows *rows, text_buffer *line)
{
    const report_row *best = &rows->row[rows->best];
    const report_entry *at[OPSPEC_MAX_SIZES] = {NULL};
    int said = 0;
    for (int s = 0; s < rows->sizes; s++)
        if (report_has_time(best->entries[s], rows->mode))
            at[s] = report_best_baseline(rows, best->entries[s]);
    for (int s = 0; s < rows->sizes; s++) {
        int known = !at[s], uses = 0;
        for (int k = 0; k < s && !known; k++)
            known = at[k] && strcmp(at[k]->name, at[s]->name) == 0;
        if (known)
            continue;
        text_printf(line, "%s`%s`", said++ ? ", " : "", at[s]->name);
        for (int k = s; k < rows->sizes; k++)
            if (at[k] && strcmp(at[k]->name, at[s]->name) == 0)
                text_printf(line, "%s%s", uses++ ? ", " : " at ", size_name(model, at[k]));
    }
}

/* Why the outcome is what it is. */
static void say_outcome(const report_model *model, const report_rows *rows, json_t *lines)
{
    const report_row *best = &rows->row[rows->best];
    const report_outcome outcome = report_rows_outcome(rows);
    char ratio[32], geomean[32];
    text_buffer line = {0};
    if (outcome == REPORT_NOT_JUDGED) {
        text_puts(&line, "No baseline with its math mode has a time, so there is no speedup to state.");
        say(lines, &line);
        return;
    }
    text_ratio(ratio, sizeof ratio, best->speedup);
    text_ratio(geomean, sizeof geomean, best->geomean);
    text_printf(&line, "Its speedup over the best baseline at each size is %s (geometric mean %s): **%s**.",
                ratio, geomean, report_outcome_name(outcome));
    if (outcome == REPORT_TIE)
        text_puts(&line, " The 95% intervals overlap, so the times cannot be told apart.");
    if (outcome == REPORT_INCOMPLETE && best->flagged)
        text_puts(&line, " A time lies above its roofline bound, which is a measuring error.");
    else if (outcome == REPORT_INCOMPLETE && best->unstable)
        text_puts(&line, " A time is unstable.");
    else if (outcome == REPORT_INCOMPLETE)
        text_puts(&line, " Some size lacks the kernel's time or a baseline's.");
    text_puts(&line, " The best baselines: ");
    name_baselines(model, rows, &line);
    text_puts(&line, ".");
    say(lines, &line);
}

static void say_roofline(const report_model *model, const report_entry *entry, json_t *lines)
{
    const result *r = entry->result;
    const report_times *cold = &entry->times[TIMING_COLD];
    const char *unit = "", *memory = "";
    const double intensity = r->flops / r->bytes, bandwidth = report_bandwidth(model, &memory);
    const double compute = report_compute_bound(model, entry->op, entry->dtype, report_is_tf32(entry), &unit);
    const double ridge = compute / bandwidth * 1e3;
    text_buffer line = {0};
    if (!isfinite(intensity) || !isfinite(cold->percent_of_roofline)) {
        text_puts(&line, "Its share of the roofline bound is unknown: no ceilings were measured.");
        say(lines, &line);
        return;
    }
    const int memory_bound = intensity < ridge || !isfinite(ridge);
    char reached[48], at[32], corner[32];
    if (memory_bound)
        text_scaled(reached, sizeof reached, r->bytes / cold->mean_us * 1e6, "B/s");
    else
        text_scaled(reached, sizeof reached, r->flops / cold->mean_us * 1e6, "FLOP/s");
    text_intensity(at, sizeof at, intensity);
    text_intensity(corner, sizeof corner, ridge);
    text_printf(&line, "At %s it is %s: its intensity is %s FLOP/byte", size_name(model, entry),
                memory_bound ? "memory-bound" : "compute-bound", at);
    if (isfinite(ridge))
        text_printf(&line, ", and the ridge point lies at %s (%s %.3g TFLOP/s over %s %.4g GB/s)", corner,
                    unit, compute, memory, bandwidth);
    text_printf(&line, ". It reaches %s, which is %.0f%% of the roofline bound.", reached,
                cold->percent_of_roofline);
    say(lines, &line);
}

/* Sizes within twice the launch overhead. */
static void say_launch(const report_model *model, const report_rows *rows, json_t *lines)
{
    const report_row *best = &rows->row[rows->best];
    double highest = 0;
    int count = 0;
    text_buffer line = {0};
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = best->entries[s];
        if (!report_has_time(entry, TIMING_COLD) ||
            !(entry->times[TIMING_COLD].mean_us <= 2 * entry->result->overhead_us[TIMING_COLD]))
            continue;
        char mean[32];
        text_us(mean, sizeof mean, entry->times[TIMING_COLD].mean_us);
        text_printf(&line, "%s%s (%s us)", count++ ? ", " : "Launch overhead dominates at ",
                    size_name(model, entry), mean);
        highest = fmax(highest, entry->result->overhead_us[TIMING_COLD]);
    }
    char overhead[32];
    text_us(overhead, sizeof overhead, highest);
    if (count)
        text_printf(&line, ": an empty kernel takes %s us.", overhead);
    say(lines, &line);
}

static double gain_of(const report_row *row, const report_entry *base)
{
    const report_entry *entry = row->entries[base->size];
    return report_has_time(entry, TIMING_COLD)
               ? base->times[TIMING_COLD].mean_us / entry->times[TIMING_COLD].mean_us
               : NAN;
}

/* What each step gains over the first kernel, at the largest size that the first was timed at. */
static void say_ladder(const report_model *model, const report_rows *rows, json_t *lines)
{
    const report_row *first = &rows->row[0];
    const report_entry *base = first->kind == RESULT_VARIANT ? largest_timed(rows, first) : NULL;
    text_buffer line = {0};
    for (int i = 1; base && i < rows->count && rows->row[i].kind == RESULT_VARIANT; i++) {
        const double gain = gain_of(&rows->row[i], base);
        char shown[32];
        if (!isfinite(gain))
            continue;
        text_ratio(shown, sizeof shown, gain);
        if (line.length)
            text_printf(&line, ", `%s` %s", rows->row[i].name, shown);
        else
            text_printf(&line, "Speedups over `%s` at %s: `%s` %s", first->name, size_name(model, base),
                        rows->row[i].name, shown);
    }
    if (line.length)
        text_puts(&line, ".");
    say(lines, &line);
}

static void say_nothing_timed(const report_rows *rows, json_t *lines)
{
    text_buffer line = {0};
    text_puts(&line, "No kernel has a time:");
    for (int i = 0; i < rows->count && rows->row[i].kind == RESULT_VARIANT; i++)
        for (int s = 0; s < rows->sizes; s++) {
            if (!rows->measured[s] || !rows->row[i].entries[s])
                continue;
            text_printf(&line, "%s `%s` %s", i ? "," : "", rows->row[i].name,
                        text_state(rows->row[i].entries[s]->state));
            break;
        }
    text_puts(&line, ".");
    say(lines, &line);
}

static void context_conclusion(const report_model *model, int op, json_t *out)
{
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++) {
        report_rows rows;
        report_rows_build(model, op, d, TIMING_COLD, &rows);
        if (rows.measured_count == 0)
            continue;
        json_t *item = context_add(out, "conclusions"), *lines = json_array();
        context_put(item, "dtype", "%s", report_dtype_name(spec_of(model, op), d));
        context_put(item, "kernel", "%s", rows.best >= 0 ? rows.row[rows.best].name : "none");
        json_object_set_new(item, "lines", lines);
        if (rows.best < 0) {
            say_nothing_timed(&rows, lines);
            continue;
        }
        say_time(model, &rows, lines);
        say_outcome(model, &rows, lines);
        say_roofline(model, largest_timed(&rows, &rows.row[rows.best]), lines);
        say_launch(model, &rows, lines);
        say_ladder(model, &rows, lines);
    }
    context_close_list(out, "conclusions");
}

static void tick(json_t *out, int done, const char *text)
{
    json_t *item = context_add(out, "checklist");
    context_put(item, "mark", "%s", done ? "x" : " ");
    context_put(item, "text", "%s", text);
}

/* What the checklist counts. */
typedef struct op_counts {
    int cases, built, compiled, verdicts, passed, timed, baselines,
        costs;              /* of kernels' cases; baselines' with a time */
    int judged, wins, ties; /* dtypes */
} op_counts;

static op_counts count_op(const report_model *model, int op)
{
    op_counts c = {0};
    int first, end;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        const int sized = entry->size < spec_of(model, op)->size_count;
        c.costs |= entry->result && entry->result->bytes > 0;
        c.baselines += entry->kind == RESULT_BASELINE && report_has_time(entry, TIMING_COLD);
        if (entry->kind != RESULT_VARIANT || entry->state == STATE_REMOVED)
            continue;
        c.cases += sized;
        c.built += sized && entry->state != STATE_MISSING;
        c.compiled += sized && entry->state != STATE_NOT_COMPILED && entry->state != STATE_MISSING;
        c.verdicts += entry->verdict != NULL;
        c.passed += verdict_record_is(entry->verdict, "pass");
        c.timed += report_has_time(entry, TIMING_COLD);
    }
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++) {
        report_rows rows;
        report_rows_build(model, op, d, TIMING_COLD, &rows);
        const report_outcome outcome = report_rows_outcome(&rows);
        c.judged += outcome != REPORT_NOT_JUDGED;
        c.wins += outcome == REPORT_WIN;
        c.ties += outcome == REPORT_TIE;
    }
    return c;
}

static void context_checklist(const report_model *model, int op, json_t *out)
{
    const op_counts c = count_op(model, op);
    char text[256];
    tick(out, c.costs, "The op is defined, and the cost of its sizes is known");
    snprintf(text, sizeof text, "Every kernel that was run compiles (%d of %d cases)", c.compiled, c.built);
    tick(out, c.built && c.compiled == c.built, text);
    snprintf(text, sizeof text, "Every verdict is a pass (%d of %d)", c.passed, c.verdicts);
    tick(out, c.verdicts && c.passed == c.verdicts, text);
    snprintf(text, sizeof text, "Every case is timed (%d of %d)", c.timed, c.cases);
    tick(out, c.cases && c.timed == c.cases, text);
    snprintf(text, sizeof text, "Baselines are timed (%d %s)", c.baselines,
             c.baselines == 1 ? "case" : "cases");
    tick(out, c.baselines > 0, text);
    tick(out, model->ceiling_count > 0, "The roofline's ceilings are measured");
    snprintf(text, sizeof text,
             "The best kernel wins or ties with the best baseline (%d of %d dtypes; wins: %d, ties: %d)",
             c.wins + c.ties, c.judged, c.wins, c.ties);
    tick(out, c.judged && c.wins + c.ties == c.judged, text);
    context_close_list(out, "checklist");
}

json_t *context_op_log(const report_model *model, int op, const char *roofline)
{
    json_t *out = json_object();
    context_identity(model, out);
    context_analysis(model, op, out);
    context_kernels(model, op, out);
    context_correctness(model, op, out);
    context_benchmark(model, op, out);
    context_environment(model, op, out);
    context_conclusion(model, op, out);
    context_checklist(model, op, out);
    context_put(out, "roofline", "%s", roofline);
    return out;
}

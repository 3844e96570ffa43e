/* Phase 4 and the checklist of an op's log: the chosen kernel of each dtype and what the figures say about it. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

/* The largest size at which a row has a time, or NULL. */
static const report_entry *largest_timed(const report_rows *rows, const report_row *row)
{
    for (int s = rows->sizes - 1; s >= 0; s--)
        if (report_has_time(row->entries[s], rows->figure))
            return row->entries[s];
    return NULL;
}

static void say_choice(const report_model *model, const report_rows *rows, text_buffer *text)
{
    const report_row *best = &rows->row[rows->best];
    char final[32], ratio[32], geomean[32];
    text_us(final, sizeof final, best->final_us);
    text_ratio(ratio, sizeof ratio, best->speedup);
    text_ratio(geomean, sizeof geomean, best->geomean);
    text_printf(text, "Chosen: `%s`, Final %s us", best->name, final);
    if (best->timed < rows->played_count)
        text_printf(text, " over %d of %d sizes", best->timed, rows->played_count);
    if (best->counted < best->timed)
        text_printf(text, ", with %d size%s timed by another method", best->timed - best->counted,
                    best->timed - best->counted > 1 ? "s" : "");
    if (!best->best_peer && best->refused)
        text_puts(text, "; its peers were timed by another method, so there is no speedup to state.");
    else if (!best->best_peer)
        text_puts(text, "; no peer with its math mode was timed, so there is no speedup to state.");
    else {
        text_printf(text,
                    ", a speedup of %s over the best peer, `%s` (geometric mean over the sizes, against the "
                    "fastest at each: %s): %s.",
                    ratio, report_display_name(best->best_peer), geomean,
                    report_rows_success(rows) == 1 ? "a success" : "not a success");
        if (best->refused)
            text_puts(text, " Times of peers by another method are left out of this.");
        if (best->flagged)
            text_puts(text, " One of its figures lies above its roof, so none of this can be trusted.");
    }
    if (model->cpu)
        text_puts(text, " These are CPU SIMT device timings, never comparable with a GPU.");
}

static void say_roofline(const report_model *model, const report_entry *entry, text_buffer *text)
{
    const char *size = spec_of(model, entry->op)->sizes[entry->size].name, *roof_name = "", *bandwidth_name;
    const report_figure *cold = &entry->figures[REPORT_COLD];
    const double intensity = entry->flops / entry->bytes,
                 bandwidth = report_bandwidth(model, &bandwidth_name);
    const double compute =
        report_compute_roof(model, entry->op, entry->dtype, report_is_tf32(entry), &roof_name);
    if (!isfinite(intensity) || !isfinite(cold->percent_of_roof) || !isfinite(bandwidth)) {
        text_puts(text, " Its place under the roofline is unknown: no ceilings were measured.");
        return;
    }
    const double ridge = compute / bandwidth * 1e3;
    const int memory_bound = intensity < ridge || !isfinite(ridge);
    char reached[48], at[32], corner[32];
    if (memory_bound)
        text_scaled(reached, sizeof reached, entry->bytes / cold->mean_us * 1e6, "B/s");
    else
        text_scaled(reached, sizeof reached, entry->flops / cold->mean_us * 1e6, "FLOP/s");
    text_intensity(at, sizeof at, intensity);
    text_intensity(corner, sizeof corner, ridge);
    text_printf(text, " At %s it is %s: its intensity of %s FLOP/byte lies %s the ridge", size,
                memory_bound ? "memory-bound" : "compute-bound", at, memory_bound ? "below" : "above");
    if (isfinite(ridge))
        text_printf(text, " at %s (%s %.3g TFLOP/s over %s %.4g GB/s)", corner, roof_name, compute,
                    bandwidth_name, bandwidth);
    text_printf(text, "; it reaches %s, %.0f%% of its roof.", reached, cold->percent_of_roof);
}

/* Sizes within twice the floor of the method. */
static void say_launch(const report_model *model, const report_rows *rows, const report_row *best,
                       text_buffer *text)
{
    double highest = 0;
    int count = 0;
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = best->entries[s];
        if (!report_has_time(entry, REPORT_COLD) ||
            !(entry->figures[REPORT_COLD].mean_us <= 2 * entry->floor_cold_us))
            continue;
        char mean[32];
        text_us(mean, sizeof mean, entry->figures[REPORT_COLD].mean_us);
        text_printf(text, "%s%s (%s us)", count++ ? ", " : " Launch-bound, within twice the floor: ",
                    spec_of(model, rows->op)->sizes[s].name, mean);
        highest = fmax(highest, entry->floor_cold_us);
    }
    char floor[32];
    text_us(floor, sizeof floor, highest);
    if (count)
        text_printf(text, "; an empty kernel takes %s us.", floor);
}

/* What a kernel of the ladder gains over the first at one size; NAN without both times by one method. */
static double gain_of(const report_row *row, const report_entry *base)
{
    const report_entry *entry = row->entries[base->size];
    return report_has_time(entry, REPORT_COLD) && report_same_method(entry, base, REPORT_COLD)
               ? base->figures[REPORT_COLD].mean_us / entry->figures[REPORT_COLD].mean_us
               : NAN;
}

/* What the steps bought over the first kernel, at the largest size that it was timed at. The last step unites the others, so the
 * best of those is named too. */
static void say_ladder(const report_model *model, const report_rows *rows, text_buffer *text)
{
    const report_row *first = &rows->row[0];
    const report_entry *base = first->kind == REPORT_VARIANT ? largest_timed(rows, first) : NULL;
    int steps = 0, winner = 0, single = 0;
    if (!base)
        return;
    while (steps + 1 < rows->count && rows->row[steps + 1].kind == REPORT_VARIANT)
        steps++;
    for (int i = 1; i <= steps; i++) {
        const double gain = gain_of(&rows->row[i], base);
        char shown[32];
        if (!isfinite(gain))
            continue;
        text_ratio(shown, sizeof shown, gain);
        if (winner)
            text_printf(text, ", `%s` %s", rows->row[i].name, shown);
        else
            text_printf(text, " Over `%s` at %s: `%s` %s", first->name,
                        spec_of(model, rows->op)->sizes[base->size].name, rows->row[i].name, shown);
        if (!winner || gain > gain_of(&rows->row[winner], base))
            winner = i;
        if (i < steps && (!single || gain > gain_of(&rows->row[single], base)))
            single = i;
    }
    if (!winner)
        return;
    if (gain_of(&rows->row[winner], base) < 1.005)
        text_puts(text, "; no step bought anything there.");
    else if (winner == steps && single && gain_of(&rows->row[single], base) > 1.005)
        text_printf(text, "; the last step is the fastest, and of those before it `%s` bought the most.",
                    rows->row[single].name);
    else
        text_printf(text, "; `%s` bought the most.", rows->row[winner].name);
}

/* Kernels that the ladder is silent about though they have a time there. */
static void say_left_out(const report_rows *rows, text_buffer *text)
{
    const report_row *first = &rows->row[0];
    const report_entry *base = first->kind == REPORT_VARIANT ? largest_timed(rows, first) : NULL;
    int count = 0;
    for (int i = 1; base && i < rows->count && rows->row[i].kind == REPORT_VARIANT; i++) {
        const report_entry *entry = rows->row[i].entries[base->size];
        if (report_has_time(entry, REPORT_COLD) && !report_same_method(entry, base, REPORT_COLD))
            text_printf(text, "%s `%s`",
                        count++ ? ","
                                : " Timed by another method than the first kernel, so not compared with it:",
                        rows->row[i].name);
    }
    text_puts(text, count ? "." : "");
}

static void say_nothing_timed(const report_rows *rows, text_buffer *text)
{
    if (rows->played_count == 0) {
        text_puts(text, "Not run.");
        return;
    }
    text_puts(text, "No kernel can be chosen, for none has a time:");
    for (int i = 0; i < rows->count && rows->row[i].kind == REPORT_VARIANT; i++)
        for (int s = 0; s < rows->sizes; s++) {
            if (!rows->played[s] || !rows->row[i].entries[s])
                continue;
            text_printf(text, "%s `%s` %s", i ? "," : "", rows->row[i].name,
                        text_state(rows->row[i].entries[s]->state));
            break;
        }
    text_puts(text, ".");
}

void context_conclusion(const report_model *model, int op, json_t *out)
{
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++) {
        report_rows rows;
        text_buffer text = {0};
        report_rows_build(model, op, d, REPORT_COLD, &rows);
        if (rows.best < 0)
            say_nothing_timed(&rows, &text);
        else {
            const report_row *best = &rows.row[rows.best];
            say_choice(model, &rows, &text);
            say_roofline(model, largest_timed(&rows, best), &text);
            say_launch(model, &rows, best, &text);
            say_ladder(model, &rows, &text);
            say_left_out(&rows, &text);
        }
        json_t *item = context_add(out, "conclusions");
        context_put(item, "dtype", "%s", report_dtype_name(spec_of(model, op), d));
        context_put(item, "text", "%s", text_get(&text));
        text_release(&text);
    }
    context_close_list(out, "conclusions");
}

static void tick(json_t *out, int done, const char *text)
{
    json_t *item = context_add(out, "checklist");
    context_put(item, "mark", "%s", done ? "x" : " ");
    context_put(item, "text", "%s", text);
}

void context_checklist(const report_model *model, int op, json_t *out)
{
    int cases = 0, compiled = 0, verdicts = 0, passed = 0, timed = 0, peers = 0, costs = 0;
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->op != op)
            continue;
        costs |= entry->bytes > 0;
        peers += entry->kind == REPORT_PEER && report_has_time(entry, REPORT_COLD);
        if (entry->kind != REPORT_VARIANT || entry->state == STATE_REMOVED)
            continue;
        const int sized = entry->size < spec_of(model, op)->size_count;
        cases += sized;
        compiled += sized && entry->state != STATE_NOT_COMPILED && entry->state != STATE_MISSING;
        verdicts += entry->verdict != NULL;
        passed += strcmp(json_get_text(entry->verdict, "status", ""), "pass") == 0;
        timed += report_has_time(entry, REPORT_COLD);
    }
    int judged = 0, wins = 0;
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++) {
        report_rows rows;
        report_rows_build(model, op, d, REPORT_COLD, &rows);
        const int success = report_rows_success(&rows);
        judged += success >= 0;
        wins += success == 1;
    }
    char text[256];
    tick(out, costs, "Phase 1: the op is defined and the cost of its sizes is known");
    snprintf(text, sizeof text, "Phase 2: every kernel compiles (%d of %d cases)", compiled, cases);
    tick(out, cases && compiled == cases, text);
    snprintf(text, sizeof text, "Phase 3: every verdict is a pass (%d of %d)", passed, verdicts);
    tick(out, verdicts && passed == verdicts, text);
    snprintf(text, sizeof text, "Phase 3: every case is timed (%d of %d)", timed, cases);
    tick(out, cases && timed == cases, text);
    snprintf(text, sizeof text, "Phase 3: peers are timed (%d cases)", peers);
    tick(out, peers > 0, text);
    tick(out, model->ceiling_count > 0, "Phase 4: the roofline's ceilings are measured");
    snprintf(text, sizeof text,
             "Phase 4: the best kernel is at 1.00x or more of the best peer (%d of %d dtypes)", wins, judged);
    tick(out, judged && wins == judged, text);
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

/* The benchmark section of an op's log: tables of times by dtype and timing mode, shares of the roofline
 * bound, and commands. */
#include "report/report_context.h"
#include "report/report_text.h"
#include "results/method.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

static void put_sizes(const report_model *model, const report_rows *rows, json_t *table)
{
    for (int s = 0; s < rows->sizes; s++)
        if (rows->measured[s])
            context_put(context_add(table, "sizes"), "name", "%s", spec_of(model, rows->op)->sizes[s].name);
}

static void put_name(const report_rows *rows, int i, json_t *item)
{
    char label[160];
    text_kernel(label, sizeof label, &rows->row[i]);
    context_put(item, "kernel", rows->best == i ? "**%s**" : "%s", label);
}

/* A number over some of the sizes must say so. */
static void of_sizes(int count, int all, char *out, size_t bytes)
{
    out[0] = '\0';
    if (count > 0 && count < all)
        snprintf(out, bytes, " (%d of %d sizes)", count, all);
}

static void put_row(const report_rows *rows, int i, json_t *table)
{
    const report_row *row = &rows->row[i];
    char text[400], note[64];
    json_t *item = context_add(table, "rows");
    put_name(rows, i, item);
    for (int s = 0; s < rows->sizes; s++) {
        if (!rows->measured[s])
            continue;
        text_cell(text, sizeof text, row->entries[s], rows->mode, 48);
        context_put(context_add(item, "cells"), "text", "%s", text);
    }
    text_us(text, sizeof text, row->final_us);
    of_sizes(row->timed, rows->measured_count, note, sizeof note);
    context_put(item, "final", "%s%s", text, note);
    text_ratio(text, sizeof text, row->speedup);
    of_sizes(row->compared, rows->measured_count, note, sizeof note);
    const int is_variant = row->kind == RESULT_VARIANT;
    context_put(item, "speedup", "%s%s", is_variant ? text : "", is_variant ? note : "");
    text_ratio(text, sizeof text, row->geomean);
    context_put(item, "geomean", "%s", is_variant ? text : "");
}

/* The least overhead of all candidates at a size: they differ by noise. */
static double overhead_at(const report_rows *rows, int size)
{
    double least = NAN;
    for (int i = 0; i < rows->count; i++) {
        const report_entry *entry = rows->row[i].entries[size];
        if (entry && entry->result)
            least = fmin(least, entry->result->overhead_us[rows->mode]); /* fmin ignores a NAN */
    }
    return least;
}

/* What an empty kernel takes by the same mode. */
static void put_overhead(const report_rows *rows, json_t *table)
{
    int known = 0;
    json_t *item = json_object();
    for (int s = 0; s < rows->sizes; s++) {
        char text[64];
        if (!rows->measured[s])
            continue;
        const double us = overhead_at(rows, s);
        known |= isfinite(us);
        text_us(text, sizeof text, us);
        context_put(context_add(item, "cells"), "text", "%s", text);
    }
    context_put(item, "kernel", "empty kernel");
    context_put(item, "final", "%s", "");
    context_put(item, "speedup", "%s", "");
    context_put(item, "geomean", "%s", "");
    if (known && timing_mode_get(rows->mode)->has_overhead)
        json_array_append(json_object_get(table, "rows"), item);
    json_decref(item);
}

/* Which baselines were corrected, and by how much; "" for none. */
static void describe_shifts(const report_rows *rows, char *out, size_t bytes)
{
    double low = INFINITY, high = -INFINITY;
    *out = '\0';
    if (rows->mode != TIMING_COLD && rows->mode != TIMING_COLD_READ)
        return;
    for (int i = 0; i < rows->count; i++)
        for (int s = 0; s < rows->sizes; s++) {
            const report_entry *entry = rows->row[i].entries[s];
            if (!entry || entry->overhead_shift_us == 0.0 || !report_has_time(entry, rows->mode))
                continue;
            low = fmin(low, entry->overhead_shift_us);
            high = fmax(high, entry->overhead_shift_us);
        }
    if (low <= high)
        snprintf(out, bytes,
                 "Some baselines ran in a process where an empty kernel takes another time. Their times are "
                 "overhead-corrected by %+.2f to %+.2f us.",
                 low, high);
}

static void put_table(const report_model *model, const report_rows *rows, json_t *dtype)
{
    const timing_mode_info *mode = timing_mode_get(rows->mode);
    int any = rows->mode == TIMING_COLD && rows->count > 0;
    for (int i = 0; i < rows->count; i++)
        any |= rows->row[i].timed > 0;
    if (!any || rows->measured_count == 0)
        return;
    json_t *table = context_add(dtype, "tables");
    char shifts[256];
    describe_shifts(rows, shifts, sizeof shifts);
    context_put(table, "title", "%s**%s**: %s.%s%s", model->cpu ? "CPU SIMT device, not a GPU. " : "",
                mode->title, mode->answers, *shifts ? " " : "", shifts);
    put_sizes(model, rows, table);
    for (int i = 0; i < rows->count; i++)
        put_row(rows, i, table);
    put_overhead(rows, table);
}

/* "89% of memory, hot 95%, moves 1.02x, memory-bound (DRAM)": the cold time's share of the lower of the two bounds, the hot
 * time's, and what counters saw go to and from memory over the least that the op must move, and what `assay profile` said. */
static void roofline_cell(const report_model *model, const report_entry *entry, char *out, size_t bytes)
{
    snprintf(out, bytes, "-");
    if (!entry || !report_has_time(entry, TIMING_COLD) ||
        !isfinite(entry->times[TIMING_COLD].percent_of_roofline))
        return;
    const result *r = entry->result;
    const double compute = report_compute_bound(model, entry->op, entry->dtype, report_is_tf32(entry), NULL);
    const double memory = report_bandwidth(model, NULL) * 1e-3 * r->flops / r->bytes;
    const double dram = result_fact_number(&r->counters, "dram_bytes", 0);
    size_t n = (size_t)snprintf(out, bytes, "%.0f%% of %s", entry->times[TIMING_COLD].percent_of_roofline,
                                compute < memory ? "arithmetic" : "memory");
    if (report_has_time(entry, TIMING_HOT))
        n += (size_t)snprintf(out + n, bytes - n, ", hot %.0f%%",
                              entry->times[TIMING_HOT].percent_of_roofline);
    if (dram > 0.0)
        n += (size_t)snprintf(out + n, bytes - n, ", moves %.2fx", dram / r->bytes);
    const char *bound = result_fact_text(&r->counters, "bottleneck");
    const char *ncu = result_fact_text(&r->counters, "ncu_verdict");
    if (n < bytes && bound && *bound)
        snprintf(out + n, bytes - n, ", %s%s%s%s", bound, *ncu ? " (" : "", ncu, *ncu ? ")" : "");
}

/* A row a kernel with the shares at all sizes; none where no ceiling was measured. */
static void put_roofline_table(const report_model *model, const report_rows *rows, json_t *dtype)
{
    json_t *table = json_object();
    int known = 0;
    put_sizes(model, rows, table);
    for (int i = 0; i < rows->count; i++) {
        char text[512];
        json_t *item = context_add(table, "rows");
        put_name(rows, i, item);
        for (int s = 0; s < rows->sizes; s++) {
            if (!rows->measured[s])
                continue;
            roofline_cell(model, rows->row[i].entries[s], text, sizeof text);
            known |= strcmp(text, "-") != 0;
            context_put(context_add(item, "cells"), "text", "%s", text);
        }
    }
    json_object_set_new(dtype, "rooflines", json_array());
    if (known)
        json_array_append(json_object_get(dtype, "rooflines"), table);
    json_decref(table);
}

/* 1 if the dtype has any result: only then it has a section. */
static int put_dtype(const report_model *model, int op, int d, json_t *out)
{
    const opspec *spec = spec_of(model, op);
    report_rows rows;
    text_buffer not_run = {0};
    report_rows_build(model, op, d, TIMING_COLD, &rows);
    if (rows.measured_count == 0)
        return 0;
    json_t *dtype = context_add(out, "benchmarks");
    context_put(dtype, "dtype", "%s", report_dtype_name(spec, d));
    put_roofline_table(model, &rows, dtype);
    for (int s = 0; s < spec->size_count; s++)
        if (!rows.measured[s])
            text_printf(&not_run, "%s%s", not_run.length ? ", " : "", spec->sizes[s].name);
    for (int m = 0; m < TIMING_MODES; m++) {
        report_rows_build(model, op, d, (timing_mode)m, &rows);
        put_table(model, &rows, dtype);
    }
    context_close_list(dtype, "tables");
    context_close_list(dtype, "rooflines");
    context_put(dtype, "not_run", "%s", text_get(&not_run));
    text_release(&not_run);
    return 1;
}

static void put_reruns(const report_model *model, int op, json_t *out)
{
    int first, end;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        const char *verify = entry->verdict ? entry->verdict->rerun : "",
                   *bench = entry->result ? entry->result->rerun : "";
        char name[256];
        if (!*verify && !*bench)
            continue;
        text_case(name, sizeof name, model, entry);
        json_t *item = context_add(out, "reruns");
        context_put(item, "case", "%s", name);
        context_put(item, "verify", "%s", verify);
        context_put(item, "bench", "%s", bench);
    }
    context_close_list(out, "reruns");
}

/* All results of a report are of one method, so one speaks for all. */
static void put_method(const report_model *model, int op, json_t *out)
{
    int first, end;
    report_range(model, op, -1, &first, &end);
    context_put(out, "method", "%s", "");
    for (int i = first; i < end; i++) {
        const result *r = model->entries[i].result;
        char words[METHOD_LABEL_BYTES];
        if (!r || !report_has_time(&model->entries[i], TIMING_COLD))
            continue;
        result_method_words(r, TIMING_COLD, words, sizeof words);
        context_put(
            out, "method",
            "Each time is the mean of %d repetitions. A repetition warms up for %.0f ms and takes samples "
            "for %.0f ms. Cold launches: %s.",
            r->method.repetitions, r->method.warmup_ms, r->method.sample_ms, words);
        return;
    }
}

void context_benchmark(const report_model *model, int op, json_t *out)
{
    text_buffer without = {0};
    put_method(model, op, out);
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++)
        if (!put_dtype(model, op, d, out))
            text_printf(&without, "%s%s", without.length ? ", " : "",
                        report_dtype_name(spec_of(model, op), d));
    context_put(out, "not_timed", "%s", text_get(&without));
    text_release(&without);
    context_close_list(out, "benchmarks");
    context_flags(model, op, out);
    put_reruns(model, op, out);
}

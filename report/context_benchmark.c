/* Phase 3, second half: tables of times by dtype and figure, flags and commands. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

static void row_label(const report_row *row, char *out, size_t bytes)
{
    const char *mode = strcmp(row->math_mode, "tf32") == 0 ? " (tf32)" : "";
    if (row->kind == REPORT_VARIANT)
        snprintf(out, bytes, "%s%s", row->name, mode);
    else
        snprintf(out, bytes, "%s: %s%s", row->kind == REPORT_PEER ? "peer" : "bound",
                 report_display_name(row->name), mode);
}

/* A figure over some of the sizes must say so. */
static void of_sizes(int count, int all, char *out, size_t bytes)
{
    out[0] = '\0';
    if (count > 0 && count < all)
        snprintf(out, bytes, " (%d of %d sizes)", count, all);
}

/* " ¹" behind a figure of another method, or nothing. */
static void add_mark(int mark, char *text, size_t bytes)
{
    static const char *const digits[REPORT_MAX_METHODS] = {"¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const size_t used = strlen(text);
    if (mark > 0)
        snprintf(text + used, bytes - used, " %s", digits[mark - 1]);
}

/* What the marks of a table mean; "" where there is none. */
static void put_note(const report_rows *rows, json_t *table)
{
    text_buffer text = {0};
    for (int mark = 1; mark <= rows->other_count; mark++) {
        char sign[16] = "", words[METHOD_LABEL_BYTES];
        add_mark(mark, sign, sizeof sign);
        report_rows_mark_words(rows, mark, words, sizeof words);
        text_printf(&text, "%s%s %s", mark > 1 ? "; " : "", sign + 1, words);
    }
    if (rows->other_count)
        text_puts(&text, ": timed otherwise than figures without a mark, and compared with none of those.");
    context_put(table, "note", "%s", text_get(&text));
    text_release(&text);
}

static void put_row(const report_rows *rows, const report_row *row, json_t *table, int is_best)
{
    char label[160], text[400], note[64];
    json_t *item = context_add(table, "rows");
    row_label(row, label, sizeof label);
    context_put(item, "kernel", is_best ? "**%s**" : "%s", label);
    for (int s = 0; s < rows->sizes; s++) {
        if (!rows->played[s])
            continue;
        text_cell(text, sizeof text, row->entries[s], rows->figure, 48);
        add_mark(report_rows_mark(rows, row->entries[s]), text, sizeof text);
        context_put(context_add(item, "cells"), "text", "%s", text);
    }
    text_us(text, sizeof text, row->final_us);
    of_sizes(row->timed, rows->played_count, note, sizeof note);
    add_mark(report_rows_final_mark(rows, row), note, sizeof note);
    context_put(item, "final", "%s%s", text, note);
    text_speedup(text, sizeof text, row);
    of_sizes(row->compared, rows->played_count, note, sizeof note);
    context_put(item, "speedup", "%s%s", text, row->kind == REPORT_VARIANT ? note : "");
    text_ratio(text, sizeof text, row->geomean);
    context_put(item, "geomean", "%s", row->kind == REPORT_VARIANT ? text : "");
}

/* The floor of a figure at each size, by the method that counts there; results of one size may differ by noise, so the smallest is shown. */
static void put_floor(const report_rows *rows, json_t *table)
{
    if (rows->figure != REPORT_COLD && rows->figure != REPORT_HOT)
        return;
    json_t *cells = json_array();
    int known = 0;
    for (int s = 0; s < rows->sizes; s++) {
        double floor = NAN;
        if (!rows->played[s])
            continue;
        for (int i = 0; i < rows->count; i++) {
            const report_entry *entry = rows->row[i].entries[s];
            const report_entry *lead = rows->lead[s];
            if (entry && lead && !report_same_method(entry, lead, rows->figure))
                continue;
            const double f = !entry                        ? NAN
                             : rows->figure == REPORT_COLD ? entry->floor_cold_us
                                                           : entry->floor_hot_us;
            if (isfinite(f) && !(floor <= f))
                floor = f;
        }
        char text[64];
        text_us(text, sizeof text, floor);
        known |= isfinite(floor);
        json_t *cell = json_object();
        context_put(cell, "text", "%s", text);
        json_array_append_new(cells, cell);
    }
    if (known) {
        json_t *item = context_add(table, "rows");
        context_put(item, "kernel", "floor: empty kernel");
        json_object_set(item, "cells", cells);
        context_put(item, "final", "%s", "");
        context_put(item, "speedup", "%s", "");
        context_put(item, "geomean", "%s", "");
    }
    json_decref(cells);
}

/* "; peers that were timed ... -0.71 to -0.55 us": for the table's title, or "". */
static void describe_shifts(const report_rows *rows, char *out, size_t bytes)
{
    double low = INFINITY, high = -INFINITY;
    *out = '\0';
    if (rows->figure != REPORT_COLD && rows->figure != REPORT_COLD_READ)
        return;
    for (int i = 0; i < rows->count; i++)
        for (int s = 0; s < rows->sizes; s++) {
            const report_entry *entry = rows->row[i].entries[s];
            if (!entry || entry->floor_shift_us == 0.0 || !report_has_time(entry, rows->figure))
                continue;
            low = fmin(low, entry->floor_shift_us);
            high = fmax(high, entry->floor_shift_us);
        }
    if (low <= high)
        snprintf(out, bytes,
                 "; peers in whose process an empty kernel takes another time than in the fastest kernel's "
                 "are moved by the difference, %+.2f to %+.2f us",
                 low, high);
}

static void put_table(const report_model *model, const report_rows *rows, json_t *dtype)
{
    static const char *const titles[REPORT_FIGURES] = {
        "Cold (the last-level cache is flushed before every launch)",
        "Hot (a stream of launches over rotating buffers)",
        "Burst (short samples with pauses, before the power cap acts)",
        "Sustained (after the clock has settled)",
        "Cold after a reading flush (comparable with ncu)",
        "Host (launch to synchronised, by the host's clock, warm data)"};
    int any = rows->figure == REPORT_COLD && rows->count > 0;
    for (int i = 0; i < rows->count; i++)
        any |= rows->row[i].timed > 0;
    if (!any || rows->played_count == 0)
        return;
    json_t *table = context_add(dtype, "tables");
    char shifts[256];
    describe_shifts(rows, shifts, sizeof shifts);
    context_put(table, "title", "%s%s%s:", model->cpu ? "CPU SIMT device, not a GPU. " : "",
                titles[rows->figure], shifts);
    for (int s = 0; s < rows->sizes; s++)
        if (rows->played[s])
            context_put(context_add(table, "sizes"), "name", "%s", spec_of(model, rows->op)->sizes[s].name);
    for (int i = 0; i < rows->count; i++)
        put_row(rows, &rows->row[i], table, rows->best == i);
    put_floor(rows, table);
    put_note(rows, table);
}

/* "89% of memory, hot 95%, moves 1.02x": the cold figure's share of the lower of the two roofs, the hot one's, and what counters say went to
 * and from memory, over the least that the op must move. */
static void roof_cell(const report_model *model, const report_entry *entry, int mark, char *out, size_t bytes)
{
    const char *unit = "";
    snprintf(out, bytes, "-");
    if (!entry || !report_has_time(entry, REPORT_COLD) ||
        !isfinite(entry->figures[REPORT_COLD].percent_of_roof))
        return;
    const double compute = report_compute_roof(model, entry->op, entry->dtype, report_is_tf32(entry), &unit);
    const double memory = report_bandwidth(model, &unit) * 1e-3 * entry->flops / entry->bytes;
    snprintf(out, bytes, "%.0f%% of %s", entry->figures[REPORT_COLD].percent_of_roof,
             memory < compute || !(entry->flops > 0) ? "memory" : "arithmetic");
    add_mark(mark, out, bytes); /* behind the cold share, whose it is */
    size_t length = strlen(out);
    if (report_has_time(entry, REPORT_HOT))
        snprintf(out + length, bytes - length, ", hot %.0f%%", entry->figures[REPORT_HOT].percent_of_roof);
    length = strlen(out);
    if (entry->dram_bytes > 0.0)
        snprintf(out + length, bytes - length, ", moves %.2fx", entry->dram_bytes / entry->bytes);
}

/* A row a kernel with the shares at all sizes; none where no ceiling was measured. */
static void put_roof_table(const report_model *model, const report_rows *rows, json_t *dtype)
{
    json_t *table = json_object();
    int known = 0;
    for (int s = 0; s < rows->sizes; s++)
        if (rows->played[s])
            context_put(context_add(table, "sizes"), "name", "%s", spec_of(model, rows->op)->sizes[s].name);
    for (int i = 0; i < rows->count; i++) {
        char text[160];
        json_t *item = context_add(table, "rows");
        row_label(&rows->row[i], text, sizeof text);
        context_put(item, "kernel", rows->best == i ? "**%s**" : "%s", text);
        for (int s = 0; s < rows->sizes; s++) {
            if (!rows->played[s])
                continue;
            roof_cell(model, rows->row[i].entries[s], report_rows_mark(rows, rows->row[i].entries[s]), text,
                      sizeof text);
            known |= strcmp(text, "-") != 0;
            context_put(context_add(item, "cells"), "text", "%s", text);
        }
    }
    put_note(rows, table);
    if (known) {
        context_add(dtype, "roofs");
        json_array_set(json_object_get(dtype, "roofs"), 0, table);
    }
    json_decref(table);
}

static void put_dtype(const report_model *model, int op, int d, json_t *out)
{
    const opspec *spec = spec_of(model, op);
    json_t *dtype = context_add(out, "benchmarks");
    char not_run[512] = "";
    size_t n = 0;
    context_put(dtype, "dtype", "%s", report_dtype_name(spec, d));
    for (int f = 0; f < REPORT_FIGURES; f++) {
        report_rows rows;
        report_rows_build(model, op, d, f, &rows);
        put_table(model, &rows, dtype);
        if (f == REPORT_COLD)
            put_roof_table(model, &rows, dtype);
        for (int s = 0; f == REPORT_COLD && s < spec->size_count; s++)
            if (!rows.played[s] && n < sizeof not_run)
                n += (size_t)snprintf(not_run + n, sizeof not_run - n, "%s%s", n ? ", " : "",
                                      spec->sizes[s].name);
    }
    context_close_list(dtype, "tables");
    context_close_list(dtype, "roofs");
    context_put(dtype, "not_run", "%s", not_run);
}

static void put_reruns(const report_model *model, int op, json_t *out)
{
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        const char *verify = json_get_text(entry->verdict, "rerun", ""),
                   *bench = json_get_text(entry->result, "rerun", "");
        char name[256];
        if (entry->op != op || (!*verify && !*bench))
            continue;
        text_case(name, sizeof name, model, entry);
        json_t *item = context_add(out, "reruns");
        context_put(item, "case", "%s", name);
        context_put(item, "verify", "%s", verify);
        context_put(item, "bench", "%s", bench);
    }
    context_close_list(out, "reruns");
}

void context_benchmark(const report_model *model, int op, json_t *out)
{
    context_method(model, op, out);
    for (int d = 0; d < spec_of(model, op)->dtype_count; d++)
        put_dtype(model, op, d, out);
    context_close_list(out, "benchmarks");
    context_flags(model, op, out);
    put_reruns(model, op, out);
}

/* The terminal's table: what was measured, at a glance. */
#include "report/report.h"
#include "report/report_model.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 24, CELL_WIDTH = 14 };

/* Columns on the screen, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_right(FILE *out, const char *text, int width)
{
    fprintf(out, "  %*s%s", width > width_of(text) ? width - width_of(text) : 0, "", text);
}

/* A time, or the state in one or two words; the reasons follow below the table. */
static void short_cell(const report_entry *entry, char *out, size_t bytes)
{
    static const char *const words[] = {[STATE_TIMED] = "",
                                        [STATE_UNSTABLE] = "",
                                        [STATE_STALE] = "stale",
                                        [STATE_WRONG_OUTPUT] = "wrong output",
                                        [STATE_NOT_COMPILED] = "no compile",
                                        [STATE_FAILED] = "failed",
                                        [STATE_NOT_TIMED] = "not timed",
                                        [STATE_UNAVAILABLE] = "unavailable",
                                        [STATE_REMOVED] = "removed",
                                        [STATE_MISSING] = "not run"};
    if (!entry) {
        snprintf(out, bytes, "-");
        return;
    }
    if (!report_has_time(entry, REPORT_COLD)) {
        snprintf(out, bytes, "%s", words[entry->state]);
        return;
    }
    text_us(out, bytes, entry->figures[REPORT_COLD].mean_us);
    const size_t n = strlen(out);
    snprintf(out + n, bytes - n, "%s%s", entry->state == STATE_UNSTABLE ? " ~" : "",
             entry->figures[REPORT_COLD].above_roof ? " !" : "");
}

/* " #1" behind a time of another method. */
static void add_mark(int mark, char *out, size_t bytes)
{
    const size_t n = strlen(out);
    if (mark > 0)
        snprintf(out + n, bytes - n, " #%d", mark);
}

static void print_row(const report_rows *rows, int index, FILE *out)
{
    const report_row *row = &rows->row[index];
    char text[64], name[96];
    snprintf(name, sizeof name, "%s%s%s",
             row->kind == REPORT_VARIANT ? ""
             : row->kind == REPORT_PEER  ? "peer "
                                         : "bound ",
             report_display_name(row->name), strcmp(row->math_mode, "tf32") == 0 ? " (tf32)" : "");
    fprintf(out, "%c %-*s", rows->best == index ? '*' : ' ', NAME_WIDTH, name);
    for (int s = 0; s < rows->sizes; s++)
        if (rows->played[s]) {
            short_cell(row->entries[s], text, sizeof text);
            add_mark(report_rows_mark(rows, row->entries[s]), text, sizeof text);
            print_right(out, text, CELL_WIDTH);
        }
    text_us(text, sizeof text, row->final_us);
    add_mark(report_rows_final_mark(rows, row), text, sizeof text);
    print_right(out, text, 10);
    text_speedup(text, sizeof text, row);
    print_right(out, text, 8);
    fprintf(out, "\n");
}

/* What is to be said of a block that is no success. */
static const char *shortfall(const report_rows *rows)
{
    const report_row *best = rows->best >= 0 ? &rows->row[rows->best] : NULL;
    if (!best)
        return "no kernel has a time";
    if (best->flagged)
        return "no success: the best kernel is above its roof, which is an error of measurement";
    if (best->speedup >= 1.0)
        return "no success: the best kernel is unstable, or a size lacks its time or its peer's";
    return "best kernel below the best peer";
}

static const char *judged(const report_rows *rows)
{
    const int success = report_rows_success(rows);
    if (success > 0)
        return "success: best kernel at or above the best peer";
    if (success < 0 && rows->best >= 0 && rows->row[rows->best].refused)
        return "no peer of its method to judge by";
    return success < 0 ? "no peer to judge by" : shortfall(rows);
}

static void print_marks(const report_rows *rows, FILE *out)
{
    for (int mark = 1; mark <= rows->other_count; mark++) {
        char words[METHOD_LABEL_BYTES];
        report_rows_mark_words(rows, mark, words, sizeof words);
        fprintf(out, "  #%d timed otherwise, compared with none of the others: %s\n", mark, words);
    }
}

static void print_block(const report_model *model, const report_rows *rows, FILE *out)
{
    const opspec *spec = model->ws->ops[rows->op].spec;
    char head[160];
    snprintf(head, sizeof head, "%s %s", spec->name, report_dtype_name(spec, rows->dtype));
    fprintf(out, "\n%-*s", NAME_WIDTH + 2, head);
    for (int s = 0; s < rows->sizes; s++)
        if (rows->played[s])
            print_right(out, spec->sizes[s].name, CELL_WIDTH);
    print_right(out, "final", 10);
    print_right(out, "speedup", 8);
    fprintf(out, "\n");
    for (int i = 0; i < rows->count; i++)
        print_row(rows, i, out);
    fprintf(out, "  %s\n", judged(rows));
    print_marks(rows, out);
}

static void print_reasons(const report_model *model, FILE *out)
{
    int any = 0;
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        const int quiet = entry->state == STATE_TIMED || entry->state == STATE_MISSING ||
                          (entry->state == STATE_NOT_TIMED && !entry->result); /* verified only: edge cases */
        char name[256];
        if (quiet)
            continue;
        text_case(name, sizeof name, model, entry);
        fprintf(out, "%s  %s: %s%s%s\n", any++ ? "" : "\nNot counted as plain results:\n", name,
                text_state(entry->state), *entry->reason ? ": " : "", entry->reason);
    }
}

static void print_table(const report_model *model, const report_summary *summary, FILE *out)
{
    const workspace *ws = model->ws;
    fprintf(out, "%s, %s%s\n", *model->device ? model->device : "unknown device", model->time,
            model->cpu ? "\nCPU SIMT device timings, never comparable with a GPU." : "");
    fprintf(out,
            "Mean times of cold launches in microseconds; * best kernel, ~ unstable, ! above its roof.\n");
    for (int o = 0; o < ws->op_count; o++)
        for (int d = 0; d < ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, REPORT_COLD, &rows);
            if (rows.played_count)
                print_block(model, &rows, out);
        }
    print_reasons(model, out);
    for (int i = 0; !summary && i < model->unreadable_count; i++) /* else report_write() named them */
        fprintf(out, "%s%s: skipped: %s\n", i ? "" : "\n", model->unreadable[i].file,
                model->unreadable[i].reason);
    for (size_t i = 0; summary && i < json_array_size(summary->files); i++)
        fprintf(out, "%s  %s\n", i ? "" : "\nWritten:\n",
                json_string_value(json_array_get(summary->files, i)));
}

assay_status report_table(const workspace *ws, const char *results_dir, const report_summary *summary,
                          FILE *out, assay_error *error)
{
    report_model read_now = {0};
    const report_model *model = summary && summary->model ? summary->model : &read_now;
    assay_status status =
        model == &read_now ? report_model_read(ws, results_dir, &read_now, error) : ASSAY_OK;
    if (status == ASSAY_OK) {
        print_table(model, summary, out);
        status = report_model_verdict(model, error);
    }
    report_model_release(&read_now);
    return status;
}

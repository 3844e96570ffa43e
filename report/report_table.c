/* The terminal's table: what was measured, on one screen. */
#include "report/report.h"
#include "report/report_summary.h"
#include "report/report_text.h"
#include "report/report_load.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 3, /* of so many ops and dtypes each kernel has a line, of more only the best */
    SCREEN_WIDTH = 110,
    NAME_WIDTH = 42, /* op, dtype and kernel: v3d_warp_specialized has 20 letters */
    OP_WIDTH = 15,
    FINAL_WIDTH = 10,
    SPEEDUP_WIDTH = 9,
    OUTCOME_WIDTH = 12,
    LEAST_CELL = 9,
    MOST_NOTES = 5 /* lines of a list below the table without --all */
};

/* The columns of an op: standard sizes before shapes of models, as many as fit. */
typedef struct columns {
    const char *names[OPSPEC_MAX_SIZES];
    int sizes[OPSPEC_MAX_SIZES], width[OPSPEC_MAX_SIZES], count, left;
} columns;

typedef struct table {
    const report_model *model;
    FILE *out;
    int all, in_blocks;
    columns last; /* whose heads were printed last */
} table;

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
    fprintf(out, "%*s%s", width > width_of(text) ? width - width_of(text) : 0, "", text);
}

/* Sizes at which any dtype of the op was measured, so that its dtypes share columns. */
static columns choose_columns(const table *t, int op)
{
    const opspec *spec = t->model->ws->ops[op].spec;
    const int room = SCREEN_WIDTH - NAME_WIDTH - FINAL_WIDTH - SPEEDUP_WIDTH - OUTCOME_WIDTH;
    int measured[OPSPEC_MAX_SIZES] = {0}, used = 0;
    columns c = {.count = 0};
    for (int d = 0; d < spec->dtype_count; d++) {
        report_rows rows;
        report_rows_build(t->model, op, d, TIMING_COLD, &rows);
        for (int s = 0; s < rows.sizes; s++)
            measured[s] |= rows.measured[s];
    }
    for (int shapes = 0; shapes < 2; shapes++)
        for (int s = 0; s < spec->size_count; s++) {
            const char *name = spec->sizes[s].name;
            const int width = (int)strlen(name) + 2 > LEAST_CELL ? (int)strlen(name) + 2 : LEAST_CELL;
            if (!measured[s] || (spec->sizes[s].source[0] != '\0') != shapes)
                continue;
            const int fits = used + width <= room && (t->in_blocks || !shapes || c.count == 0);
            if (!t->all && !fits) {
                c.left++;
                continue;
            }
            used += width;
            c.names[c.count] = name;
            c.width[c.count] = width;
            c.sizes[c.count++] = s;
        }
    return c;
}

static int same_columns(const columns *a, const columns *b)
{
    int same = a->count == b->count;
    for (int k = 0; same && k < a->count; k++)
        same = strcmp(a->names[k], b->names[k]) == 0;
    return same;
}

static void print_heads(table *t, const columns *c, const char *head)
{
    fprintf(t->out, "\n%-*s", NAME_WIDTH, head);
    for (int k = 0; k < c->count; k++)
        print_right(t->out, c->names[k], c->width[k]);
    print_right(t->out, "mean", FINAL_WIDTH);
    print_right(t->out, "speedup", SPEEDUP_WIDTH);
    fprintf(t->out, "\n");
    t->last = *c;
}

/* A time, or the state in one word or two; the reasons follow below the table. */
static void short_cell(const report_entry *entry, char *out, size_t bytes)
{
    static const char *const words[] = {[STATE_TIMED] = "-",
                                        [STATE_UNSTABLE] = "-",
                                        [STATE_STALE] = "stale",
                                        [STATE_WRONG_OUTPUT] = "wrong",
                                        [STATE_NOT_COMPILED] = "no build",
                                        [STATE_FAILED] = "failed",
                                        [STATE_NOT_TIMED] = "untimed",
                                        [STATE_UNAVAILABLE] = "none",
                                        [STATE_REMOVED] = "removed",
                                        [STATE_MISSING] = "not run"};
    if (!report_has_time(entry, TIMING_COLD)) {
        snprintf(out, bytes, "%s", entry ? words[entry->state] : "-");
        return;
    }
    text_us(out, bytes, entry->times[TIMING_COLD].mean_us);
    const size_t n = strlen(out);
    snprintf(out + n, bytes - n, "%s%s", entry->state == STATE_UNSTABLE ? "~" : "",
             entry->times[TIMING_COLD].above_roofline ? "!" : "");
}

/* Times at the sizes, their mean and the speedup of a row. */
static void print_numbers(const table *t, const report_rows *rows, int i, const columns *c)
{
    const report_row *row = &rows->row[i];
    char text[64];
    for (int k = 0; k < c->count; k++) {
        short_cell(row->entries[c->sizes[k]], text, sizeof text);
        print_right(t->out, text, c->width[k]);
    }
    text_us(text, sizeof text, row->final_us);
    print_right(t->out, text, FINAL_WIDTH);
    text_ratio(text, sizeof text, row->speedup);
    if (row->kind == RESULT_VARIANT)
        print_right(t->out, text, SPEEDUP_WIDTH);
    if (rows->best == i)
        fprintf(t->out, "  %s", report_outcome_name(report_rows_outcome(rows)));
    fprintf(t->out, "\n");
}

static const report_entry *baseline_at(const report_rows *rows, int size)
{
    const report_entry *own = rows->row[rows->best].entries[size];
    return report_has_time(own, rows->mode) ? report_best_baseline(rows, own) : NULL;
}

/* The best baseline at each size, and their names. */
static void print_best_baselines(const table *t, const report_rows *rows, const columns *c)
{
    char text[64], names[400] = "";
    double sum = 0;
    fprintf(t->out, "  %-*s", NAME_WIDTH - 2, "best baseline");
    for (int k = 0; k < c->count; k++) {
        short_cell(baseline_at(rows, c->sizes[k]), text, sizeof text);
        print_right(t->out, text, c->width[k]);
    }
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *baseline = baseline_at(rows, s);
        if (!baseline)
            continue;
        sum += baseline->times[rows->mode].mean_us;
        if (!strstr(names, baseline->name))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                     baseline->name);
    }
    text_us(text, sizeof text, sum / rows->row[rows->best].compared);
    print_right(t->out, text, FINAL_WIDTH);
    fprintf(t->out, "  %s\n", names);
}

/* Why the best kernel is no win, tie or loss. */
static const char *incomplete_reason(const report_rows *rows)
{
    const report_row *best = rows->best >= 0 ? &rows->row[rows->best] : NULL;
    return !best ? "no kernel has a time"
           : best->flagged
               ? "a time of the best kernel is above its roofline bound, which is a measuring error"
           : best->unstable ? "a time of the best kernel is unstable"
                            : "a size lacks the best kernel's time or a baseline's";
}

static int was_run(const report_rows *rows, int i)
{
    for (int s = 0; s < rows->sizes; s++)
        if (rows->row[i].entries[s] && rows->row[i].entries[s]->state != STATE_MISSING)
            return 1;
    return 0;
}

/* The kernels of an op and dtype; with --all the baselines too, else the best of them. */
static void print_block(table *t, const report_rows *rows)
{
    const opspec *spec = t->model->ws->ops[rows->op].spec;
    const columns c = choose_columns(t, rows->op);
    const report_outcome outcome = report_rows_outcome(rows);
    char head[160], name[96];
    snprintf(head, sizeof head, "%s %s", spec->name, report_dtype_name(spec, rows->dtype));
    print_heads(t, &c, head);
    for (int i = 0; i < rows->count; i++) {
        if (!t->all && (rows->row[i].kind != RESULT_VARIANT || !was_run(rows, i)))
            continue;
        text_kernel(name, sizeof name, &rows->row[i]);
        fprintf(t->out, "%c %-*s", rows->best == i ? '*' : ' ', NAME_WIDTH - 2, name);
        print_numbers(t, rows, i, &c);
    }
    if (!t->all && rows->best >= 0 && rows->row[rows->best].compared)
        print_best_baselines(t, rows, &c);
    if (outcome == REPORT_INCOMPLETE)
        fprintf(t->out, "  incomplete: %s\n", incomplete_reason(rows));
    if (outcome == REPORT_NOT_JUDGED)
        fprintf(t->out, "  not judged: no baseline%s has a time\n",
                rows->best >= 0 ? " with its math mode" : "");
    if (c.left)
        fprintf(t->out, "  %d more size%s with --all\n", c.left, c.left == 1 ? "" : "s");
}

/* The best kernel of an op and dtype in one line. */
static void print_line(table *t, const report_rows *rows)
{
    const opspec *spec = t->model->ws->ops[rows->op].spec;
    const columns c = choose_columns(t, rows->op);
    char name[160];
    if (!same_columns(&c, &t->last))
        print_heads(t, &c, "best kernel");
    snprintf(name, sizeof name, "%-*s %-5s %s", OP_WIDTH, spec->name, report_dtype_name(spec, rows->dtype),
             rows->best >= 0 ? rows->row[rows->best].name : "no kernel has a time");
    fprintf(t->out, "%-*s", NAME_WIDTH, name);
    if (rows->best >= 0)
        print_numbers(t, rows, rows->best, &c);
    else
        fprintf(t->out, "\n");
}

static int has_a_reason(const report_entry *entry)
{
    return entry->state != STATE_TIMED && entry->state != STATE_MISSING &&
           (entry->state != STATE_NOT_TIMED || entry->result); /* else verified only: edge cases */
}

/* A line of a list; without --all the first few, and how many more there are. */
static void print_note(const table *t, int *said, const char *line)
{
    int bytes = (int)strlen(line);
    if (!t->all && bytes > SCREEN_WIDTH) /* at most as many columns; not inside a UTF-8 sequence */
        for (bytes = SCREEN_WIDTH - 3; ((unsigned char)line[bytes] & 0xc0) == 0x80;)
            bytes--;
    if (t->all || *said < MOST_NOTES)
        fprintf(t->out, "%.*s%s\n", bytes, line, line[bytes] ? "..." : "");
    ++*said;
}

static void print_more(const table *t, int said)
{
    if (!t->all && said > MOST_NOTES)
        fprintf(t->out, "  and %d more: --all\n", said - MOST_NOTES);
}

/* Baselines that do not offer a problem are no news: these lines are for --all. */
static void print_reasons(const table *t)
{
    const report_model *model = t->model;
    int said = 0;
    char name[256], line[700];
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (!has_a_reason(entry) || (!t->all && entry->state == STATE_UNAVAILABLE))
            continue;
        if (said == 0)
            fprintf(t->out, "\nNot counted as plain results:\n");
        text_case(name, sizeof name, model, entry);
        snprintf(line, sizeof line, "  %s: %s%s%s", name, text_state(entry->state),
                 *entry->reason ? ": " : "", entry->reason);
        print_note(t, &said, line);
    }
    print_more(t, said);
}

static void print_left_out(const table *t)
{
    int said = 0;
    char line[1100];
    for (int i = 0; i < t->model->left_out.count; i++) {
        report_left_out_text(&t->model->left_out.items[i], line, sizeof line);
        if (said == 0)
            fprintf(t->out, "\n");
        print_note(t, &said, line);
    }
    print_more(t, said);
}

/* Each file with --all, else the one that leads to the others. */
static void print_written(const table *t, const report_summary *summary)
{
    const size_t count = summary ? json_array_size(summary->files) : 0;
    for (size_t i = 0; t->all && i < count; i++)
        fprintf(t->out, "%s  %s\n", i ? "" : "\nWritten:\n",
                json_string_value(json_array_get(summary->files, i)));
    if (!t->all && count)
        fprintf(t->out, "\n%zu files written; begin with %s/summary.md\n", count, t->model->ws->logs);
}

static void print_counts(const table *t)
{
    report_summary counts = {0};
    char text[128];
    summary_count(t->model, &counts);
    summary_success_text(&counts, text, sizeof text);
    fprintf(t->out, "\n%s%s%d of the kernels' cases verified, %d failed, %d timed.\n", text,
            *text ? ". " : "", counts.verified, counts.failed, counts.timed);
}

static int count_blocks(const report_model *model)
{
    int blocks = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, TIMING_COLD, &rows);
            blocks += rows.measured_count > 0;
        }
    return blocks;
}

static void print_table(table *t, const report_summary *summary)
{
    const report_model *model = t->model;
    t->in_blocks = t->all || count_blocks(model) <= MOST_BLOCKS;
    fprintf(t->out, "%s, %s%s\n", *model->device ? model->device : "unknown device", model->time,
            model->cpu ? "\nCPU SIMT device timings, never comparable with a GPU." : "");
    fprintf(t->out,
            "Mean times of cold launches in microseconds; speedup over the best baseline at each size.\n");
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, TIMING_COLD, &rows);
            if (rows.measured_count && t->in_blocks)
                print_block(t, &rows);
            else if (rows.measured_count)
                print_line(t, &rows);
        }
    print_counts(t);
    print_reasons(t);
    print_left_out(t);
    for (int i = 0; !summary && i < model->unreadable.count; i++) /* else report_write() named them */
        fprintf(t->out, "%s%s: skipped: %s\n", i ? "" : "\n", model->unreadable.items[i].file,
                model->unreadable.items[i].reason);
    print_written(t, summary);
}

assay_status report_table(const workspace *ws, const char *results_dir, const report_summary *summary,
                          const case_filter *shown, int all, FILE *out, assay_error *error)
{
    report_model read_now = {0};
    const report_model *model = summary && summary->model ? summary->model : &read_now;
    assay_status status =
        model == &read_now ? report_model_read(ws, results_dir, &read_now, error) : ASSAY_OK;
    if (status == ASSAY_OK && shown && model == &read_now)
        report_model_keep(&read_now, shown);
    if (status == ASSAY_OK) {
        table t = {.model = model, .out = out, .all = all};
        print_table(&t, summary);
        status = report_model_verdict(model, error);
    }
    report_model_release(&read_now);
    return status;
}

/* See report_rows.h. Formats nothing. */
#include "report/report_rows.h"
#include <math.h>
#include <string.h>

static const report_times *times_of(const report_entry *entry, timing_mode mode)
{
    return &entry->times[mode];
}

const report_entry *report_best_baseline(const report_rows *rows, const report_entry *entry)
{
    const report_entry *best = NULL;
    for (int i = 0; i < rows->count; i++) {
        const report_entry *baseline = rows->row[i].entries[entry->size];
        if (rows->row[i].kind != RESULT_BASELINE || !report_has_time(baseline, rows->mode) ||
            baseline->state != STATE_TIMED || report_is_tf32(baseline) != report_is_tf32(entry))
            continue;
        if (!best || times_of(baseline, rows->mode)->mean_us < times_of(best, rows->mode)->mean_us)
            best = baseline;
    }
    return best;
}

/* Candidates of one group name each other. */
int report_of_one_group(const report_entry *a, const report_entry *b)
{
    char name[2 * ASSAY_NAME_MAX];
    result_full_name(&b->result->id, name, sizeof name);
    for (int i = 0; i < a->result->method.other_count; i++)
        if (strcmp(a->result->method.others[i], name) == 0)
            return 1;
    return 0;
}

int report_is_tie(const report_entry *kernel, const report_entry *baseline, timing_mode mode)
{
    const report_times *a = times_of(kernel, mode), *b = times_of(baseline, mode);
    return report_of_one_group(kernel, baseline) && a->low_us <= b->high_us && b->low_us <= a->high_us;
}

report_outcome report_outcome_at(const report_entry *kernel, const report_entry *baseline, timing_mode mode)
{
    if (report_is_tie(kernel, baseline, mode))
        return REPORT_TIE;
    return times_of(kernel, mode)->mean_us <= times_of(baseline, mode)->mean_us ? REPORT_WIN : REPORT_LOSS;
}

const char *report_outcome_name(report_outcome outcome)
{
    static const char *const names[REPORT_OUTCOMES] = {"not judged", "win", "tie", "loss", "incomplete"};
    return names[outcome];
}

/* The row of an entry, or a new one; entries of one kernel are neighbours. */
static report_row *row_for(report_rows *rows, const report_entry *entry)
{
    report_row *last = rows->count ? &rows->row[rows->count - 1] : NULL;
    if (last && last->kind == entry->kind && strcmp(last->name, entry->name) == 0)
        return last;
    if (rows->count == REPORT_MAX_KERNELS)
        return NULL;
    last = &rows->row[rows->count++];
    *last = (report_row){.name = entry->name,
                         .kind = entry->kind,
                         .math_mode = "",
                         .final_us = NAN,
                         .speedup = NAN,
                         .geomean = NAN};
    return last;
}

static void add_times(const report_rows *rows, report_row *row)
{
    double sum = 0;
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = row->entries[s];
        if (!report_has_time(entry, rows->mode))
            continue;
        sum += times_of(entry, rows->mode)->mean_us;
        row->timed++;
        row->flagged += times_of(entry, rows->mode)->above_roofline;
        row->unstable += entry->state == STATE_UNSTABLE;
        row->math_mode = entry->result->math_mode;
    }
    if (row->timed > 0)
        row->final_us = sum / row->timed;
}

static void compare_with_baselines(const report_rows *rows, report_row *own)
{
    double logs = 0, baseline_us = 0, own_us = 0;
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = own->entries[s];
        const report_entry *baseline =
            report_has_time(entry, rows->mode) ? report_best_baseline(rows, entry) : NULL;
        if (!baseline)
            continue;
        const double a = times_of(baseline, rows->mode)->mean_us, b = times_of(entry, rows->mode)->mean_us;
        logs += log(a / b);
        baseline_us += a;
        own_us += b;
        own->compared++;
    }
    if (own->compared) {
        own->geomean = exp(logs / own->compared);
        own->speedup = baseline_us / own_us;
    }
}

static int is_better(const report_row *a, const report_row *b)
{
    if (a->timed != b->timed)
        return a->timed > b->timed;
    if (!a->flagged != !b->flagged)
        return !a->flagged;
    if (!a->unstable != !b->unstable)
        return !a->unstable;
    return a->final_us < b->final_us;
}

void report_rows_build(const report_model *model, int op, int dtype, timing_mode mode, report_rows *rows)
{
    int first, end;
    *rows = (report_rows){
        .op = op, .dtype = dtype, .mode = mode, .sizes = model->ws->ops[op].spec->size_count, .best = -1};
    report_range(model, op, dtype, &first, &end);
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        report_row *row = entry->size < rows->sizes ? row_for(rows, entry) : NULL;
        if (!row)
            continue;
        row->entries[entry->size] = entry;
        if (entry->result && entry->state != STATE_REMOVED && !rows->measured[entry->size]) {
            rows->measured[entry->size] = 1;
            rows->measured_count++;
        }
    }
    for (int i = 0; i < rows->count; i++)
        add_times(rows, &rows->row[i]);
    for (int i = 0; i < rows->count; i++) {
        report_row *row = &rows->row[i];
        if (row->kind != RESULT_VARIANT || row->timed == 0)
            continue;
        compare_with_baselines(rows, row);
        if (rows->best < 0 || is_better(row, &rows->row[rows->best]))
            rows->best = i;
    }
}

static int has_baseline(const report_rows *rows)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].kind == RESULT_BASELINE && rows->row[i].timed > 0)
            return 1;
    return 0;
}

/* Sums over the sizes; the half intervals of independent sizes add up by their squares. */
static report_outcome outcome_of_sums(const report_rows *rows, const report_row *best)
{
    double difference = 0, own_squares = 0, baseline_squares = 0;
    int of_one_group = 1;
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = best->entries[s];
        const report_entry *baseline =
            report_has_time(entry, rows->mode) ? report_best_baseline(rows, entry) : NULL;
        if (!baseline)
            continue;
        const report_times *own = times_of(entry, rows->mode), *other = times_of(baseline, rows->mode);
        difference += other->mean_us - own->mean_us;
        own_squares += pow(0.5 * (own->high_us - own->low_us), 2);
        baseline_squares += pow(0.5 * (other->high_us - other->low_us), 2);
        of_one_group &= report_of_one_group(entry, baseline);
    }
    if (of_one_group && fabs(difference) <= sqrt(own_squares) + sqrt(baseline_squares)) /* false for NAN */
        return REPORT_TIE;
    return difference >= 0 ? REPORT_WIN : REPORT_LOSS;
}

report_outcome report_rows_outcome(const report_rows *rows)
{
    if (rows->best < 0) /* a baseline, and no kernel that could be timed beside it */
        return has_baseline(rows) ? REPORT_INCOMPLETE : REPORT_NOT_JUDGED;
    const report_row *best = &rows->row[rows->best];
    if (best->compared == 0)
        return REPORT_NOT_JUDGED;
    if (best->flagged || best->unstable || best->compared < rows->measured_count)
        return REPORT_INCOMPLETE;
    return outcome_of_sums(rows, best);
}

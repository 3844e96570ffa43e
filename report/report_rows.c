/* Table rows: the kernels of an op in one dtype, their final figures, speedups and the best of them. */
#include "report/report_model.h"
#include "core/json_file.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

/* Of the entry's method, or of any other. */
static const report_entry *find_peer(const report_model *model, const report_entry *entry, int figure,
                                     int same_method)
{
    const report_entry *best = NULL;
    for (int i = 0; i < model->count; i++) {
        const report_entry *peer = &model->entries[i];
        if (peer->op != entry->op || peer->kind != REPORT_PEER || peer->dtype != entry->dtype ||
            peer->size != entry->size)
            continue;
        if (peer->state != STATE_TIMED || !report_has_time(peer, figure) ||
            report_is_tf32(peer) != report_is_tf32(entry) ||
            report_same_method(peer, entry, figure) != same_method)
            continue;
        if (!best || peer->figures[figure].mean_us < best->figures[figure].mean_us)
            best = peer;
    }
    return best;
}

const report_entry *report_fastest_peer(const report_model *model, const report_entry *entry, int figure)
{
    return find_peer(model, entry, figure, 1);
}

int report_has_other_peer(const report_model *model, const report_entry *entry, int figure)
{
    return find_peer(model, entry, figure, 0) != NULL;
}

/* Results of one group name each other. */
static int are_of_one_group(const report_entry *a, const report_entry *b)
{
    const json_t *names = json_object_get(json_object_get(a->result, "method"), "interleaved_with");
    size_t i;
    json_t *name;
    json_array_foreach(names, i, name) if (json_is_string(name) &&
                                           strcmp(json_string_value(name), b->name) == 0) return 1;
    return 0;
}

int report_is_tie(const report_entry *kernel, const report_entry *baseline, int figure)
{
    const report_figure *a = &kernel->figures[figure], *b = &baseline->figures[figure];
    return are_of_one_group(kernel, baseline) && a->low_us <= b->high_us && b->low_us <= a->high_us;
}

static void add_row(report_rows *rows, const report_entry *entry)
{
    if (rows->count == REPORT_MAX_KERNELS)
        return;
    report_row *row = &rows->row[rows->count++];
    *row = (report_row){.name = entry->name,
                        .kind = entry->kind,
                        .math_mode = "",
                        .final_us = NAN,
                        .counted_us = NAN,
                        .speedup = NAN,
                        .geomean = NAN};
}

/* Rows begin with the kernels', and what peers were timed by decides only where no kernel was timed. */
static void choose_lead(report_rows *rows, int s)
{
    for (int i = 0; i < rows->count; i++) {
        const report_entry *entry = rows->row[i].entries[s], **lead = &rows->lead[s];
        if (!report_has_time(entry, rows->figure))
            continue;
        if (!*lead || ((*lead)->kind == entry->kind && report_method_leads(entry, *lead, rows->figure)))
            *lead = entry;
    }
}

static int is_other(const report_rows *rows, const report_entry *entry)
{
    return report_has_time(entry, rows->figure) && entry->size < rows->sizes && rows->lead[entry->size] &&
           !report_same_method(entry, rows->lead[entry->size], rows->figure);
}

int report_rows_mark(const report_rows *rows, const report_entry *entry)
{
    if (!is_other(rows, entry))
        return 0;
    for (int k = 0; k < rows->other_count; k++)
        if (report_same_method(entry, rows->others[k], rows->figure))
            return k + 1;
    return rows->other_count;
}

int report_rows_final_mark(const report_rows *rows, const report_row *row)
{
    int mark = 0;
    for (int s = 0; s < rows->sizes && !mark; s++)
        mark = report_rows_mark(rows, row->entries[s]);
    return mark;
}

void report_rows_mark_words(const report_rows *rows, int mark, char *out, size_t bytes)
{
    if (mark < REPORT_MAX_METHODS)
        report_method_words(rows->others[mark - 1], rows->figure, out, bytes);
    else
        snprintf(out, bytes, "by further methods");
}

static void note_other(report_rows *rows, const report_entry *entry)
{
    if (!is_other(rows, entry) || rows->other_count == REPORT_MAX_METHODS)
        return;
    for (int k = 0; k < rows->other_count; k++)
        if (report_same_method(entry, rows->others[k], rows->figure))
            return;
    rows->others[rows->other_count++] = entry;
}

static void finish_row(report_rows *rows, report_row *row)
{
    double sum = 0, counted = 0;
    for (int s = 0; s < rows->sizes; s++) {
        const report_entry *entry = row->entries[s];
        if (!report_has_time(entry, rows->figure))
            continue;
        sum += entry->figures[rows->figure].mean_us;
        row->timed++;
        row->flagged |= entry->figures[rows->figure].above_roof;
        row->math_mode = json_get_text(entry->result, "math_mode", "ieee");
        note_other(rows, entry);
        if (is_other(rows, entry))
            continue;
        counted += entry->figures[rows->figure].mean_us;
        row->counted++;
    }
    if (row->timed > 0)
        row->final_us = sum / row->timed;
    if (row->counted > 0)
        row->counted_us = counted / row->counted;
}

/* Final of `peer` over final of `own`, over the sizes both have by one method; peers count where they are stable. */
static double ratio_of(const report_row *peer, report_row *own, int sizes, int figure, int *common)
{
    double peer_sum = 0, own_sum = 0;
    *common = 0;
    for (int s = 0; s < sizes; s++) {
        if (!report_has_time(own->entries[s], figure) || !report_has_time(peer->entries[s], figure) ||
            peer->entries[s]->state != STATE_TIMED)
            continue;
        if (!report_same_method(own->entries[s], peer->entries[s], figure)) {
            own->refused++;
            continue;
        }
        peer_sum += peer->entries[s]->figures[figure].mean_us;
        own_sum += own->entries[s]->figures[figure].mean_us;
        ++*common;
    }
    return *common ? peer_sum / own_sum : NAN;
}

/* The best peer is the fastest among those that cover the most of the kernel's sizes. */
static void compare_with_peers(const report_model *model, report_rows *rows, report_row *own)
{
    for (int i = 0; i < rows->count; i++) {
        const report_row *peer = &rows->row[i];
        if (peer->kind != REPORT_PEER || strcmp(peer->math_mode, own->math_mode) != 0)
            continue;
        int common;
        const double ratio = ratio_of(peer, own, rows->sizes, rows->figure, &common);
        if (!common || common < own->compared || (common == own->compared && ratio >= own->speedup))
            continue;
        own->speedup = ratio;
        own->compared = common;
        own->best_peer = peer->name;
    }
    double logs = 0, fastest_us = 0, own_us = 0;
    for (int s = 0; s < rows->sizes; s++) {
        if (!report_has_time(own->entries[s], rows->figure))
            continue;
        const report_entry *peer = report_fastest_peer(model, own->entries[s], rows->figure);
        if (!peer)
            continue;
        const double peer_mean_us = peer->figures[rows->figure].mean_us;
        const double own_mean_us = own->entries[s]->figures[rows->figure].mean_us;
        logs += log(peer_mean_us / own_mean_us);
        fastest_us += peer_mean_us;
        own_us += own_mean_us;
        own->faced++;
    }
    if (own->faced) {
        own->geomean = exp(logs / own->faced);
        own->faced_speedup = fastest_us / own_us;
    }
}

static int unstable_sizes(const report_row *row, int sizes)
{
    int count = 0;
    for (int s = 0; s < sizes; s++)
        count += row->entries[s] && row->entries[s]->state == STATE_UNSTABLE;
    return count;
}

/* More sizes before fewer, believable before flagged, stable before not, fast before slow; the first of equals stays. Times by another method
 * than the one that counts at their size are as good as none. */
static int is_better(const report_row *a, const report_row *b, int sizes)
{
    if (a->counted != b->counted)
        return a->counted > b->counted;
    if (a->flagged != b->flagged)
        return a->flagged < b->flagged;
    const int unstable_a = unstable_sizes(a, sizes), unstable_b = unstable_sizes(b, sizes);
    if ((unstable_a > 0) != (unstable_b > 0))
        return unstable_a == 0;
    return a->counted_us < b->counted_us;
}

void report_rows_build(const report_model *model, int op, int dtype, int figure, report_rows *rows)
{
    *rows = (report_rows){
        .op = op, .dtype = dtype, .figure = figure, .sizes = spec_of(model, op)->size_count, .best = -1};
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->op != op || entry->dtype != dtype || entry->size >= rows->sizes)
            continue;
        if (rows->count == 0 || strcmp(rows->row[rows->count - 1].name, entry->name) != 0)
            add_row(rows, entry);
        rows->row[rows->count - 1].entries[entry->size] = entry;
        if (entry->result && entry->state != STATE_REMOVED && !rows->played[entry->size]) {
            rows->played[entry->size] = 1;
            rows->played_count++;
        }
    }
    for (int s = 0; s < rows->sizes; s++)
        choose_lead(rows, s);
    for (int i = 0; i < rows->count; i++)
        finish_row(rows, &rows->row[i]);
    for (int i = 0; i < rows->count; i++) {
        report_row *row = &rows->row[i];
        if (row->kind != REPORT_VARIANT || row->timed == 0)
            continue;
        compare_with_peers(model, rows, row);
        if (rows->best < 0 || is_better(row, &rows->row[rows->best], rows->sizes))
            rows->best = i;
    }
}

int report_rows_success(const report_rows *rows)
{
    int peers = 0, timed = 0;
    for (int i = 0; i < rows->count; i++) {
        peers += rows->row[i].kind == REPORT_PEER && rows->row[i].timed > 0;
        timed += rows->row[i].kind == REPORT_VARIANT && rows->row[i].timed > 0;
    }
    if (rows->best < 0) /* a peer, and no kernel that could be timed against it: not a success */
        return peers > 0 && timed == 0 ? 0 : -1;
    const report_row *best = &rows->row[rows->best];
    if (isnan(best->speedup))
        return -1;
    /* Peers may share the sizes out, by the layout of their tensors for instance: then the fastest at each are the measure. */
    const int is_faster = best->compared == rows->played_count
                              ? best->speedup >= 1.0
                              : best->faced == rows->played_count && best->faced_speedup >= 1.0;
    return is_faster && !best->flagged && unstable_sizes(best, rows->sizes) == 0;
}

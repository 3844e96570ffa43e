/* The model behind all reports: looking up entries, ceilings and roofline bounds. Formats nothing; report_load.c fills it. */
#include "report/report_model.h"
#include "core/list.h"
#include "results/roofline_units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int report_entry_compare(const report_entry *a, const report_entry *b)
{
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    const int by_name = strcmp(a->name, b->name);
    return by_name ? by_name : (a->size > b->size) - (a->size < b->size);
}

report_note *report_notes_add(report_notes *notes, const char *file, const char *reason)
{
    for (int i = 0; i < notes->count; i++)
        if (strcmp(notes->items[i].file, file) == 0 && strcmp(notes->items[i].reason, reason) == 0) {
            notes->items[i].count++;
            return &notes->items[i];
        }
    if (notes->count == notes->capacity) {
        const int capacity = notes->capacity ? 2 * notes->capacity : 8;
        report_note *grown = realloc(notes->items, (size_t)capacity * sizeof *grown);
        if (!grown)
            return NULL;
        notes->items = grown;
        notes->capacity = capacity;
    }
    report_note *note = &notes->items[notes->count++];
    note->count = 1;
    note->op = -1;
    snprintf(note->file, sizeof note->file, "%s", file);
    snprintf(note->reason, sizeof note->reason, "%s", reason);
    return note;
}

static const report_ceiling *find_ceiling(const report_model *model, const char *name)
{
    for (int i = 0; i < model->ceiling_count; i++)
        if (strcmp(model->ceilings[i].name, name) == 0)
            return &model->ceilings[i];
    return NULL;
}

double report_ceiling_of(const report_model *model, const char *name)
{
    const report_ceiling *ceiling = find_ceiling(model, name);
    return ceiling ? ceiling->median : NAN;
}

static double possible_of(const report_model *model, const char *name)
{
    const report_ceiling *ceiling = find_ceiling(model, name);
    return ceiling ? ceiling->possible : NAN;
}

/* The largest rate that an op's arithmetic units allow by `rate_of`; NAN if none was measured. */
static double best_rate(const report_model *model, int op, int dtype, int tf32,
                        double (*rate_of)(const report_model *, const char *), const char **label)
{
    const opspec *spec = model->ws->ops[op].spec;
    roofline_unit units[ROOFLINE_MOST_UNITS];
    const int count = roofline_units(spec, spec->dtypes[dtype], tf32, units);
    double best = NAN;
    for (int i = 0; i < count; i++) {
        const double rate = rate_of(model, units[i].ceiling) / units[i].cost;
        if (!isfinite(rate) || rate <= best)
            continue;
        best = rate;
        *label = units[i].label;
    }
    return best;
}

double report_compute_bound(const report_model *model, int op, int dtype, int tf32, const char **name)
{
    const char *label = "";
    const double rate = best_rate(model, op, dtype, tf32, report_ceiling_of, &label);
    if (name)
        *name = label;
    return rate;
}

double report_possible_compute(const report_model *model, int op, int dtype, int tf32)
{
    const char *unused = "";
    return best_rate(model, op, dtype, tf32, possible_of, &unused);
}

double report_possible_bandwidth(const report_model *model)
{
    return fmax(possible_of(model, "copy"), possible_of(model, "read"));
}

double report_bandwidth(const report_model *model, const char **name)
{
    const double copy = report_ceiling_of(model, "copy"), read = report_ceiling_of(model, "read");
    const int by_read = read > copy || !isfinite(copy);
    if (name)
        *name = by_read ? "read" : "copy";
    return by_read ? read : copy;
}

double report_roofline_tflops(const report_model *model, int op, int dtype, int tf32, double intensity)
{
    const double compute = report_compute_bound(model, op, dtype, tf32, NULL);
    const double memory = report_bandwidth(model, NULL) * intensity * 1e-3;
    if (!isfinite(memory))
        return NAN;
    return isfinite(compute) && compute < memory ? compute : memory;
}

/* The model made verdict and result, and lends them out as const. */
static void release_entry(report_entry *entry)
{
    verdict_record_free((verdict_record *)entry->verdict);
    result_free((result *)entry->result);
}

static void release_entries(report_entry *entries, int count)
{
    for (int i = 0; i < count; i++)
        release_entry(&entries[i]);
    free(entries);
}

static void keep_entries(const workspace *ws, const case_filter *filter, report_entry *entries, int *count)
{
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        const opspec *spec = ws->ops[entries[i].op].spec;
        if (list_selects(filter->ops, spec->name) &&
            list_selects(filter->dtypes, report_dtype_name(spec, entries[i].dtype)))
            entries[kept++] = entries[i];
        else
            release_entry(&entries[i]);
    }
    *count = kept;
}

void report_model_keep(report_model *model, const case_filter *filter)
{
    int kept = 0;
    keep_entries(model->ws, filter, model->entries, &model->count);
    keep_entries(model->ws, filter, model->huge, &model->huge_count);
    for (int i = 0; i < model->left_out.count; i++) {
        const report_note *note = &model->left_out.items[i];
        if (note->op < 0 || list_selects(filter->ops, model->ws->ops[note->op].spec->name))
            model->left_out.items[kept++] = *note;
    }
    model->left_out.count = kept;
}

void report_model_release(report_model *model)
{
    release_entries(model->entries, model->count);
    release_entries(model->huge, model->huge_count);
    free(model->unreadable.items);
    free(model->left_out.items);
    *model = (report_model){0};
}

assay_status report_model_verdict(const report_model *model, assay_error *error)
{
    if (model->unreadable.count == 0)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_FORMAT, "%d file%s could not be read", model->unreadable.count,
                           model->unreadable.count > 1 ? "s" : "");
}

void report_left_out_text(const report_note *note, char *out, size_t bytes)
{
    const int noun = (int)strcspn(note->file, " ");
    snprintf(out, bytes, "%d %.*s%s%s not shown: %s", note->count, noun, note->file,
             note->count == 1 ? "" : "s", note->file + noun, note->reason);
}

/* The first entry that does not stand before an op and dtype. */
static int lower_bound(const report_model *model, int op, int dtype)
{
    int low = 0, high = model->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const report_entry *entry = &model->entries[middle];
        if (entry->op < op || (entry->op == op && entry->dtype < dtype))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void report_range(const report_model *model, int op, int dtype, int *first, int *end)
{
    *first = lower_bound(model, op, dtype < 0 ? 0 : dtype);
    *end = dtype < 0 ? lower_bound(model, op + 1, 0) : lower_bound(model, op, dtype + 1);
}

static int compare_key(const void *key, const void *entry)
{
    return report_entry_compare(key, entry);
}

const report_entry *report_find(const report_model *model, int op, int dtype, result_kind kind,
                                const char *name, int size)
{
    report_entry key = {.op = op, .kind = kind, .dtype = dtype, .size = size};
    snprintf(key.name, sizeof key.name, "%s", name);
    return bsearch(&key, model->entries, (size_t)model->count, sizeof *model->entries, compare_key);
}

int report_has_time(const report_entry *entry, timing_mode mode)
{
    return entry && (entry->state == STATE_TIMED || entry->state == STATE_UNSTABLE) &&
           isfinite(entry->times[mode].mean_us);
}

int report_op_has_files(const report_model *model, int op)
{
    int first, end;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++)
        if (model->entries[i].verdict || model->entries[i].result)
            return 1;
    return 0;
}

const char *report_dtype_name(const opspec *spec, int dtype)
{
    const char *name = assay_dtype_name(spec->dtypes[dtype]);
    return name ? name : "?";
}

const char *report_size_name(const opspec *spec, int size)
{
    return size == REPORT_HUGE ? "huge" : size < spec->size_count ? spec->sizes[size].name : "edge";
}

int report_is_tf32(const report_entry *entry)
{
    return entry->result && strcmp(entry->result->math_mode, "tf32") == 0;
}

/* Judging targets: see targets.h. Which results count is the report's rule; this file adds only the rules
 * below. */
#include "report/targets.h"
#include "core/list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

/* The two classes of ops. A kernel that a memory copy bounds should be as fast as one; below some MiB
 * launches and caches decide, and arithmetic has no such reference, so there the best library kernel of the
 * same run is the measure. */
static const struct {
    const char *rule;
    int of_products;               /* 1: matrix products, attention, convolution; 0: all other families */
    double least_bytes, max_bytes; /* of the definition: [least, max) */
    int against_copy;   /* 1: a copy of the same bytes; 0: the best baseline, where a tie is enough */
    double least_ratio; /* of its time over the kernel's */
} rules[] = {
    {">= 97% of a copy", 0, 4 * MIB, INFINITY, 1, 0.97},
    {"no loss to baseline", 0, 0, 4 * MIB, 0, 1.0},
    {"no loss to baseline", 1, 0, INFINITY, 0, 1.0},
};
enum { RULES = sizeof rules / sizeof *rules };

static int is_product(const opspec *spec)
{
    return strcmp(spec->family, "matrix") == 0 || strcmp(spec->family, "attention") == 0 ||
           strcmp(spec->family, "convolution") == 0;
}

static target *add(target_list *list)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        target *grown = realloc(list->items, (size_t)capacity * sizeof *grown);
        if (!grown)
            return NULL;
        list->items = grown;
        list->capacity = capacity;
    }
    target *t = &list->items[list->count++];
    *t = (target){.ratio = NAN, .verdict = TARGET_NOT_MEASURED};
    return t;
}

/* A time that may be trusted: taken under the rules, and no less than the card can do. */
static int counts(const report_entry *entry, timing_mode mode)
{
    return report_has_time(entry, mode) && entry->state == STATE_TIMED && !entry->times[mode].above_roofline;
}

static const report_entry *fastest(const report_rows *rows, result_kind kind, const char *name, int size)
{
    const report_entry *best = NULL;
    for (int i = 0; i < rows->count; i++) {
        const report_entry *entry = rows->row[i].entries[size];
        if (rows->row[i].kind == kind && (!name || strcmp(rows->row[i].name, name) == 0) &&
            counts(entry, rows->mode) &&
            (!best || entry->times[rows->mode].mean_us < best->times[rows->mode].mean_us))
            best = entry;
    }
    return best;
}

/* The reason of the first kernel that has one. */
static void explain_kernel(const report_rows *rows, target *t)
{
    snprintf(t->reason, sizeof t->reason, "no kernel has a time");
    for (int i = 0; i < rows->count; i++) {
        const report_entry *entry = rows->row[i].entries[t->size];
        if (rows->row[i].kind != RESULT_VARIANT || !entry || entry->state == STATE_MISSING)
            continue;
        if (report_has_time(entry, rows->mode))
            snprintf(t->reason, sizeof t->reason, "%s is %s", entry->name,
                     entry->times[rows->mode].above_roofline ? "above its roofline bound" : "unstable");
        else
            snprintf(t->reason, sizeof t->reason, "%s: %.180s", entry->name,
                     *entry->reason ? entry->reason : "has no time");
        return;
    }
}

static void judge(const report_rows *rows, int rule, target *t)
{
    t->kernel = rule < 0 ? NULL : fastest(rows, RESULT_VARIANT, NULL, t->size);
    if (!t->kernel) {
        explain_kernel(rows, t);
        return;
    }
    t->against = rules[rule].against_copy ? fastest(rows, RESULT_UNRANKED_BASELINE, "copy", t->size)
                                          : report_best_baseline(rows, t->kernel);
    const char *what = rules[rule].against_copy ? "the copy" : "the best baseline";
    if (!t->against)
        snprintf(t->reason, sizeof t->reason, "%s has no time", what);
    else if (!report_of_one_group(t->kernel, t->against))
        snprintf(t->reason, sizeof t->reason, "%s was timed in another run", what);
    else {
        t->ratio = t->against->times[rows->mode].mean_us / t->kernel->times[rows->mode].mean_us;
        const int ties = !rules[rule].against_copy && report_is_tie(t->kernel, t->against, rows->mode);
        t->verdict = ties || t->ratio >= rules[rule].least_ratio ? TARGET_MET : TARGET_MISSED;
    }
}

/* Where tensor cores are busy the power limit decides, so the sustained time counts if there is one. */
static timing_mode choose_mode(const report_model *model, int op, int dtype)
{
    int first, end;
    report_range(model, op, dtype, &first, &end);
    for (int i = first; is_product(model->ws->ops[op].spec) && i < end; i++)
        if (model->entries[i].kind == RESULT_VARIANT && report_has_time(&model->entries[i], TIMING_SUSTAINED))
            return TIMING_SUSTAINED;
    return TIMING_COLD;
}

/* Bytes that the definition moves, as a result of the size says; 0 if none does. */
static double bytes_of(const report_rows *rows, int size)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].entries[size] && rows->row[i].entries[size]->result)
            return rows->row[i].entries[size]->result->bytes;
    return 0;
}

static int applies(int rule, const opspec *spec, double bytes)
{
    return rules[rule].of_products == is_product(spec) && bytes >= rules[rule].least_bytes &&
           bytes < rules[rule].max_bytes;
}

/* The rule of a case; -1 where nothing was measured, so that the bytes are not known. */
static int rule_of(const opspec *spec, double bytes)
{
    int rule = bytes > 0 ? RULES - 1 : -1;
    while (rule >= 0 && !applies(rule, spec, bytes))
        rule--;
    return rule;
}

static assay_status judge_dtype(const report_model *model, int op, int dtype, const char *sizes,
                                target_list *list, assay_error *error)
{
    const opspec *spec = model->ws->ops[op].spec;
    report_rows rows;
    const timing_mode mode = choose_mode(model, op, dtype);
    report_rows_build(model, op, dtype, mode, &rows);
    list->without_results += rows.measured_count == 0;
    for (int r = -1; rows.measured_count && r < RULES; r++)
        for (int s = 0; s < spec->size_count; s++) {
            if (!opspec_has_case(spec, spec->dtypes[dtype], spec->sizes[s].name) ||
                !list_selects(sizes, spec->sizes[s].name) || rule_of(spec, bytes_of(&rows, s)) != r)
                continue;
            target *t = add(list);
            if (!t)
                return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the targets");
            t->op = op, t->dtype = dtype, t->size = s, t->mode = mode;
            t->rule = r < 0 ? "any time" : rules[r].rule;
            judge(&rows, r, t);
            list->counts[t->verdict]++;
        }
    return ASSAY_OK;
}

assay_status targets_judge(const report_model *model, const case_filter *filter, target_list *list,
                           assay_error *error)
{
    assay_status status = ASSAY_OK;
    *list = (target_list){0};
    if (model->cpu)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "targets are of GPUs: times of the CPU device are not held to anything");
    for (int op = 0; op < model->ws->op_count; op++) {
        const opspec *spec = model->ws->ops[op].spec;
        for (int d = 0; list_selects(filter->ops, spec->name) && d < spec->dtype_count; d++)
            if (status == ASSAY_OK && list_selects(filter->dtypes, report_dtype_name(spec, d)))
                status = judge_dtype(model, op, d, filter->sizes, list, error);
    }
    return status;
}

void targets_release(target_list *list)
{
    free(list->items);
    *list = (target_list){0};
}

/* Values of runs: see compare_values.h. */
#include "history/compare_values.h"
#include "results/launch_overhead.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int repetitions_of(const set_result *run, timing_mode mode)
{
    return run->midmeans_us[mode] ? run->r->times[mode].repetition_count : 0;
}

static int is_ok(const result *r)
{
    return r->status == RESULT_OK && strcmp(r->output_check, "fail") != 0;
}

int alternated(const result *r, const result *other)
{
    char name[ASSAY_NAME_MAX + 16];
    result_full_name(&other->id, name, sizeof name);
    if (!same_problem(r, other) || strcmp(r->device.uuid, other->device.uuid) != 0)
        return 0;
    for (int i = 0; i < r->method.other_count; i++)
        if (strcmp(r->method.others[i], name) == 0)
            return 1;
    return 0;
}

const set_result *find_baseline(const result *r, const char *name, const result_set *set)
{
    const set_result *best = NULL;
    for (int i = 0; i < set->count; i++) {
        const result *other = set->results[i].r;
        if (other->id.kind != RESULT_BASELINE || strcmp(other->id.name, name) != 0 || !is_ok(other) ||
            !alternated(r, other))
            continue;
        if (!best || llabs(other->time - r->time) < llabs(best->r->time - r->time))
            best = &set->results[i];
    }
    return best;
}

/* ---- launch overhead ----------------------------------------------------------------------------------- */

static double least_midmean(const set_result *run, timing_mode mode)
{
    double least = INFINITY;
    for (int i = 0; i < repetitions_of(run, mode); i++)
        least = fmin(least, run->midmeans_us[mode][i]);
    return least;
}

double run_overhead_us(const set_result *run, timing_mode mode)
{
    const timing_mode_info *info = timing_mode_get(mode);
    if (!info->has_overhead || info->launch == TIMING_GRAPH || strcmp(run->r->device.kind, "cuda") != 0)
        return 0.0;
    const double us = run->r->overhead_us[mode];
    return us > 0 && us < least_midmean(run, mode) ? us : 0.0;
}

/* Mean over the runs that have times; 0 if one of them does not tell its overhead. */
static double mean_overhead(const case_runs *runs, timing_mode mode, double *least, double *most)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < runs->count; i++) {
        if (repetitions_of(runs->results[i], mode) == 0)
            continue;
        const double us = run_overhead_us(runs->results[i], mode);
        if (us == 0.0)
            return 0.0;
        *least = fmin(*least, us), *most = fmax(*most, us);
        sum += us;
        count++;
    }
    return count > 0 ? sum / count : 0.0;
}

overhead_pair find_overheads(const case_pair *pair, timing_mode mode)
{
    double least = INFINITY, most = 0.0;
    overhead_pair out = {.base_us = mean_overhead(&pair->base, mode, &least, &most),
                         .new_us = mean_overhead(&pair->changed, mode, &least, &most)};
    out.differ =
        out.base_us > 0 && out.new_us > 0 && overhead_shift_us(least, most, OVERHEAD_NOISE_US) != 0.0;
    return out;
}

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct value_list {
    double *values, *raw;
    int *run_counts;
    int count, runs;
} value_list;

/* Values of one run; 0 if it has none. `by`: the baseline's result, NULL without. */
static int add_run(value_list *list, const set_result *run, const set_result *by,
                   const value_request *request)
{
    const int count = repetitions_of(run, request->mode), before = list->count;
    const double shift =
        request->overhead_us > 0 ? run_overhead_us(run, request->mode) - request->overhead_us : 0.0;
    if (by && repetitions_of(by, request->mode) != count)
        return 0;
    for (int i = 0; i < count; i++) {
        const double own = run->midmeans_us[request->mode][i];
        const double divisor = by ? by->midmeans_us[request->mode][i] : 1.0;
        if (!(own > 0) || !(divisor > 0))
            continue;
        list->raw[list->count] = own;
        list->values[list->count++] = fmax(own - shift, 0.5 * own) / divisor;
    }
    if (list->count == before)
        return 0;
    list->run_counts[list->runs++] = list->count - before;
    return 1;
}

static void note_lack(side_values *out, const char *what, const char *more)
{
    snprintf(out->lack, sizeof out->lack, "%s%s%s", what, more[0] ? ": " : "", more);
}

static void add_runs(value_list *list, const case_runs *runs, const value_request *request, side_values *out)
{
    for (int i = 0; i < runs->count; i++) {
        const set_result *run = runs->results[i];
        const set_result *by =
            request->baseline ? find_baseline(run->r, request->baseline, request->set) : NULL;
        if (strcmp(run->r->output_check, "fail") == 0)
            note_lack(out, "wrong output while timed", "");
        else if (!is_ok(run->r))
            note_lack(out, result_status_name(run->r->status), run->r->reason);
        else if (request->baseline && !by)
            note_lack(out, "no times of the baseline in the same run", request->baseline);
        else if (!add_run(list, run, by, request))
            note_lack(out, "no times of mode", timing_mode_name(request->mode));
    }
}

assay_status side_values_make(const case_runs *runs, const value_request *request, side_values *out,
                              assay_error *error)
{
    size_t room = 1;
    for (int i = 0; i < runs->count; i++)
        room += (size_t)repetitions_of(runs->results[i], request->mode);
    value_list list = {.values = malloc(room * sizeof(double)),
                       .raw = calloc(room, sizeof(double)),
                       .run_counts = malloc(((size_t)runs->count + 1) * sizeof(int))};
    *out = (side_values){.us = NAN, .side = {.values = list.values, .run_counts = list.run_counts}};
    const int ok = list.values && list.raw && list.run_counts;
    if (ok)
        add_runs(&list, runs, request, out);
    out->side.count = list.count;
    out->side.runs = list.runs;
    out->us = stats_midmean(list.raw, list.count);
    free(list.raw);
    return ok ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a comparison");
}

void side_values_shift(side_values *values, double us)
{
    double *out = (double *)values->side.values; /* made by side_values_make(), so not really constant */
    for (int i = 0; i < values->side.count; i++)
        out[i] = fmax(out[i] - us, 0.5 * out[i]);
}

void side_values_release(side_values *values)
{
    free((void *)values->side.values);
    free((void *)values->side.run_counts);
    *values = (side_values){0};
}

double side_midmean(const case_runs *runs, const value_request *request)
{
    side_values values = {0};
    const assay_status made = side_values_make(runs, request, &values, NULL);
    const double us = made == ASSAY_OK ? stats_midmean(values.side.values, values.side.count) : NAN;
    side_values_release(&values);
    return us;
}

double side_spread(const case_runs *runs, const value_request *request)
{
    side_values values = {0};
    const assay_status made = side_values_make(runs, request, &values, NULL);
    const stats_side *side = &values.side;
    const double spread =
        made == ASSAY_OK && side->count > 0
            ? stats_robust_deviation(side->values, side->count) / stats_median(side->values, side->count)
            : INFINITY;
    side_values_release(&values);
    return spread;
}

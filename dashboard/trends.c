/* From the rows of an op to its trends: one point a commit, in order; change points; speedups over baselines. */
#include "dashboard/site.h"
#include "results/launch_overhead.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By commit; of one commit the result that stands for it first: of a clean tree before a dirty one, then the newest. */
static int compare_points(const void *left, const void *right)
{
    const series_point *a = left, *b = right;
    if (a->commit != b->commit)
        return a->commit < b->commit ? -1 : 1;
    if (a->dirty != b->dirty)
        return a->dirty - b->dirty;
    return (a->time < b->time) - (a->time > b->time);
}

static void keep_one_a_commit(series *one)
{
    int kept = 0;
    qsort(one->points, (size_t)one->count, sizeof *one->points, compare_points);
    for (int i = 0; i < one->count; i++)
        if (kept == 0 || one->points[kept - 1].commit != one->points[i].commit)
            one->points[kept++] = one->points[i];
    one->count = kept;
}

/* Change points among the points with a time that can be relied on; their indices are then those of `points`. */
static void find_changes(site *s, series *one)
{
    double *values = malloc((size_t)one->count * sizeof *values);
    int *at = malloc((size_t)one->count * sizeof *at), count = 0;
    assay_error error = {0};
    for (int i = 0; values && at && i < one->count; i++) {
        if (one->points[i].status != 'o')
            continue;
        values[count] = one->points[i].mean_us;
        at[count++] = i;
    }
    assay_status status = ASSAY_ERR_NO_MEMORY;
    if (values && at)
        status = change_points_find(values, count, NULL, &one->changes, &one->change_count, &error);
    site_fail(s, status, &error);
    for (int i = 0; i < one->change_count; i++)
        one->changes[i].index = at[one->changes[i].index];
    s->summary->changes += one->change_count;
    free(values);
    free(at);
}

static const series_point *newest_point(const series *one)
{
    return one->count > 0 ? &one->points[one->count - 1] : NULL;
}

/* The same function of the same data, measured in the same way. */
static int are_comparable(const series *a, const series *b)
{
    return a->model == b->model && strcmp(a->dtype, b->dtype) == 0 && strcmp(a->size, b->size) == 0 &&
           a->mode == b->mode && strcmp(a->method, b->method) == 0 &&
           strcmp(a->math_mode, b->math_mode) == 0 && strcmp(a->distribution, b->distribution) == 0 &&
           strcmp(a->dims, b->dims) == 0;
}

/* What a baseline's time would be in the kernel's process: results/launch_overhead.h says why. */
static double corrected_us(const series *baseline, const series_point *p, const series_point *kernel)
{
    const int single = timing_mode_get(baseline->mode)->launch == TIMING_ONE_LAUNCH;
    const double us = p->mean_us + (single ? overhead_shift_us(p->overhead_us, kernel->overhead_us,
                                                               OVERHEAD_NOISE_OF_BASELINE_US)
                                           : 0.0);
    return us > 0.0 ? us : p->mean_us;
}

/* The fastest baseline's newest time over this kernel's newest. */
static double speedup_over_baselines(const site *s, const series *one)
{
    const series_point *newest = newest_point(one);
    double best = NAN;
    if (newest == NULL || !(newest->mean_us > 0.0) ||
        strcmp(one->kind, result_kind_name(RESULT_VARIANT)) != 0)
        return NAN;
    for (int i = 0; i < s->series_count; i++) {
        const series *baseline = &s->series[i];
        const series_point *p = newest_point(baseline);
        if (strcmp(baseline->kind, result_kind_name(RESULT_BASELINE)) == 0 && p != NULL && p->mean_us > 0.0 &&
            are_comparable(baseline, one) && !(best <= corrected_us(baseline, p, newest)))
            best = corrected_us(baseline, p, newest);
    }
    return best / newest->mean_us;
}

void site_find_trends(site *s)
{
    for (int i = 0; i < s->series_count; i++) {
        keep_one_a_commit(&s->series[i]);
        find_changes(s, &s->series[i]);
        s->summary->points += s->series[i].count;
    }
    for (int i = 0; i < s->series_count; i++)
        s->series[i].speedup = speedup_over_baselines(s, &s->series[i]);
    s->summary->series += s->series_count;
}

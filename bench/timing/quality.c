/* Quality of a mode's repetitions: see quality.h. */
#include "bench/timing/quality.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VALUES = 8 };
static const double drift_score = 3.29; /* one in a thousand, two-sided */
static const double least_change = 0.01;

typedef struct pool { /* of one mode: all samples, and the repetitions' medians and lags */
    double *all, *medians, *lags;
    int count;
} pool;

static int make_pool(const mode_record *one, pool *p)
{
    const size_t repetitions = (size_t)(one->count > 0 ? one->count : 1);
    *p = (pool){0};
    for (int r = 0; r < one->count; r++)
        p->count += one->repetitions[r].count;
    p->all = malloc(sizeof *p->all * (size_t)(p->count > 0 ? p->count : 1));
    p->medians = malloc(sizeof *p->medians * repetitions);
    p->lags = malloc(sizeof *p->lags * repetitions);
    if (!p->all || !p->medians || !p->lags)
        return 0;
    for (int r = 0, at = 0; r < one->count; at += one->repetitions[r++].count)
        memcpy(p->all + at, one->repetitions[r].us, sizeof *p->all * (size_t)one->repetitions[r].count);
    return 1;
}

static void add_repetitions(const mode_record *one, const pool *p, repetitions_quality *out)
{
    int rising = 0, falling = 0;
    for (int r = 0; r < one->count; r++) {
        sample_quality q;
        quality_of_samples(one->repetitions[r].us, one->repetitions[r].count, &q);
        out->samples += q.count;
        out->effective_samples += q.effective_samples;
        p->medians[r] = stats_median(one->repetitions[r].us, one->repetitions[r].count);
        p->lags[r] = q.lag1;
        const int drifts = fabs(q.drift_z) > drift_score && fabs(q.drift_change) > least_change;
        rising += drifts && q.drift_change > 0.0;
        falling += drifts && q.drift_change < 0.0;
    }
    out->warming = rising > falling ? rising : falling;
    out->lag1 = stats_median(p->lags, one->count);
}

static int find_flags(const mode_record *one, const pool *p, const repetitions_quality *q)
{
    const int n = one->count;
    const double middle = stats_median(p->medians, n);
    const int spread =
        stats_stddev(p->medians, n) > 0.002 * middle; /* below, dependence changes no conclusion */
    return (q->warming >= 2 && 2 * q->warming > n ? QUALITY_WARM_UP : 0) |
           (fabs(q->between.drift_z) > 2.58 && fabs(q->between.drift_change) > least_change ? QUALITY_DRIFT
                                                                                            : 0) |
           (q->outliers > 0.05 * q->samples ? QUALITY_OUTLIERS : 0) |
           (q->modes.bimodal ? QUALITY_BIMODAL : 0) |
           (n >= LEAST_VALUES && spread && q->between.lag1 > 2.0 / sqrt(n) ? QUALITY_DEPENDENT : 0);
}

void quality_of_repetitions(const mode_record *one, repetitions_quality *out)
{
    pool p;
    *out = (repetitions_quality){.median_low = NAN, .median_high = NAN};
    if (make_pool(one, &p) && p.count > 0) {
        add_repetitions(one, &p, out);
        out->outliers = stats_count_outliers(p.all, p.count);
        quality_of_modes(p.all, p.count, &out->modes);
        quality_of_samples(p.medians, one->count, &out->between);
        quality_median_interval(p.medians, one->count, &out->median_low, &out->median_high);
        out->flags = find_flags(one, &p, out);
    }
    free(p.all);
    free(p.medians);
    free(p.lags);
}

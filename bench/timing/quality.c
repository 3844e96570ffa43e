/* Drift, outliers, dependence and modes of samples: see quality.h. */
#include "bench/timing/quality.h"
#include "bench/timing/dip.h"
#include "bench/timing/stats.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VALUES = 8, MOST_MODE_VALUES = 2000 };
static const double outlier_score = 3.5;
static const double least_scale =
    0.002; /* of the median: events tell no finer differences apart at small sizes */
static const double drift_score = 3.29; /* one in a thousand, two-sided */
static const double least_change = 0.01;
static const double least_gap = 0.03, least_share = 0.1;
static const double least_dip =
    0.025; /* a part of the samples: a valley of less is seen with thousands of them, and matters to nobody */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *copy_sorted(const double *values, int count)
{
    double *sorted = malloc(sizeof *sorted * (size_t)(count > 0 ? count : 1));
    if (!sorted)
        return NULL;
    memcpy(sorted, values, sizeof *sorted * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    return sorted;
}

/* Of the scores' variance, what ties take away: t (t-1) (2t+5) for each group of t equal values. */
static double tie_correction(const double *values, int count)
{
    double *sorted = copy_sorted(values, count), sum = 0.0;
    for (int i = 0, run = 1; sorted && i < count; i++, run++)
        if (i + 1 == count || sorted[i + 1] != sorted[i]) {
            sum += (double)run * (run - 1) * (2.0 * run + 5);
            run = 0;
        }
    free(sorted);
    return sum;
}

static double mann_kendall(const double *values, int count)
{
    int64_t score = 0;
    if (count < LEAST_VALUES)
        return 0.0;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
            score += (values[k] > values[i]) - (values[k] < values[i]);
    const double n = count, variance = (n * (n - 1) * (2 * n + 5) - tie_correction(values, count)) / 18.0;
    const double continuous = score > 0 ? (double)score - 1 : score < 0 ? (double)score + 1 : 0.0;
    return variance > 0.0 ? continuous / sqrt(variance) : 0.0;
}

static double change_of_thirds(const double *values, int count)
{
    const int third = count / 3;
    if (third < 1)
        return 0.0;
    const double first = stats_median(values, third), last = stats_median(values + count - third, third);
    return first > 0.0 ? last / first - 1.0 : 0.0;
}

static int count_outliers(const double *values, int count)
{
    const double median = stats_median(values, count);
    double *away = malloc(sizeof *away * (size_t)(count > 0 ? count : 1));
    int outliers = 0;
    for (int i = 0; away && i < count; i++)
        away[i] = fabs(values[i] - median);
    /* 1.4826: the factor from the median absolute deviation to the standard deviation of normal values */
    const double scale = away ? fmax(1.4826 * stats_median(away, count), least_scale * median) : 0.0;
    for (int i = 0; away && scale > 0.0 && i < count; i++)
        outliers += away[i] > outlier_score * scale;
    free(away);
    return outliers;
}

static double autocorrelation(const double *values, int count, double mean, double variance, int lag)
{
    double sum = 0.0;
    for (int i = 0; i + lag < count; i++)
        sum += (values[i] - mean) * (values[i + lag] - mean);
    return sum / variance;
}

/* Lags are summed in pairs until a pair is not positive any more. */
static void find_dependence(const double *values, int count, sample_quality *out)
{
    double mean = stats_mean(values, count), squares = 0.0, sum = 0.0;
    out->effective_samples = count;
    for (int i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    /* Of equal values, rounding leaves a little. */
    if (count < LEAST_VALUES || !(squares > 1e-18 * mean * mean * count))
        return;
    out->lag1 = autocorrelation(values, count, mean, squares, 1);
    for (int lag = 1; lag + 1 < count; lag += 2) {
        const double pair = autocorrelation(values, count, mean, squares, lag) +
                            autocorrelation(values, count, mean, squares, lag + 1);
        if (pair <= 0.0)
            break;
        sum += pair;
    }
    out->effective_samples = fmin(count, fmax(1.0, count / (1.0 + 2.0 * sum)));
}

void quality_of_samples(const double *values, int count, sample_quality *out)
{
    *out = (sample_quality){.count = count};
    if (count < 1)
        return;
    out->drift_z = mann_kendall(values, count);
    out->drift_change = change_of_thirds(values, count);
    out->outliers = count_outliers(values, count);
    find_dependence(values, count, out);
}

/* Clocks count in ticks, and steps of a tick look like modes. Spread every value over the least difference that is there. */
static void spread_over_ticks(double *sorted, int count)
{
    double tick = 0.0;
    for (int i = 1; i < count; i++) {
        const double step = sorted[i] - sorted[i - 1];
        if (step > 1e-9 * sorted[i] && (tick == 0.0 || step < tick))
            tick = step;
    }
    for (int i = 0; i < count; i++)
        sorted[i] += tick * ((double)(stats_random(7, (uint64_t)i) >> 11) * 0x1p-53 - 0.5);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
}

/* The split of sorted values with the least sum of squares about both means; returns the size of the lower part. */
static int split(const double *sorted, int count)
{
    double total = 0.0, below = 0.0, best = -1.0;
    int at = 1;
    for (int i = 0; i < count; i++)
        total += sorted[i];
    for (int i = 1; i < count; i++) {
        below += sorted[i - 1];
        const double gap = below / i - (total - below) / (count - i);
        const double between =
            gap * gap * i * (count - i); /* what the split takes off the sum, times count */
        if (between > best) {
            best = between;
            at = i;
        }
    }
    return at;
}

static void find_modes(double *sorted, int count, mode_quality *out)
{
    const double median = stats_median(sorted, count);
    spread_over_ticks(sorted, count);
    const int low = split(sorted, count);
    out->dip = dip_of_sorted(sorted, count);
    out->dip_critical = dip_critical(count);
    out->low = stats_mean(sorted, low);
    out->high = stats_mean(sorted + low, count - low);
    out->share_high = (double)(count - low) / count;
    out->bimodal = out->dip > fmax(out->dip_critical, least_dip) &&
                   out->high - out->low >= least_gap * median &&
                   fmin(out->share_high, 1.0 - out->share_high) >= least_share;
}

void quality_of_modes(const double *values, int count, mode_quality *out)
{
    *out = (mode_quality){0};
    if (count < 2 * LEAST_VALUES)
        return;
    const int step = (count + MOST_MODE_VALUES - 1) / MOST_MODE_VALUES, used = (count + step - 1) / step;
    double *sorted = malloc(sizeof *sorted * (size_t)used);
    if (!sorted)
        return;
    for (int i = 0; i < used; i++)
        sorted[i] = values[i * step];
    qsort(sorted, (size_t)used, sizeof *sorted, compare_doubles);
    find_modes(sorted, used, out);
    free(sorted);
}

/* The median lies below the k-th smallest of n values with the probability that at most k-1 of n fair coins show heads. */
int quality_median_interval(const double *values, int count, double *low, double *high)
{
    double term = ldexp(1.0, -count), below = term; /* P(heads = 0), P(heads <= k - 1) for k = 1 */
    int k = 1;
    *low = *high = NAN;
    if (count < 6 || count > 1000)
        return 0;
    for (; k < count / 2; k++) { /* widen k while both tails together stay within 5% */
        const double next = term * (count - k + 1) / k;
        if (2.0 * (below + next) > 0.05)
            break;
        term = next;
        below += next;
    }
    double *sorted = copy_sorted(values, count);
    if (!sorted)
        return 0;
    *low = sorted[k - 1];
    *high = sorted[count - k];
    free(sorted);
    return 1;
}

int quality_precision_look(const double *medians, int count, double percent, int *narrow_looks)
{
    enum { LEAST_REPETITIONS = 10, LEAST_LOOKS = 2 };
    double low, high;
    const int narrow = quality_median_interval(medians, count, &low, &high) &&
                       50.0 * (high - low) <= percent * stats_median(medians, count);
    *narrow_looks = narrow ? *narrow_looks + 1 : 0;
    return *narrow_looks >= LEAST_LOOKS && count >= LEAST_REPETITIONS;
}

typedef struct pool { /* of a figure: all samples, and the repetitions' medians and lags */
    double *all, *medians, *lags;
    int count;
} pool;

static int make_pool(const figure_record *figure, pool *p)
{
    const size_t repetitions = (size_t)(figure->count > 0 ? figure->count : 1);
    *p = (pool){0};
    for (int r = 0; r < figure->count; r++)
        p->count += figure->repetitions[r].count;
    p->all = malloc(sizeof *p->all * (size_t)(p->count > 0 ? p->count : 1));
    p->medians = malloc(sizeof *p->medians * repetitions);
    p->lags = malloc(sizeof *p->lags * repetitions);
    if (!p->all || !p->medians || !p->lags)
        return 0;
    for (int r = 0, at = 0; r < figure->count; at += figure->repetitions[r++].count)
        memcpy(p->all + at, figure->repetitions[r].us, sizeof *p->all * (size_t)figure->repetitions[r].count);
    return 1;
}

static void add_repetitions(const figure_record *figure, const pool *p, figure_quality *out)
{
    int rising = 0, falling = 0;
    for (int r = 0; r < figure->count; r++) {
        sample_quality q;
        quality_of_samples(figure->repetitions[r].us, figure->repetitions[r].count, &q);
        out->samples += q.count;
        out->effective_samples += q.effective_samples;
        p->medians[r] = stats_median(figure->repetitions[r].us, figure->repetitions[r].count);
        p->lags[r] = q.lag1;
        const int drifts = fabs(q.drift_z) > drift_score && fabs(q.drift_change) > least_change;
        rising += drifts && q.drift_change > 0.0;
        falling += drifts && q.drift_change < 0.0;
    }
    out->warming = rising > falling ? rising : falling;
    out->lag1 = stats_median(p->lags, figure->count);
}

static int find_flags(const figure_record *figure, const pool *p, const figure_quality *q)
{
    const int n = figure->count;
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

void quality_of_figure(const figure_record *figure, figure_quality *out)
{
    pool p;
    *out = (figure_quality){.median_low = NAN, .median_high = NAN, .precision_percent = NAN};
    if (make_pool(figure, &p) && p.count > 0) {
        add_repetitions(figure, &p, out);
        out->outliers = count_outliers(p.all, p.count);
        quality_of_modes(p.all, p.count, &out->modes);
        quality_of_samples(p.medians, figure->count, &out->between);
        if (quality_median_interval(p.medians, figure->count, &out->median_low, &out->median_high))
            out->precision_percent =
                50.0 * (out->median_high - out->median_low) / stats_median(p.medians, figure->count);
        out->flags = find_flags(figure, &p, out);
    }
    free(p.all);
    free(p.medians);
    free(p.lags);
}

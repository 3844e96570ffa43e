/* Drift, outliers, dependence and modes of samples: see sample_quality.h. */
#include "statistics/sample_quality.h"
#include "statistics/describe.h"
#include "statistics/dip_test.h"
#include "statistics/random.h"
#include "statistics/rank_tests.h"
#include "core/memory.h"
#include <math.h>
#include <stdlib.h>

enum { LEAST_VALUES = 8, MOST_MODE_VALUES = 2000 };
static const double outlier_score = 3.5;
static const double least_scale =
    0.002; /* of the median: events tell no finer differences apart at small sizes */
static const double least_gap = 0.03, least_share = 0.1;
static const double least_dip =
    0.025; /* a part of the samples: a valley of less is seen with thousands of them, and matters to nobody */

static double change_of_thirds(const double *values, int count)
{
    const int third = count / 3;
    if (third < 1)
        return 0.0;
    const double first = stats_median(values, third), last = stats_median(values + count - third, third);
    return first > 0.0 ? last / first - 1.0 : 0.0;
}

int stats_count_outliers(const double *values, int count)
{
    const double median = stats_median(values, count);
    const double scale = fmax(stats_robust_deviation(values, count), least_scale * median);
    int outliers = 0;
    for (int i = 0; scale > 0.0 && i < count; i++)
        outliers += fabs(values[i] - median) > outlier_score * scale;
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
    out->drift_z = stats_trend(values, count);
    out->drift_change = change_of_thirds(values, count);
    out->outliers = stats_count_outliers(values, count);
    find_dependence(values, count, out);
}

/* Clocks count in ticks, and steps of a tick look like modes. Spread every value over the least difference
 * that is there. */
static void spread_over_ticks(double *sorted, int count)
{
    double tick = 0.0;
    for (int i = 1; i < count; i++) {
        const double step = sorted[i] - sorted[i - 1];
        if (step > 1e-9 * sorted[i] && (tick == 0.0 || step < tick))
            tick = step;
    }
    for (int i = 0; i < count; i++)
        sorted[i] += tick * (stats_random_uniform(7, (uint64_t)i) - 0.5);
    stats_sort(sorted, count);
}

/* The split of sorted values with the least sum of squares about both means; returns the size of the lower
 * part. */
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
    double *sorted = memory_need(sizeof *sorted * (size_t)used);
    for (int i = 0; i < used; i++)
        sorted[i] = values[i * step];
    stats_sort(sorted, used);
    find_modes(sorted, used, out);
    free(sorted);
}

/* The median lies below the k-th smallest of n values with the probability that at most k-1 of n fair coins
 * show heads. */
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
    double *sorted = stats_sorted_copy(values, count);
    *low = sorted[k - 1];
    *high = sorted[count - k];
    free(sorted);
    return 1;
}

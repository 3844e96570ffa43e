/* Statistics of samples: see describe.h. */
#include "statistics/describe.h"
#include "core/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, int count)
{
    if (count > 1)
        qsort(values, (size_t)count, sizeof *values, compare_doubles);
}

double *stats_sorted_copy(const double *values, int count)
{
    double *sorted = memory_need(sizeof *sorted * (size_t)count);
    if (count > 0) {
        memcpy(sorted, values, sizeof *sorted * (size_t)count);
        stats_sort(sorted, count);
    }
    return sorted;
}

double stats_mean(const double *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / count : 0.0;
}

double stats_min(const double *values, int count)
{
    double least = count > 0 ? values[0] : 0.0;
    for (int i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

double stats_stddev(const double *values, int count)
{
    if (count < 2)
        return 0.0;
    const double mean = stats_mean(values, count);
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (count - 1));
}

double stats_sorted_quantile(const double *sorted, int count, double q)
{
    const double position = q * (count - 1);
    const int below = (int)position;
    const int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

double stats_quantile(const double *values, int count, double q)
{
    if (count < 1)
        return 0.0;
    double *sorted = stats_sorted_copy(values, count);
    const double value = stats_sorted_quantile(sorted, count, q);
    free(sorted);
    return value;
}

double stats_robust_deviation(const double *values, int count)
{
    if (count < 1)
        return 0.0;
    const double median = stats_median(values, count);
    double *away = memory_need(sizeof *away * (size_t)count);
    for (int i = 0; i < count; i++)
        away[i] = fabs(values[i] - median);
    const double deviation = 1.4826 * stats_median(away, count);
    free(away);
    return deviation;
}

double stats_sorted_midmean(const double *sorted, int count)
{
    const int cut = count / 4;
    return count > 0 ? stats_mean(sorted + cut, count - 2 * cut) : NAN;
}

double stats_midmean(const double *values, int count)
{
    if (count < 1)
        return NAN;
    double *sorted = stats_sorted_copy(values, count);
    const double midmean = stats_sorted_midmean(sorted, count);
    free(sorted);
    return midmean;
}

/* Trapezoids between the quartiles, which lie on quantiles for 4n + 1 of them and else are the nearest
 * outside. */
double stats_midmean_of_quantiles(const double *quantiles, int count)
{
    if (count <= 0)
        return NAN;
    const int low = (count - 1) / 4, high = count - 1 - low;
    double sum = 0.0;
    for (int i = low; i < high; i++)
        sum += 0.5 * (quantiles[i] + quantiles[i + 1]);
    return high > low ? sum / (high - low) : quantiles[low];
}

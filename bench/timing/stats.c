/* Statistics of samples: see stats.h. */
#include "bench/timing/stats.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 4000 };

uint64_t stats_random(uint64_t seed, uint64_t counter)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Index below `count`; the bias of the multiplication is under 2^-32 for the counts used here. */
static int random_index(uint64_t seed, uint64_t counter, int count)
{
    return (int)(((stats_random(seed, counter) >> 32) * (uint64_t)count) >> 32);
}

void stats_shuffle(uint64_t seed, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = random_index(seed, (uint64_t)i, i + 1);
        const int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
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

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_quantile(const double *sorted, int count, double q)
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
    double *sorted = malloc(sizeof *sorted * (size_t)count);
    if (!sorted)
        return -1.0;
    memcpy(sorted, values, sizeof *sorted * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    const double value = sorted_quantile(sorted, count, q);
    free(sorted);
    return value;
}

void stats_bootstrap_mean95(const double *values, int count, uint64_t seed, double *low, double *high)
{
    static double means[RESAMPLES]; /* not on the stack; the harness is single-threaded */
    *low = *high = stats_mean(values, count);
    if (count < 2)
        return;
    uint64_t counter = 0;
    for (int r = 0; r < RESAMPLES; r++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum += values[random_index(seed, counter++, count)];
        means[r] = sum / count;
    }
    qsort(means, RESAMPLES, sizeof *means, compare_doubles);
    *low = sorted_quantile(means, RESAMPLES, 0.025);
    *high = sorted_quantile(means, RESAMPLES, 0.975);
}

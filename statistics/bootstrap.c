/* Intervals by resampling: see bootstrap.h. */
#include "statistics/bootstrap.h"
#include "statistics/describe.h"
#include "statistics/random.h"
#include "core/memory.h"
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 4000, RUNS_THAT_TELL = 3 };

void stats_bootstrap_mean95(const double *values, int count, uint64_t seed, double *low, double *high)
{
    *low = *high = stats_mean(values, count);
    if (count <= 1)
        return;
    double *means = memory_need(RESAMPLES * sizeof *means);
    uint64_t counter = 0;
    for (int r = 0; r < RESAMPLES; r++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum += values[stats_random_below(seed, counter++, count)];
        means[r] = sum / count;
    }
    stats_sort(means, RESAMPLES);
    *low = stats_sorted_quantile(means, RESAMPLES, 0.025);
    *high = stats_sorted_quantile(means, RESAMPLES, 0.975);
    free(means);
}

/* Midmean of a handful, which it sorts: insertion sort beats the library's call by far, and this is the inner
 * loop. */
static double midmean_in_place(double *values, int count)
{
    if (count > 64)
        stats_sort(values, count);
    for (int i = 1; i < count && count <= 64; i++) {
        const double value = values[i];
        int j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
    return stats_sorted_midmean(values, count);
}

/* One resample's midmean. `scratch` has room for runs times the longest run. */
static double resample(const stats_side *side, const int *starts, double run_deviation, uint64_t seed,
                       uint64_t *counter, double *scratch)
{
    int count = 0;
    for (int i = 0; i < side->runs; i++) {
        const int run = side->runs > 1 ? stats_random_below(seed, (*counter)++, side->runs) : 0;
        for (int r = 0; r < side->run_counts[run]; r++)
            scratch[count++] =
                side->values[starts[run] + stats_random_below(seed, (*counter)++, side->run_counts[run])];
    }
    const double midmean = midmean_in_place(scratch, count);
    if (side->runs >= RUNS_THAT_TELL)
        return midmean;
    *counter += 2;
    return midmean * exp(run_deviation / sqrt(side->runs) * stats_random_normal(seed, *counter - 2));
}

static double deviation_of_logs(const double *values, int count)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < count; i++) {
        const double x = log(values[i]);
        sum += x;
        squares += x * x;
    }
    return sqrt(fmax(squares / count - sum / count * (sum / count), 0.0));
}

static int longest_run(const stats_side *side)
{
    int longest = 0;
    for (int i = 0; i < side->runs; i++)
        longest = side->run_counts[i] > longest ? side->run_counts[i] : longest;
    return longest;
}

static void find_starts(const stats_side *side, int *starts)
{
    for (int i = 0, at = 0; i < side->runs; at += side->run_counts[i++])
        starts[i] = at;
}

/* Resampled ratios, which it sorts, as what a caller wants to know of them. */
static ratio_interval summarise(double *ratios, double ratio)
{
    const double deviation = deviation_of_logs(ratios, RESAMPLES);
    stats_sort(ratios, RESAMPLES);
    return (ratio_interval){ratio,
                            ratios[RESAMPLES / 40],
                            ratios[RESAMPLES - 1 - RESAMPLES / 40],
                            ratios[RESAMPLES / 20],
                            ratios[RESAMPLES - 1 - RESAMPLES / 20],
                            deviation};
}

assay_status stats_bootstrap_ratio(const stats_side *a, const stats_side *b, double run_deviation,
                                   uint64_t seed, ratio_interval *out, assay_error *error)
{
    const int a_room = longest_run(a) * a->runs, b_room = longest_run(b) * b->runs;
    const int room = a_room > b_room ? a_room : b_room;
    if (a_room < 1 || b_room < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "a comparison needs values on both sides");
    double *ratios = memory_need(((size_t)RESAMPLES + (size_t)room) * sizeof *ratios);
    int *starts = memory_need((size_t)(a->runs + b->runs) * sizeof *starts);
    uint64_t counter = 0;
    double *scratch = ratios + RESAMPLES;
    find_starts(a, starts);
    find_starts(b, starts + a->runs);
    for (int i = 0; i < RESAMPLES; i++) {
        const double below = resample(a, starts, run_deviation, seed, &counter, scratch);
        ratios[i] = resample(b, starts + a->runs, run_deviation, seed, &counter, scratch) / below;
    }
    *out = summarise(ratios, stats_midmean(b->values, b->count) / stats_midmean(a->values, a->count));
    free(ratios);
    free(starts);
    return ASSAY_OK;
}

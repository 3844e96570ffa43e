/* Statistics of samples: plain functions of arrays, no state, the same result on every machine. */
#ifndef ASSAY_BENCH_STATS_H
#define ASSAY_BENCH_STATS_H

#include <stdint.h>

/* A counter-based generator (SplitMix64's output function over seed and counter; Steele, Lea, Flood, OOPSLA
 * 2014): word `counter` of the stream `seed`. Used for the order of turns and for resampling, never for
 * inputs. */
uint64_t stats_random(uint64_t seed, uint64_t counter);

/* A uniform permutation of 0 .. count-1 (Fisher-Yates), a function of the seed alone. */
void stats_shuffle(uint64_t seed, int *order, int count);

/* All of these return 0 for an empty array. */
double stats_mean(const double *values, int count);
double stats_min(const double *values, int count);
/* Sample standard deviation (n - 1); 0 for one value. */
double stats_stddev(const double *values, int count);
/* Quantile q in [0, 1] by linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996:
 * what numpy and R do by default). The values need not be sorted; they are copied. Negative if memory is
 * short. */
double stats_quantile(const double *values, int count, double q);
static inline double stats_median(const double *values, int count)
{
    return stats_quantile(values, count, 0.5);
}

/* 95% percentile-bootstrap interval of the mean (Efron, 1979), 4000 resamples with a fixed seed. With one
 * value both ends are that value: there is nothing to resample, and the caller should say so. */
void stats_bootstrap_mean95(const double *values, int count, uint64_t seed, double *low, double *high);

#endif

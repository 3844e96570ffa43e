/* Intervals by resampling: of a mean, and of the ratio of two midmeans. The same values give the same
 * interval on every machine.
 *
 * A "value" is the midmean of one repetition, a "run" the repetitions of one process. Samples of a repetition
 * are correlated with each other, so they are never counted as independent: repetitions are the smallest unit
 * that is resampled. */
#ifndef ASSAY_STATISTICS_BOOTSTRAP_H
#define ASSAY_STATISTICS_BOOTSTRAP_H

#include <assay/status.h>
#include <stdint.h>

/* 95% percentile-bootstrap interval of the mean (Efron, 1979), 4000 resamples. With one value both ends are
 * that value: there is nothing to resample, and the caller should say so. Both ends are the mean without
 * memory, too. */
void stats_bootstrap_mean95(const double *values, int count, uint64_t seed, double *low, double *high);

/* One side of a comparison: `count` values, run by run; run i has run_counts[i] of them. */
typedef struct stats_side {
    const double *values;
    int count;
    const int *run_counts;
    int runs;
} stats_side;

typedef struct ratio_interval {
    double ratio;         /* midmean of b's values over midmean of a's */
    double low95, high95; /* 95% interval */
    double low90, high90; /* 90%: what two one-sided tests at 5% look at (Schuirmann, 1987) */
    double deviation;     /* standard deviation of the ratio's logarithm */
} ratio_interval;

/* Percentile bootstrap of the ratio of midmeans. Two stages: runs are drawn with replacement, then their
 * repetitions. One run tells nothing of what differs from process to process. For a side with one or two, a
 * normal factor with relative deviation `run_deviation` / sqrt(runs) stands for that. 4000 resamples from
 * `seed`. ASSAY_ERR_INVALID: a side without values. */
assay_status stats_bootstrap_ratio(const stats_side *a, const stats_side *b, double run_deviation,
                                   uint64_t seed, ratio_interval *out, assay_error *error);

#endif

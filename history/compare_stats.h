/* The statistics of a comparison: plain functions of arrays, no state, the same result on every machine. docs/comparison.md says why these.
 *
 * A "value" is the location of one repetition (turn) of a case, a "run" the repetitions of one process. Samples of a repetition are
 * correlated with each other, so they are never counted as independent: repetitions are the smallest unit that is tested or resampled. */
#ifndef ASSAY_HISTORY_COMPARE_STATS_H
#define ASSAY_HISTORY_COMPARE_STATS_H

#include "core/location.h"
#include <assay/status.h>
#include <stdint.h>

/* stats_location() from equidistant quantiles (minimum ... maximum), which an export leaves instead of samples. */
double stats_location_of_quantiles(const double *quantiles, int count);

/* Median of values; `values` stays as it is. NAN for none or without memory. */
double stats_median_of(const double *values, int count);

typedef struct mann_whitney {
    double u;     /* pairs in which b is greater, ties half */
    double p;     /* two-sided */
    double delta; /* Cliff's delta (Cliff 1993): P(b > a) - P(b < a), -1 ... 1 */
    int exact;    /* p from the exact distribution (no ties, both at most 40) and not from the normal one */
} mann_whitney;

/* Mann and Whitney 1947. Exact p by counting (recurrence of their section 3), else normal with the correction for ties and continuity. */
assay_status stats_mann_whitney(const double *a, int a_count, const double *b, int b_count, mann_whitney *out,
                                assay_error *error);

/* Wilcoxon 1945: of pairs, whether one of the two is greater, from the ranks of the differences. `values` are the ratios b / a of the pairs.
 * `out->u` is the sum of the ranks of ratios above 1, `out->delta` that less the others' over all (matched rank-biserial correlation, Kerby
 * 2014). Exact p by counting for up to 40 pairs without ties, else normal with the correction for ties. Ratios of exactly 1 are left out. */
assay_status stats_signed_rank(const double *ratios, int count, mann_whitney *out, assay_error *error);

/* One side of a comparison: `count` values, run by run; run i has run_counts[i] of them. */
typedef struct stats_side {
    const double *values;
    int count;
    const int *run_counts;
    int runs;
} stats_side;

typedef struct ratio_interval {
    double ratio;         /* location of b's values over location of a's */
    double low95, high95; /* 95% interval */
    double low90, high90; /* 90%: what two one-sided tests at 5% look at (Schuirmann 1987) */
    double deviation;     /* standard deviation of the ratio's logarithm */
} ratio_interval;

/* Percentile bootstrap of the ratio of locations. Two stages: runs are drawn with replacement, then their repetitions. One run tells nothing
 * of what differs from process to process; for a side with one or two, a normal factor with relative deviation `run_deviation` / sqrt(runs)
 * stands for that. 4000 resamples from `seed`. */
assay_status stats_bootstrap_ratio(const stats_side *a, const stats_side *b, double run_deviation,
                                   uint64_t seed, ratio_interval *out, assay_error *error);

/* The same of ratios b / a of pairs, run by run: what the two sides of a pair share has cancelled. `run_deviation` is that of one side. */
assay_status stats_bootstrap_pairs(const stats_side *ratios, double run_deviation, uint64_t seed,
                                   ratio_interval *out, assay_error *error);

/* Benjamini and Hochberg 1995: adjusted p-values, in place of `p`, in its order. */
assay_status stats_benjamini_hochberg(double *p, int count, assay_error *error);

#endif

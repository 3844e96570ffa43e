/* How far values are from what statistics take for granted: the same distribution throughout, one mode,
 * independence, no outliers.
 *
 * Sources: drift: rank_tests.h. Outliers: B. Iglewicz and D. Hoaglin, "How to Detect and Handle Outliers",
 * 1993 (modified z-score above 3.5). Two modes: dip_test.h for significance; the parts are those that
 * minimise the sum of squares (W. D. Fisher, JASA 53, 1958, two groups). Effective sample size: C. J. Geyer,
 * Statistical Science 7, 1992 (initial positive sequence). Interval of a median: W. J. Conover, "Practical
 * Nonparametric Statistics", section 3.2. */
#ifndef ASSAY_STATISTICS_SAMPLE_QUALITY_H
#define ASSAY_STATISTICS_SAMPLE_QUALITY_H

typedef struct sample_quality { /* of values in the order taken */
    int count;
    double drift_z;           /* Mann-Kendall's normal score; 0 for fewer than 8 values */
    double drift_change;      /* median of the last third over that of the first, minus 1 */
    int outliers;             /* modified z-score above 3.5 */
    double lag1;              /* autocorrelation with the next value; 0 for fewer than 8 values */
    double effective_samples; /* independent values that tell as much about the mean; `count` at most */
} sample_quality;

typedef struct mode_quality { /* of values in any order */
    double dip, dip_critical; /* 0: too few values */
    double low, high;         /* means of the two parts */
    double share_high;        /* part of the values in the upper one */
    int bimodal; /* dip above critical and 0.025, parts 3% or more of the median apart, 10% or more in each */
} mode_quality;

void quality_of_samples(const double *values, int count, sample_quality *out);
/* `out` is zeroed if memory is short. Sorts a copy. */
void quality_of_modes(const double *values, int count, mode_quality *out);
/* Interval of the median that holds it in at least 95 of 100 cases, by order statistics alone; 0 for fewer
 * than six values. */
int quality_median_interval(const double *values, int count, double *low, double *high);
int stats_count_outliers(const double *values, int count);

#endif

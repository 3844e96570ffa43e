/* How far samples are from what statistics take for granted: the same distribution throughout, one mode, independence, no strays.
 * Nothing is dropped or corrected here: findings go into the result beside the figures (docs/measurement.md, "Quality of samples").
 *
 * Sources: drift: H. B. Mann, Econometrica 13, 1945 (the Mann-Kendall test). Outliers: B. Iglewicz and D. Hoaglin, "How to Detect and
 * Handle Outliers", 1993 (modified z-score above 3.5). Two modes: dip.h for significance; the parts are those that minimise
 * the sum of squares (W. D. Fisher, JASA 53, 1958, two groups). Effective sample size: C. J. Geyer, Statistical Science 7, 1992 (initial
 * positive sequence). Interval of a median: W. J. Conover, "Practical Nonparametric Statistics", section 3.2. */
#ifndef ASSAY_BENCH_QUALITY_H
#define ASSAY_BENCH_QUALITY_H

#include "bench/run/record.h"
#include <jansson.h>

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

enum {
    QUALITY_WARM_UP = 1,   /* repetitions change from beginning to end, most of them the same way */
    QUALITY_DRIFT = 2,     /* repetitions change from the first to the last */
    QUALITY_OUTLIERS = 4,  /* more than 5% of the samples */
    QUALITY_BIMODAL = 8,   /* two clusters: a mean of both describes neither */
    QUALITY_DEPENDENT = 16 /* repetitions follow each other: the interval is too narrow */
};

typedef struct figure_quality {
    int flags;
    int samples, outliers;
    double effective_samples; /* over all repetitions */
    double lag1;              /* median of the repetitions' */
    int warming; /* repetitions with a significant drift of more than 1% in the direction that more of them have */
    sample_quality between; /* of the repetitions' medians */
    mode_quality modes;     /* of all samples */
    double median_low,
        median_high; /* 95% interval of the median, from the repetitions' medians; NAN if there are fewer than six */
    double precision_percent; /* half its width in percent of their median; NAN if unknown */
} figure_quality;

void quality_of_samples(const double *values, int count, sample_quality *out);
/* `out` is zeroed if memory is short. Sorts a copy. */
void quality_of_modes(const double *values, int count, mode_quality *out);
/* Interval of the median that holds it in at least 95 of 100 cases, by order statistics alone; 0 for fewer than six values. */
int quality_median_interval(const double *values, int count, double *low, double *high);
/* The adaptive protocol's look at the repetitions' medians after each of them: 1 if half of the interval is no more than `percent` of their
 * median. By chance it is narrow too early once in a while; so it has to be narrow twice in a row, which *narrow_looks (0 at first) counts, and
 * after ten repetitions at the earliest. Of normal values, the interval at which this stops holds the median in 94 to 98 of 100 cases. */
int quality_precision_look(const double *medians, int count, double percent, int *narrow_looks);
void quality_of_figure(const figure_record *figure, figure_quality *out);

/* "warm-up", "drift", "outliers", "bimodal", "dependent": an array. New references. */
json_t *quality_flags_json(int flags);
json_t *quality_json(const figure_quality *quality);
json_t *quality_samples_json(const sample_quality *quality);

#endif

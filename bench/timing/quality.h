/* Whether the repetitions of a figure are what statistics take for granted: the same distribution throughout, one mode, independence, no outliers.
 * Nothing is dropped or corrected here: findings go into the result beside the times (docs/measurement.md, "Quality of samples"). What is
 * known of values alone is in statistics/sample_quality.h. */
#ifndef ASSAY_BENCH_QUALITY_H
#define ASSAY_BENCH_QUALITY_H

#include "bench/run/record.h"
#include "statistics/sample_quality.h"
#include <jansson.h>

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

void quality_of_figure(const figure_record *figure, figure_quality *out);

/* "warm-up", "drift", "outliers", "bimodal", "dependent": an array. New references. */
json_t *quality_flags_json(int flags);
json_t *quality_json(const figure_quality *quality);
json_t *quality_samples_json(const sample_quality *quality);

#endif

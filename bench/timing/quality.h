/* Whether the repetitions of a mode are what statistics take for granted: the same distribution throughout, one mode, independence, no outliers.
 * Nothing is dropped or corrected here: findings go into the result beside the times (docs/measurement-quality.md). What is
 * known of values alone is in statistics/sample_quality.h. */
#ifndef ASSAY_BENCH_QUALITY_H
#define ASSAY_BENCH_QUALITY_H

#include "bench/run/record.h"
#include "statistics/sample_quality.h"

enum { /* as results have them */
       QUALITY_WARM_UP = RESULT_FLAW_WARM_UP,
       QUALITY_DRIFT = RESULT_FLAW_DRIFT,
       QUALITY_OUTLIERS = RESULT_FLAW_OUTLIERS,
       QUALITY_BIMODAL = RESULT_FLAW_BIMODAL,
       QUALITY_DEPENDENT = RESULT_FLAW_DEPENDENT
};

typedef struct repetitions_quality {
    int flags;
    int samples, outliers;
    double effective_samples; /* over all repetitions */
    double lag1;              /* median of the repetitions' */
    int warming; /* repetitions with a significant drift of more than 1% in the direction that more of them have */
    sample_quality between; /* of the repetitions' medians */
    mode_quality modes;     /* of all samples */
    double median_low,
        median_high; /* 95% interval of the median, from the repetitions' medians; NAN if there are fewer than six */
} repetitions_quality;

void quality_of_repetitions(const mode_record *one, repetitions_quality *out);

#endif

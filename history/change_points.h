/* Change points of a series: where the level of a case's time moved and stayed moved.
 *
 * Method: E-divisive means (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA
 * 109, 2014), with the permutation test replaced by Welch's t test on the two segments, as Fleming et al., "Hunter: Using
 * Change Point Detection to Hunt for Performance Regressions", ICPE 2023, do, so that the same series always gives the same points.
 * Plain functions of arrays; knows nothing of databases. */
#ifndef ASSAY_HISTORY_CHANGE_POINTS_H
#define ASSAY_HISTORY_CHANGE_POINTS_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct change_options {
    double significance;   /* of each split; 0: 0.001 */
    double minimum_change; /* relative change of the level that matters; 0: 0.02 */
    int minimum_segment;   /* points on either side; 0: 3 */
} change_options;

typedef struct change_point {
    int index;            /* first point of the new level */
    double before, after; /* medians of the two segments */
    double ratio;         /* after / before */
    double p;             /* of the split */
} change_point;

/* Points in order of index; *points is malloc'ed (NULL if there are none). Values must be positive and finite (ASSAY_ERR_INVALID).
 * `options` may be NULL. */
assay_status change_points_find(const double *values, int count, const change_options *options,
                                change_point **points, int *point_count, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

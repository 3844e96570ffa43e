/* Change points of a series: where the level of a case's time moved and stayed moved.
 *
 * Method: E-divisive (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
 * Multivariate Data", JASA 109(505), 2014, with alpha = 1) on the logarithms, which compares the two sides of
 * a split by their energy distance, assumes no distribution, and judges a split by a permutation test;
 * MongoDB (Daly et al., ICPE 2020) and Hunter (Fleming et al., ICPE 2023) watch benchmarks with it. The
 * permutation test is kept, where Hunter takes a t test: the split is the best of all, so a test that does
 * not know of the choice finds too many. Permutations come from a fixed seed: the same series always gives
 * the same points. Other differences from the paper: each segment is split by itself, which changes only the
 * order of the tests; long series are looked at through overlapping windows; and, as in Hunter, changes that
 * are too small to matter are taken back. Plain functions of arrays; knows nothing of databases. */
#ifndef ASSAY_STATISTICS_CHANGE_POINTS_H
#define ASSAY_STATISTICS_CHANGE_POINTS_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct change_options {
    double significance;   /* largest p of a split; 0: 0.001, as a history holds thousands of series */
    double minimum_change; /* relative change of the level that matters; 0: 0.02; negative: any */
    int minimum_segment; /* points on either side; 0: 3, so that one or two odd runs are no change; at least 2
                          */
    int permutations;    /* of each split's test; 0: 999 */
    int window;          /* longest stretch looked at in one piece; 0: 128 (time grows with its square) */
} change_options;

typedef struct change_point {
    int index;            /* first point of the new level */
    double before, after; /* medians of the two segments */
    double ratio;         /* after / before */
    double p;             /* of the split */
} change_point;

/* Points in order of index; *points is malloc'ed (NULL if there are none). Values must be positive and finite
 * (ASSAY_ERR_INVALID). `options` may be NULL. */
assay_status change_points_find(const double *values, int count, const change_options *options,
                                change_point **points, int *point_count, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* Rank tests: whether two samples differ, whether a series drifts; and the correction for many tests. */
#ifndef ASSAY_STATISTICS_RANK_TESTS_H
#define ASSAY_STATISTICS_RANK_TESTS_H

#include <assay/status.h>

typedef struct mann_whitney {
    double u;     /* pairs in which b is greater, ties half */
    double p;     /* two-sided */
    double delta; /* Cliff's delta (Cliff 1993): P(b > a) - P(b < a), -1 ... 1 */
    int exact;    /* p from the exact distribution (no ties, both at most 40) and not from the normal one */
} mann_whitney;

/* Mann and Whitney 1947. Exact p by counting (recurrence of their section 3), else normal with the correction
 * for ties and continuity. */
assay_status stats_mann_whitney(const double *a, int a_count, const double *b, int b_count, mann_whitney *out,
                                assay_error *error);

/* Mann-Kendall's test of a trend (Mann, Econometrica 13, 1945), with the correction for ties: a normal score,
 * above 0 for rising values. 0 for fewer than 8 values. */
double stats_trend(const double *values, int count);

/* Benjamini and Hochberg 1995: adjusted p-values, in place of `p`, in its order. */
assay_status stats_benjamini_hochberg(double *p, int count, assay_error *error);

#endif

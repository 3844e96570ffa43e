/* Rank tests and their correction: see rank_tests.h. */
#include "statistics/rank_tests.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_MOST = 40, TREND_LEAST = 8 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* P(U <= u) without ties: how many of the C(m+n, m) orders have at most u pairs. counts[i][k] for the
 * recurrence over the second sample's size: f(m, n, k) = f(m-1, n, k-n) + f(m, n-1, k). */
static double exact_lower_tail(int m, int n, int u, assay_status *status)
{
    const size_t width = (size_t)m * (size_t)n + 1;
    double *f = calloc((size_t)(m + 1) * width, sizeof *f);
    if (!f) {
        *status = ASSAY_ERR_NO_MEMORY;
        return 1.0;
    }
    for (int i = 0; i <= m; i++)
        f[(size_t)i * width] = 1.0; /* nothing in the second sample: one order, no pairs */
    for (int j = 1; j <= n; j++)
        for (int i = 1; i <= m; i++)
            for (size_t k = width; k-- > (size_t)j;) /* row i - 1 already is of j, row i still of j - 1 */
                f[(size_t)i * width + k] += f[(size_t)(i - 1) * width + k - (size_t)j];
    double below = 0.0, all = 0.0;
    for (size_t k = 0; k < width; k++) {
        all += f[(size_t)m * width + k];
        below += k <= (size_t)u ? f[(size_t)m * width + k] : 0.0;
    }
    free(f);
    return below / all;
}

/* Sum over groups of equal values of t^3 - t, in both samples together. */
static double tie_sum(const double *a, int a_count, const double *b, int b_count, int *ties,
                      assay_status *status)
{
    const int n = a_count + b_count;
    double *all = malloc((size_t)n * sizeof *all), sum = 0.0;
    *ties = 0;
    if (!all) {
        *status = ASSAY_ERR_NO_MEMORY;
        return 0.0;
    }
    memcpy(all, a, (size_t)a_count * sizeof *a);
    memcpy(all + a_count, b, (size_t)b_count * sizeof *b);
    stats_sort(all, n);
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && all[j] == all[i]; j++)
            ;
        const double t = j - i;
        sum += t * t * t - t;
        *ties |= t > 1;
    }
    free(all);
    return sum;
}

static double normal_p(double u, int m, int n, double ties)
{
    const double count = m + n, mean = 0.5 * m * n;
    const double variance = (double)m * n / 12.0 * (count + 1.0 - ties / (count * (count - 1.0)));
    const double distance = fmax(fabs(u - mean) - 0.5, 0.0);
    return variance > 0.0 ? fmin(1.0, erfc(distance / sqrt(2.0 * variance))) : 1.0;
}

assay_status stats_mann_whitney(const double *a, int a_count, const double *b, int b_count, mann_whitney *out,
                                assay_error *error)
{
    int ties = 0;
    assay_status status = ASSAY_OK;
    *out = (mann_whitney){.p = 1.0};
    if (a_count < 1 || b_count < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "a comparison needs values on both sides");
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            out->u += b[j] > a[i] ? 1.0 : b[j] == a[i] ? 0.5 : 0.0;
    out->delta = 2.0 * out->u / ((double)a_count * b_count) - 1.0;
    const double sum = tie_sum(a, a_count, b, b_count, &ties, &status);
    out->exact = !ties && a_count <= EXACT_MOST && b_count <= EXACT_MOST;
    if (out->exact) {
        const double lesser = fmin(out->u, (double)a_count * b_count - out->u);
        out->p = fmin(1.0, 2.0 * exact_lower_tail(a_count, b_count, (int)lesser, &status));
    } else
        out->p = normal_p(out->u, a_count, b_count, sum);
    return status == ASSAY_OK ? status : assay_error_set(error, status, "no memory for a rank test");
}

/* Of the scores' variance, what ties take away: t (t-1) (2t+5) for each group of t equal values. */
static double tie_correction(const double *values, int count)
{
    double *sorted = stats_sorted_copy(values, count), sum = 0.0;
    for (int i = 0, run = 1; i < count; i++, run++)
        if (i + 1 == count || sorted[i + 1] != sorted[i]) {
            sum += (double)run * (run - 1) * (2.0 * run + 5);
            run = 0;
        }
    free(sorted);
    return sum;
}

double stats_trend(const double *values, int count)
{
    int64_t score = 0;
    if (count < TREND_LEAST)
        return 0.0;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
            score += (values[k] > values[i]) - (values[k] < values[i]);
    const double n = count, variance = (n * (n - 1) * (2 * n + 5) - tie_correction(values, count)) / 18.0;
    const double continuous = score > 0 ? (double)score - 1 : score < 0 ? (double)score + 1 : 0.0;
    return variance > 0.0 ? continuous / sqrt(variance) : 0.0;
}

typedef struct ranked {
    double p;
    int at;
} ranked;

static int by_p(const void *a, const void *b)
{
    return by_value(&((const ranked *)a)->p, &((const ranked *)b)->p);
}

assay_status stats_benjamini_hochberg(double *p, int count, assay_error *error)
{
    if (count < 1)
        return ASSAY_OK;
    ranked *order = malloc((size_t)count * sizeof *order);
    if (!order)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a correction of %d tests", count);
    for (int i = 0; i < count; i++)
        order[i] = (ranked){p[i], i};
    qsort(order, (size_t)count, sizeof *order, by_p);
    double least = 1.0;
    for (int i = count - 1; i >= 0; i--) {
        least = fmin(least, order[i].p * count / (i + 1));
        p[order[i].at] = least;
    }
    free(order);
    return ASSAY_OK;
}

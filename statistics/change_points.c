/* E-divisive change points; the header says which method and what differs. */
#include "statistics/change_points.h"
#include "statistics/describe.h"
#include "statistics/random.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 0x5eed };

typedef struct split {
    int index; /* first point of the right side; 0 for none */
    double q;  /* the statistic */
    double p;
} split;

typedef struct finder {
    change_options options;
    double *shuffled, *sums; /* scratch: window, and 3 * (window + 1) */
    uint64_t random;         /* counter of the words taken */
    split *splits;
    int split_count, split_capacity;
} finder;

static void shuffle(double *z, int n, uint64_t *counter)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = stats_random_below(SEED, (*counter)++, i + 1);
        const double kept = z[i];
        z[i] = z[j];
        z[j] = kept;
    }
}

/* The split of z[0, n) that maximises mr/(m+r) * E(z[0, t), z[t, k)) over t and k, where E is the energy
 * distance 2/(mr) sum|x-y| - 2/(m(m-1)) sum|x-x'| - 2/(r(r-1)) sum|y-y'|, m = t, r = k-t. Letting the right
 * side end at k finds a level that is left again. Sums of distances come from one row to the next, so all
 * pairs (t, k) cost O(n^2). `sums` has room for 3 * (n + 1): within[k] over pairs in [0, k); right[k] over
 * pairs in [t, k); 2/(r(r-1)) at r. */
static split best_split(const double *z, int n, int minimum_segment, double *sums)
{
    double *within = sums, *right = sums + n + 1, *pair_weight = sums + 2 * (n + 1);
    split best = {0, 0.0, 1.0};
    within[0] = 0.0;
    for (int k = 0; k < n; k++) {
        double row = 0.0;
        for (int i = 0; i < k; i++)
            row += fabs(z[k] - z[i]);
        within[k + 1] = within[k] + row;
    }
    for (int k = 0; k <= n; k++) {
        right[k] = 0.0;
        pair_weight[k] = k > 1 ? 2.0 / ((double)k * (k - 1)) : 0.0;
    }
    for (int t = n - 1; t >= minimum_segment; t--) {
        double row = 0.0;
        for (int k = t + 1; k <= n; k++) {
            row += fabs(z[t] - z[k - 1]);
            right[k] += row;
        }
        for (int k = t + minimum_segment; k <= n; k++) {
            const double m = t, r = k - t;
            const double between = within[k] - within[t] - right[k];
            const double q =
                (2.0 * between - m * r * (within[t] * pair_weight[t] + right[k] * pair_weight[k - t])) /
                (m + r);
            if (q > best.q)
                best = (split){t, q, 1.0};
        }
    }
    return best;
}

/* The p-value of a split's statistic among those of shuffled values: each that reaches it counts against it.
 * The test ends, with 1, when there are too many for the significance asked for: on noise after a handful. */
static double permutation_p(finder *f, const double *z, int n, double q)
{
    const int allowed = (int)floor(f->options.significance * (f->options.permutations + 1) + 1e-9) - 1;
    int reached = 0;
    memcpy(f->shuffled, z, (size_t)n * sizeof *z);
    for (int i = 0; i < f->options.permutations && reached <= allowed; i++) {
        shuffle(f->shuffled, n, &f->random);
        reached += best_split(f->shuffled, n, f->options.minimum_segment, f->sums).q >= q;
    }
    return reached <= allowed ? (1.0 + reached) / (1.0 + f->options.permutations) : 1.0;
}

/* Splits of values[first, end), and of both sides of each. */
static void split_segment(finder *f, const double *values, int first, int end)
{
    const int n = end - first;
    if (n < 2 * f->options.minimum_segment)
        return;
    const split best = best_split(values + first, n, f->options.minimum_segment, f->sums);
    if (best.index == 0)
        return;
    const double p = permutation_p(f, values + first, n, best.q);
    if (p > f->options.significance)
        return;
    const int at = first + best.index;
    split_segment(f, values, first, at);
    if (f->split_count < f->split_capacity)
        f->splits[f->split_count++] = (split){at, best.q, p};
    split_segment(f, values, at, end);
}

static int compare_splits(const void *left, const void *right)
{
    const split *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Two windows may see the same change, at places that differ by a point or two: keep the clearer one. */
static void merge_close(finder *f)
{
    int kept = 0;
    qsort(f->splits, (size_t)f->split_count, sizeof *f->splits, compare_splits);
    for (int i = 0; i < f->split_count; i++) {
        split *last = kept > 0 ? &f->splits[kept - 1] : NULL;
        if (last == NULL || f->splits[i].index - last->index >= f->options.minimum_segment)
            f->splits[kept++] = f->splits[i];
        else if (f->splits[i].q > last->q)
            *last = f->splits[i];
    }
    f->split_count = kept;
}

static change_point describe(const finder *f, int i, const double *values, int count)
{
    const int at = f->splits[i].index;
    const int first = i > 0 ? f->splits[i - 1].index : 0;
    const int end = i + 1 < f->split_count ? f->splits[i + 1].index : count;
    change_point c = {.index = at, .p = f->splits[i].p};
    c.before = stats_median(values + first, at - first);
    c.after = stats_median(values + at, end - at);
    c.ratio = c.after / c.before;
    return c;
}

/* Take back the smallest change as long as it is too small to matter; its neighbours' levels then grow
 * together. */
static void drop_small(finder *f, const double *values, int count)
{
    while (f->split_count > 0) {
        int smallest = 0;
        double least = INFINITY;
        for (int i = 0; i < f->split_count; i++) {
            const double effect = fabs(log(describe(f, i, values, count).ratio));
            if (effect < least) {
                least = effect;
                smallest = i;
            }
        }
        if (least >= log1p(f->options.minimum_change))
            return;
        memmove(f->splits + smallest, f->splits + smallest + 1,
                (size_t)(f->split_count - smallest - 1) * sizeof *f->splits);
        f->split_count--;
    }
}

static change_options with_defaults(const change_options *options)
{
    change_options o = options ? *options : (change_options){0};
    o.minimum_segment =
        o.minimum_segment < 2 ? 3 : o.minimum_segment; /* the energy distance needs two points a side */
    o.permutations = o.permutations > 0 ? o.permutations : 999;
    o.significance = o.significance > 0 ? o.significance : 0.001;
    o.minimum_change = o.minimum_change == 0 ? 0.02 : fmax(o.minimum_change, 0.0);
    o.window = o.window > 0 ? o.window : 128;
    if (o.window < 4 * o.minimum_segment)
        o.window = 4 * o.minimum_segment;
    return o;
}

static void find_all(finder *f, const double *values, double *logs, int count)
{
    for (int i = 0; i < count; i++)
        logs[i] = log(values[i]); /* so that distances are ratios */
    for (int first = 0;; first += f->options.window / 2) {
        const int end = first + f->options.window < count ? first + f->options.window : count;
        split_segment(f, logs, first, end);
        if (end == count)
            break;
    }
    merge_close(f);
    drop_small(f, values, count);
}

/* Working memory of a search over `count` values; the logarithms come first. NULL: no memory. */
static double *allocate(finder *f, int count)
{
    const size_t window = (size_t)f->options.window;
    double *scratch = malloc(((size_t)count + window + 3 * (window + 1)) * sizeof *scratch);
    f->split_capacity = 3 * count / f->options.minimum_segment; /* every point lies in at most two windows */
    f->splits = malloc((size_t)f->split_capacity * sizeof *f->splits);
    if (scratch != NULL) {
        f->shuffled = scratch + count;
        f->sums = f->shuffled + window;
    }
    return scratch;
}

assay_status change_points_find(const double *values, int count, const change_options *options,
                                change_point **points, int *point_count, assay_error *error)
{
    *points = NULL;
    *point_count = 0;
    for (int i = 0; i < count; i++)
        if (!(values[i] > 0.0) || !isfinite(values[i]))
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "change points: value %d of %d is not a positive number", i + 1, count);
    finder f = {.options = with_defaults(options)};
    if (count < 2 * f.options.minimum_segment)
        return ASSAY_OK;
    double *scratch = allocate(&f, count);
    if (scratch != NULL && f.splits != NULL)
        find_all(&f, values, scratch, count);
    if (scratch != NULL && f.splits != NULL && f.split_count > 0)
        *points = malloc((size_t)f.split_count * sizeof **points);
    const int failed = scratch == NULL || f.splits == NULL || (f.split_count > 0 && *points == NULL);
    for (int i = 0; !failed && i < f.split_count; i++)
        (*points)[(*point_count)++] = describe(&f, i, values, count);
    free(f.splits);
    free(scratch);
    return failed
               ? assay_error_set(error, ASSAY_ERR_NO_MEMORY, "change points: no memory for %d values", count)
               : ASSAY_OK;
}

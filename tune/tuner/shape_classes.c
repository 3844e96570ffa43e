/* See shape_classes.h. */
#include "tune/tuner/shape_classes.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t class_ends[CLASS_ENDS] = {64, 512, 4096};

static void find_range(int64_t value, int64_t *least, int64_t *most)
{
    int i = 0;
    while (i < CLASS_ENDS && value > class_ends[i])
        i++;
    *least = i == 0 ? 0 : class_ends[i - 1] + 1;
    *most = i == CLASS_ENDS ? INT64_MAX : class_ends[i];
}

static int holds(const class_row *row, const int64_t *dims, int count)
{
    for (int d = 0; d < count; d++)
        if (dims[d] < row->least[d] || dims[d] > row->most[d])
            return 0;
    return 1;
}

static const double *times_of(const shape_times *t, int shape)
{
    return t->us + (size_t)shape * (size_t)t->configurations;
}

static double best_of(const shape_times *t, int shape)
{
    double best = INFINITY;
    for (int c = 0; c < t->configurations; c++)
        if (times_of(t, shape)[c] < best)
            best = times_of(t, shape)[c];
    return best;
}

/* Mean of log(time / best) of a configuration over the row's shapes; NAN if it fails at one. */
static double loss_of(const shape_times *t, int training, const class_row *row, int configuration)
{
    double sum = 0;
    int count = 0;
    for (int s = 0; s < training; s++) {
        if (!holds(row, t->dims[s], t->dim_count) || !isfinite(best_of(t, s)))
            continue;
        sum += log(times_of(t, s)[configuration] / best_of(t, s));
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

/* 1 if the class deserves a row. A default that fails at a shape says nothing of the class: its rule goes on to serve. */
static int choose(const shape_times *t, int training, class_row *row)
{
    const double base = loss_of(t, training, row, 0);
    double least = base;
    row->configuration = 0;
    for (int c = 1; c < t->configurations; c++) {
        const double loss = loss_of(t, training, row, c);
        if (loss < least) {
            least = loss;
            row->configuration = c;
        }
    }
    row->gain = exp(base - least);
    for (int s = 0; s < training; s++)
        row->shapes += holds(row, t->dims[s], t->dim_count) && isfinite(best_of(t, s));
    return row->configuration > 0 && row->gain >= CLASS_GAIN;
}

assay_status class_table_make(const shape_times *t, int training, class_table *out, assay_error *error)
{
    *out = (class_table){.rows = calloc((size_t)training + 1, sizeof *out->rows)};
    class_row *seen = calloc((size_t)training + 1, sizeof *seen);
    if (!out->rows || !seen) {
        free(seen);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    for (int s = 0; s < training; s++) {
        int known = !isfinite(best_of(t, s)); /* nothing was timed there */
        for (int i = 0; i < out->classes && !known; i++)
            known = holds(&seen[i], t->dims[s], t->dim_count);
        if (known)
            continue;
        class_row *row = &seen[out->classes++];
        for (int d = 0; d < t->dim_count; d++)
            find_range(t->dims[s][d], &row->least[d], &row->most[d]);
        if (choose(t, training, row))
            out->rows[out->count++] = *row;
    }
    free(seen);
    return ASSAY_OK;
}

void class_table_release(class_table *table)
{
    free(table->rows);
    *table = (class_table){.count = 0};
}

int class_table_find(const class_table *table, const int64_t *dims, int dim_count)
{
    for (int i = 0; i < table->count; i++)
        if (holds(&table->rows[i], dims, dim_count))
            return table->rows[i].configuration;
    return 0;
}

void shape_regret_of(const shape_times *t, int first, const class_table *table, shape_regret *out)
{
    double *ratios = malloc(((size_t)t->count + 1) * sizeof *ratios), sum = 0;
    *out = (shape_regret){.geomean = NAN, .median = NAN, .worst = NAN, .worst_shape = -1};
    for (int s = first; ratios && s < t->count; s++) {
        const int c = table ? class_table_find(table, t->dims[s], t->dim_count) : 0;
        const double ratio = times_of(t, s)[c] / best_of(t, s);
        if (!isfinite(ratio))
            continue;
        sum += log(ratio);
        ratios[out->shapes++] = ratio;
        if (!(ratio <= out->worst)) {
            out->worst = ratio;
            out->worst_shape = s;
        }
    }
    if (out->shapes > 0) {
        out->geomean = exp(sum / out->shapes);
        stats_sort(ratios, out->shapes);
        out->median = stats_sorted_quantile(ratios, out->shapes, 0.5);
    }
    free(ratios);
}

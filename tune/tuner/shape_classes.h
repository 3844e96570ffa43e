/* From times of configurations at drawn shapes to a table: which values a kernel takes for which class of shapes. Arithmetic alone.
 *
 * A class is a range of each dimension; ranges end at CLASS_ENDS. Of a class the configuration counts whose times over the best time of each
 * shape have the least geometric mean, if it is right at all of its shapes and ahead of the default by CLASS_GAIN there; else the class has
 * no row, and the default's rule serves. */
#ifndef ASSAY_TUNE_SHAPE_CLASSES_H
#define ASSAY_TUNE_SHAPE_CLASSES_H

#include "core/opspec.h"

enum { CLASS_ENDS = 3, CLASS_MOST_DIMS = 8 };
extern const int64_t
    class_ends[CLASS_ENDS]; /* the last value of each range; the range behind them has no end */
#define CLASS_GAIN 1.02

/* Times of `count` shapes, `configurations` of each; configuration 0 is the default. NAN: wrong, or not timed. */
typedef struct shape_times {
    int count, configurations, dim_count;
    int64_t (*dims)[CLASS_MOST_DIMS];
    double *us; /* us[shape * configurations + configuration] */
} shape_times;

typedef struct class_row {
    int64_t least[CLASS_MOST_DIMS], most[CLASS_MOST_DIMS];
    int configuration, shapes;
    double gain; /* geometric mean of the default's time over this one's */
} class_row;

typedef struct class_table {
    class_row *rows; /* owned */
    int count;
    int classes; /* that have a shape */
} class_table;

/* From the first `training` shapes. */
assay_status class_table_make(const shape_times *t, int training, class_table *out, assay_error *error);
void class_table_release(class_table *table);
/* The configuration of a shape: 0 where no row holds it. */
int class_table_find(const class_table *table, const int64_t *dims, int dim_count);

/* Time over the best configuration's at the same shape, over the shapes from `first` on. */
typedef struct shape_regret {
    int shapes; /* that have times of the choice and of another */
    double geomean, median, worst;
    int worst_shape;
} shape_regret;
/* Of the table's choice; `table` NULL: of the default. */
void shape_regret_of(const shape_times *t, int first, const class_table *table, shape_regret *out);

#endif

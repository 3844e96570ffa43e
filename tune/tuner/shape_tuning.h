/* What a tuning by the shape is asked for, and what comes of it: see shape_table.h. */
#ifndef ASSAY_TUNE_SHAPE_TUNING_H
#define ASSAY_TUNE_SHAPE_TUNING_H

#include "tune/tuner/shape_classes.h"
#include "tune/tuner/shape_work.h"

typedef struct shape_request {
    const char *const *names; /* of shapes that were added to the op (opspec_add_shape()) */
    int count, training;      /* the first `training` of them make the table */
    const char *only;         /* the run-time tunables that are varied, a list; NULL: all */
    const int *devices;       /* the shapes are divided over these */
    int device_count;         /* 0 or 1: the device that this process has chosen */
} shape_request;

typedef struct shape_table {
    tune_subject subject; /* of the last shape */
    const opspec_variant_tunables *tunables;
    tuned_variant configurations[SHAPE_MOST_CONFIGURATIONS]; /* the default first */
    int one_at_a_time; /* 1: in each configuration one tunable is off its default, since there were too many combinations */
    shape_times times;
    const char *const *names; /* of the shapes, borrowed */
    int training;
    int done;    /* shapes that were measured; fewer than there are where the budget ended it */
    int trained; /* of these, those that the table is made from */
    class_table table;
    shape_regret with_table, without; /* of the shapes that were not trained on */
    int wrong; /* times that are missing at the shapes that were measured, where constraints allow them: not right or not timed */
    uint64_t seed;
    char report[4400], saved[4400]; /* "": not written */
} shape_table;

#endif

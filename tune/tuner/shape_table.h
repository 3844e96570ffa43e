/* Tuning over shapes: configurations of a variant's run-time tunables are timed at drawn shapes; from the first of them comes a table
 * of values by class of shapes (shape_classes.h), and the others say what it is worth. The other tunables keep their defaults. What was
 * measured is kept as any configuration's results are, so a run that was interrupted goes on where it was. */
#ifndef ASSAY_TUNE_SHAPE_TABLE_H
#define ASSAY_TUNE_SHAPE_TABLE_H

#include "tune/tuner/shape_classes.h"
#include "tune/tuner/shape_work.h"
#include "tune/tuner/tuner.h"

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
    int done; /* shapes that were measured; fewer than there are where the budget ended it */
    class_table table;
    shape_regret with_table, without; /* of the shapes that were not trained on */
    int wrong; /* times that are missing at the shapes that were measured: not right, not allowed or not timed */
    uint64_t seed;
    char report[4400], saved[4400]; /* "": not written */
} shape_table;

/* With options->save the table goes to ops/OP/best/ARCH.json. Of options count evaluate, variant, dtype, seed, budget_s, command, report, save
 * and progress. All combinations of the run-time tunables are tried, or of more than SHAPE_MOST_CONFIGURATIONS each tunable alone.
 * ASSAY_ERR_INVALID: no run-time tunables, or none of that name. Interrupted: ASSAY_OK, and neither table nor report. Release it in any
 * case. */
assay_status shape_table_run(workspace *ws, const workspace_op *op, const tune_options *options,
                             const shape_request *request, shape_table *out, assay_error *error);
void shape_table_release(shape_table *t);

/* What best/ARCH.json gets, with regret and run; and the same with the times, for programs. New references. */
json_t *shape_table_json(const shape_table *t, const tune_options *o);
json_t *shape_table_outcome_json(const shape_table *t, const tune_options *o);
/* Write LOGS/OP_table.md, or what options->report names. */
assay_status shape_table_report(const tune_options *o, shape_table *t, assay_error *error);

#endif

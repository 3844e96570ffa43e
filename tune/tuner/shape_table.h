/* Tuning over shapes: every configuration of a variant's run-time tunables is timed at drawn shapes; from the first of them comes a table
 * of values by class of shapes (shape_classes.h), and the others say what it is worth. The other tunables keep their defaults. What was
 * measured is kept as any configuration's results are, so a run that was interrupted goes on where it was. */
#ifndef ASSAY_TUNE_SHAPE_TABLE_H
#define ASSAY_TUNE_SHAPE_TABLE_H

#include "tune/tuner/shape_classes.h"
#include "tune/tuner/tuner.h"

enum { SHAPE_TABLE_CONFIGURATIONS = 64 };

typedef struct shape_table {
    tune_subject subject; /* of the last shape */
    const opspec_variant_tunables *tunables;
    tuned_variant configurations[SHAPE_TABLE_CONFIGURATIONS]; /* the default first */
    shape_times times;
    const char *const *names; /* of the shapes, borrowed */
    int training;
    class_table table;
    shape_regret with_table, without; /* of the shapes that were not trained on */
    int wrong;                        /* shapes and configurations that were not right, or not timed */
    uint64_t seed;
    char report[4400], saved[4400]; /* "": not written */
} shape_table;

/* `shapes`: names of `count` shapes that were added to the op (opspec_add_shape()); the first `training` of them make the table. With
 * options->save the table goes to ops/OP/best/ARCH.json. Of options count evaluate, variant, dtype, seed, command, report, save and
 * progress. ASSAY_ERR_INVALID: no run-time tunables, or more than SHAPE_TABLE_CONFIGURATIONS configurations of them. Interrupted: ASSAY_OK,
 * and neither table nor report. Release it in any case. */
assay_status shape_table_run(workspace *ws, const workspace_op *op, const tune_options *options,
                             const char *const *shapes, int count, int training, shape_table *out,
                             assay_error *error);
void shape_table_release(shape_table *t);

/* What best/ARCH.json gets, with regret and run; and the same with the times, for programs. New references. */
json_t *shape_table_json(const shape_table *t, const tune_options *o);
json_t *shape_table_outcome_json(const shape_table *t, const tune_options *o);
/* Write LOGS/OP_table.md, or what options->report names. */
assay_status shape_table_report(const tune_options *o, shape_table *t, assay_error *error);

#endif

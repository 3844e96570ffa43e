/* Tuning over shapes: configurations of a variant's run-time tunables are timed at drawn shapes; from the first of them comes a table
 * of values by class of shapes (shape_classes.h), and the others say what it is worth. The other tunables keep their defaults. What was
 * measured is kept as any configuration's results are, so a run that was interrupted goes on where it was. */
#ifndef ASSAY_TUNE_SHAPE_TABLE_H
#define ASSAY_TUNE_SHAPE_TABLE_H

#include "tune/tuner/shape_tuning.h"

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

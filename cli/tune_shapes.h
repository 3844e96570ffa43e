/* assay tune --sweep-shapes: values of run-time tunables by class of shapes, from shapes drawn as `assay sweep` draws them. */
#ifndef ASSAY_CLI_TUNE_SHAPES_H
#define ASSAY_CLI_TUNE_SHAPES_H

#include "cli/tune_plan.h"

/* Of the plan's only tuning. *exit_status: 0; 1 where all shapes were measured and none of those that were held out has a
 * time; 130 interrupted. */
assay_status tune_by_shape(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error);

#endif

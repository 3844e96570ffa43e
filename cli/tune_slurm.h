/* assay tune --executor slurm: a task of a job array for each tuning, and one result of them all. */
#ifndef ASSAY_CLI_TUNE_SLURM_H
#define ASSAY_CLI_TUNE_SLURM_H

#include "cli/tune_plan.h"

/* Submit what is not done, wait, and join archives, results, winners and reports. An interrupted wait leaves the job; the same command waits
 * for it again. *exit_status: 0; 1 a tuning has no winner; 3 a task has no result; 130 interrupted. */
assay_status tune_on_slurm(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error);

#endif

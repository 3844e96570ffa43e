/* Which tunings a command line asks for: op x variant x dtype x size. */
#ifndef ASSAY_CLI_TUNE_PLAN_H
#define ASSAY_CLI_TUNE_PLAN_H

#include "cli/tune_options.h"

typedef struct planned_tuning {
    const workspace_op *op;
    assay_dtype dtype;
    char variant[ASSAY_NAME_MAX], size[ASSAY_NAME_MAX];
    char report[4 * ASSAY_NAME_MAX]; /* its name in the logs folder, without .md; no two are equal */
} planned_tuning;

typedef struct tune_plan {
    planned_tuning *items; /* owned */
    int count;
} tune_plan;

/* Every op that is named, or all; of it every variant with tunables that is named, or the last; every dtype and size that is named, or its
 * first dtype and large. What --all passes over because an op does not have it is an error where the op is named. */
assay_status tune_plan_make(workspace *ws, const tune_arguments *a, tune_plan *plan, assay_error *error);
/* Take the space of a T1 file for the plan's variant, from now on in this process. ASSAY_ERR_INVALID: the plan has several. */
assay_status tune_plan_take_space(const char *file, const tune_plan *plan, assay_error *error);
void tune_plan_release(tune_plan *plan);

/* "softmax v4_optimized bf16 large" */
void planned_tuning_label(const planned_tuning *t, char *out, size_t out_bytes);

#endif

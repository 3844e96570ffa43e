/* A workspace beside the build's, for a process that measures at the same time: the same ops, kernels and toolchain, with results, logs and
 * plots of its own, so that no two processes write one file. */
#ifndef ASSAY_TUNE_EXECUTOR_TASK_WORKSPACE_H
#define ASSAY_TUNE_EXECUTOR_TASK_WORKSPACE_H

#include "core/workspace.h"

/* Write FOLDER/assay.json, which workspace_open() then finds. `folder` is absolute and is made if it is missing. */
assay_status task_workspace_write(const workspace *ws, const char *folder, assay_error *error);

#endif

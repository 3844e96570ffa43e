/* Modules that `assay verify` compiles for a run: of a kernel file from outside the tree, or of the tree's kernels with their accesses
 * watched. */
#ifndef ASSAY_CLI_VERIFY_MODULES_H
#define ASSAY_CLI_VERIFY_MODULES_H

#include "core/workspace.h"

typedef struct made_modules {
    const char **records; /* paths, owned with what they point to */
    int count;
} made_modules;

/* One module for each case that the filter names: of the file `source`, or, where that is NULL, of each variant. `checked` as in
 * module_request. Records lie in the workspace's folder `outside` or `checked`. Release with made_modules_release, also on failure. */
assay_status made_modules_compile(const workspace *ws, const case_filter *filter, const char *source,
                                  int checked, int quiet, made_modules *made, assay_error *error);
void made_modules_release(made_modules *made);

#endif

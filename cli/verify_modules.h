/* Modules that `assay verify` compiles for a run: of a kernel file from outside the tree, or of the tree's kernels with their accesses
 * watched. */
#ifndef ASSAY_CLI_VERIFY_MODULES_H
#define ASSAY_CLI_VERIFY_MODULES_H

#include "core/tuned_variant.h"

typedef struct made_modules {
    const char **records; /* paths, owned with what they point to */
    int count;
} made_modules;

typedef struct made_modules_request {
    const char *source;         /* a file from outside the tree; NULL: the variants that the filter names */
    const tuned_variant *tuned; /* NULL, or the configuration that the filter names */
    int checked;                /* as in module_request */
} made_modules_request;

/* One module for each kernel and dtype that the filter names. Records lie in the workspace's folder `outside` or `checked`. Release with made_modules_release, also on failure. */
assay_status made_modules_compile(const workspace *ws, const case_filter *filter,
                                  const made_modules_request *which, int quiet, made_modules *made,
                                  assay_error *error);
void made_modules_release(made_modules *made);

#endif

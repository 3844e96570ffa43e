/* `assay profile --all`: counters of ncu, with our verdict and ncu's own, into the results that have none. */
#ifndef ASSAY_CLI_PROFILE_ALL_H
#define ASSAY_CLI_PROFILE_ALL_H

#include "core/workspace.h"

typedef struct profile_all_options {
    const case_filter *filter; /* without sizes: `large` */
    const char *out;           /* folder of the pages; NULL: profile/ of the build folder */
    int force, dry_run;        /* force: also where the result has counters */
    int json;                  /* print {"schema", "profiles", "counts"} in place of lines */
} profile_all_options;

/* Results lie in ws->results. What was done stays done, so the same call goes on after an interrupt. Returns an exit status: 1 where a
 * kernel failed under ncu, 3 where there is no ncu, or none that may read counters. */
int profile_all(workspace *ws, const profile_all_options *options);

#endif

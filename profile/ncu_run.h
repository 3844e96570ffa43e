/* Runner of ncu: finds it and runs one kernel of the suite under it, by assay-launch-case, with the caches flushed before each kernel
 * and the clocks left alone. Times taken under ncu rank nothing. */
#ifndef ASSAY_PROFILE_NCU_RUN_H
#define ASSAY_PROFILE_NCU_RUN_H

#include "core/workspace.h"
#include "profile/launch_profile.h"

/* Path of ncu: $ASSAY_NCU, PATH, or where toolkits put it. ASSAY_ERR_ENVIRONMENT with what to install. `out` has PATH_MAX bytes. */
assay_status ncu_find(char *out, assay_error *error);

/* One launch of a case with these metrics only; *text is what ncu printed, a details page in base units (malloc'ed).
 * ASSAY_ERR_ENVIRONMENT: no ncu, or it may not read counters. ASSAY_ERR_CHECK: interrupted. */
assay_status ncu_run_metrics(const workspace *ws, const assay_case *c, const char *metrics, char **text,
                             assay_error *error);

/* One launch of a case with all that metrics.def names. Leaves in `folder` the report (ncu.ncu-rep) and its pages (ncu_raw.csv,
 * ncu_details.csv, ncu_source.csv), and reads them into `profile`, which the caller releases also after an error. Errors as above, and
 * ASSAY_ERR_DEVICE where the kernel failed under ncu. */
assay_status ncu_run_case(const workspace *ws, const assay_case *c, const char *folder,
                          launch_profile *profile, assay_error *error);

#endif

/* The device ptx as what counts for `assay profile` where no profiler can run. */
#ifndef ASSAY_COUNTS_PROFILE_COUNTER_H
#define ASSAY_COUNTS_PROFILE_COUNTER_H

#include "counts/counts.h"
#include "profile/launch_profile.h"

/* Add the kernels to a profile, marked as counted. `root` is the folder that lines' files are read from, for their text. ASSAY_ERR_NO_MEMORY
 * also for more kernels or lines than a profile holds. */
assay_status counts_add_to_profile(const case_counts *counts, const char *root, launch_profile *out,
                                   assay_error *error);

#endif

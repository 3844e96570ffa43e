/* Counters for results: what each launch really moved (profile/launch_counters.h). */
#ifndef ASSAY_BENCH_COUNTERS_H
#define ASSAY_BENCH_COUNTERS_H

#include "core/workspace.h"
#include "profile/launch_counters.h"
#include <stdio.h>

/* Add up what `ncu --csv` printed of one launch. ASSAY_ERR_FORMAT: no table in it, or a metric is missing; the error quotes ncu's own
 * complaint if there is one. ASSAY_ERR_ENVIRONMENT: the driver gives no counters. */
assay_status counters_parse(const char *text, launch_counters *out, assay_error *error);

/* For every variant that the filter matches and that has a timed result: run one launch under ncu and put `counters` into the result.
 * ASSAY_ERR_ENVIRONMENT: no ncu, or it may not read counters. *count gets the number of results with counters. */
assay_status counters_run(const workspace *ws, const case_filter *filter, FILE *progress, int *count,
                          assay_error *error);

#endif

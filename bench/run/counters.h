/* Bytes that a kernel really moved, by level of the memory hierarchy, from ncu's counters: what a hierarchical roofline is drawn from.
 * S. Williams et al., "Roofline", CACM 52(4), 2009; C. Yang, T. Kurth and S. Williams, "Hierarchical Roofline Analysis for GPUs", 2020. */
#ifndef ASSAY_BENCH_COUNTERS_H
#define ASSAY_BENCH_COUNTERS_H

#include "core/workspace.h"
#include <stdio.h>

typedef struct counters {
    double dram_bytes, l2_bytes,
        duration_us; /* of one launch, all its kernels together; the caches were flushed before each kernel */
    int kernels;
} counters;

/* Add up what `ncu --csv` printed of one launch. ASSAY_ERR_FORMAT: no table in it, or a metric is missing; the error quotes ncu's own
 * complaint if there is one. ASSAY_ERR_ENVIRONMENT: the driver gives no counters. */
assay_status counters_parse(const char *text, counters *out, assay_error *error);

/* For every variant that the filter matches and that has a timed result: run one launch under ncu and put `counters` into the result.
 * ASSAY_ERR_ENVIRONMENT: no ncu, or it may not read counters. *count gets the number of results with counters. */
assay_status counters_run(const workspace *ws, const case_filter *filter, FILE *progress, int *count,
                          assay_error *error);

#endif

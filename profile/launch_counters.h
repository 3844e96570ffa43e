/* Bytes that a launch really moved, by level of the memory hierarchy, as results keep them: what a hierarchical roofline is drawn from.
 * S. Williams et al., "Roofline", CACM 52(4), 2009; C. Yang, T. Kurth and S. Williams, "Hierarchical Roofline Analysis for GPUs", 2020. */
#ifndef ASSAY_PROFILE_LAUNCH_COUNTERS_H
#define ASSAY_PROFILE_LAUNCH_COUNTERS_H

#include "profile/launch_profile.h"
#include "results/result.h"

typedef struct launch_counters {
    double dram_bytes, l2_bytes,
        duration_us; /* of one launch, all its kernels together; the caches were flushed before each kernel */
    int kernels;
} launch_counters;

/* The names of the metrics to ask ncu for, comma-separated. */
void launch_counters_names(char *out, size_t out_bytes);
/* Add up a profile. ASSAY_ERR_FORMAT: a kernel lacks a metric; the error quotes ncu's complaint if there is one. */
assay_status launch_counters_take(const launch_profile *profile, launch_counters *out, assay_error *error);
/* Put them into the result `r`, which was read from the file at PATH, and into that file. `bottleneck`: "memory-bound (DRAM)", or NULL;
 * then `ncu` is what ncu's own rule says, and whether that agrees. */
assay_status launch_counters_write(const char *path, result *r, const launch_counters *counters,
                                   const char *bottleneck, const char *ncu, assay_error *error);

#endif

/* See launch_counters.h. */
#include "profile/launch_counters.h"
#include "results/result_file.h"
#include <stdio.h>
#include <string.h>

#define LARGEST_VALUE 1e18 /* bytes or nanoseconds of one launch */

enum { DRAM_READ, DRAM_WRITE, L2, DURATION, METRICS };
static const metric_id wanted[METRICS] = {METRIC_DRAM_READ, METRIC_DRAM_WRITE, METRIC_L2_BYTES,
                                          METRIC_DURATION};

void launch_counters_names(char *out, size_t out_bytes)
{
    size_t used = 0;
    for (int m = 0; m < METRICS && used < out_bytes; m++)
        used +=
            (size_t)snprintf(out + used, out_bytes - used, "%s%s", m ? "," : "", metric_get(wanted[m])->raw);
}

assay_status launch_counters_take(const launch_profile *profile, launch_counters *out, assay_error *error)
{
    double sums[METRICS];
    *out = (launch_counters){0};
    for (int m = 0; m < METRICS; m++) {
        sums[m] = launch_profile_sum(profile, wanted[m]);
        if (!(sums[m] >= 0.0 && sums[m] <= LARGEST_VALUE))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "ncu's table has no %s%s%s",
                                   metric_get(wanted[m])->raw, *profile->complaint ? ": " : "",
                                   profile->complaint);
    }
    *out = (launch_counters){.dram_bytes = sums[DRAM_READ] + sums[DRAM_WRITE],
                             .l2_bytes = sums[L2],
                             .duration_us = sums[DURATION] * 1e-3,
                             .kernels = profile->count};
    return ASSAY_OK;
}

assay_status launch_counters_write(const char *path, result *r, const launch_counters *counters,
                                   const char *bottleneck, const char *ncu, assay_error *error)
{
    r->counters = (result_facts){0};
    result_add_fact(r, &r->counters, "dram_bytes", counters->dram_bytes, NULL);
    result_add_fact(r, &r->counters, "l2_bytes", counters->l2_bytes, NULL);
    result_add_fact(r, &r->counters, "duration_us", counters->duration_us, NULL);
    result_add_fact(r, &r->counters, "kernels", counters->kernels, NULL);
    result_add_fact(r, &r->counters, "source", 0, "ncu, caches flushed before each kernel");
    if (bottleneck)
        result_add_fact(r, &r->counters, "bottleneck", 0, bottleneck);
    if (bottleneck && ncu)
        result_add_fact(r, &r->counters, "ncu_verdict", 0, ncu);
    return result_write_counters(path, r, error);
}

/* See counters.h. */
#include "bench/run/counters.h"
#include "core/process.h"
#include "profile/ncu_read.h"
#include "profile/ncu_run.h"
#include "results/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_VALUE 1e18 /* bytes or nanoseconds of one launch */

enum { DRAM_READ, DRAM_WRITE, L2, DURATION, METRICS };
static const metric_id wanted[METRICS] = {METRIC_DRAM_READ, METRIC_DRAM_WRITE, METRIC_L2_BYTES,
                                          METRIC_DURATION};

assay_status counters_parse(const char *text, counters *out, assay_error *error)
{
    double sums[METRICS];
    launch_profile profile = {0};
    *out = (counters){0};
    assay_status status = ncu_read_page(text, &profile, error);
    for (int m = 0; m < METRICS && status == ASSAY_OK; m++) {
        sums[m] = launch_profile_sum(&profile, wanted[m]);
        if (!(sums[m] >= 0.0 && sums[m] <= LARGEST_VALUE))
            status = assay_error_set(error, ASSAY_ERR_FORMAT, "ncu's table has no %s%s%s",
                                     metric_get(wanted[m])->raw, *profile.complaint ? ": " : "",
                                     profile.complaint);
    }
    if (status == ASSAY_OK)
        *out = (counters){.dram_bytes = sums[DRAM_READ] + sums[DRAM_WRITE],
                          .l2_bytes = sums[L2],
                          .duration_us = sums[DURATION] * 1e-3,
                          .kernels = profile.count};
    launch_profile_release(&profile);
    return status;
}

/* One launch under ncu. */
static assay_status profile(const workspace *ws, const assay_case *c, counters *out, assay_error *error)
{
    char names[512] = "", *text = NULL;
    for (int m = 0; m < METRICS; m++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", m ? "," : "",
                 metric_get(wanted[m])->raw);
    assay_status status = ncu_run_metrics(ws, c, names, &text, error);
    if (status == ASSAY_OK)
        status = counters_parse(text, out, error);
    free(text);
    return status;
}

static assay_status write_counters(const char *path, result *r, const counters *found, assay_error *error)
{
    r->counters = (result_facts){0};
    result_add_fact(r, &r->counters, "dram_bytes", found->dram_bytes, NULL);
    result_add_fact(r, &r->counters, "l2_bytes", found->l2_bytes, NULL);
    result_add_fact(r, &r->counters, "duration_us", found->duration_us, NULL);
    result_add_fact(r, &r->counters, "kernels", found->kernels, NULL);
    result_add_fact(r, &r->counters, "source", 0, "ncu, caches flushed before each kernel");
    return result_write_counters(path, r, error);
}

static assay_status add_to_result(const workspace *ws, const assay_case *c, FILE *progress, int *count,
                                  assay_error *error)
{
    char path[4400], name[256];
    result *r = NULL;
    counters found;
    case_result_path(ws, c, path, sizeof path);
    case_name(c, name, sizeof name);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return ASSAY_OK; /* never timed */
    assay_error failure = {0};
    assay_status status = result_is_timed(r) ? profile(ws, c, &found, &failure) : ASSAY_ERR_UNSUPPORTED;
    if (status == ASSAY_OK) {
        status = write_counters(path, r, &found, error);
        (*count)++;
        if (progress)
            fprintf(progress, "  %s  %.3g MB from DRAM, %.3g MB through L2\n", name, found.dram_bytes * 1e-6,
                    found.l2_bytes * 1e-6);
    } else if (status == ASSAY_ERR_ENVIRONMENT || status == ASSAY_ERR_CHECK)
        assay_error_set(error, status, "%s", failure.message);
    else { /* this case has none; the others may */
        if (progress && status != ASSAY_ERR_UNSUPPORTED)
            fprintf(progress, "  %s  no counters: %s\n", name, failure.message);
        status = ASSAY_OK;
    }
    result_free(r);
    return status;
}

assay_status counters_run(const workspace *ws, const case_filter *filter, FILE *progress, int *count,
                          assay_error *error)
{
    assay_case *cases = NULL;
    int found = 0;
    *count = 0;
    if (strcmp(ws->device, "cuda") != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "counters are a GPU's, and this build is for %s",
                               ws->device);
    assay_status status = workspace_list_cases(ws, filter, 0, &cases, &found, error);
    for (int i = 0; i < found && status == ASSAY_OK && !process_interrupted(); i++)
        status = add_to_result(ws, &cases[i], progress, count, error);
    free(cases);
    return status;
}

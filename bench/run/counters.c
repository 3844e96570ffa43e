/* See counters.h. */
#include "bench/run/counters.h"
#include "core/process.h"
#include "profile/ncu_read.h"
#include "profile/ncu_run.h"
#include "results/result_file.h"
#include <stdlib.h>
#include <string.h>

assay_status counters_parse(const char *text, launch_counters *out, assay_error *error)
{
    launch_profile profile = {0};
    *out = (launch_counters){0};
    assay_status status = ncu_read_page(text, &profile, error);
    if (status == ASSAY_OK)
        status = launch_counters_take(&profile, out, error);
    launch_profile_release(&profile);
    return status;
}

/* One launch under ncu. */
static assay_status profile(const workspace *ws, const assay_case *c, launch_counters *out,
                            assay_error *error)
{
    char names[512], *text = NULL;
    launch_counters_names(names, sizeof names);
    assay_status status = ncu_run_metrics(ws, c, names, &text, error);
    if (status == ASSAY_OK)
        status = counters_parse(text, out, error);
    free(text);
    return status;
}

static assay_status add_to_result(const workspace *ws, const assay_case *c, FILE *progress, int *count,
                                  assay_error *error)
{
    char path[4400], name[256];
    result *r = NULL;
    launch_counters found;
    case_result_path(ws, c, path, sizeof path);
    case_name(c, name, sizeof name);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return ASSAY_OK; /* never timed */
    assay_error failure = {0};
    assay_status status = result_is_timed(r) ? profile(ws, c, &found, &failure) : ASSAY_ERR_UNSUPPORTED;
    if (status == ASSAY_OK) {
        status = launch_counters_write(path, r, &found, NULL, NULL, error);
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

/* See profile_all.h. */
#include "cli/profile_all.h"
#include "bench/timing/clock.h"
#include "cli/cli.h"
#include "core/process.h"
#include "profile/ncu_run.h"
#include "profile/profile.h"
#include "results/result_file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct all_counts {
    int done, had, failed, differ;
} all_counts;

/* 1: the case was timed and waits for counters. */
static int waits(const workspace *ws, const assay_case *c, int force, all_counts *n)
{
    char path[4400];
    result *r = NULL;
    case_result_path(ws, c, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return 0;
    const int has = *result_fact_text(&r->counters, "ncu_verdict") && !force, timed = result_is_timed(r);
    result_free(r);
    n->had += timed && has;
    return timed && !has;
}

/* One case; what fails in it alone is said and counted, what will fail in all ends the run. */
static assay_status profile_waiting(const workspace *ws, const profile_all_options *o, const assay_case *c,
                                    const char *progress, all_counts *n, json_t *list, assay_error *error)
{
    char folder[PATH_MAX], name[256], ncu[FINDING_TEXT];
    all_counts after = {0};
    const profile_options options = {.folder = folder, .results = ws->results, .use_ncu = 1};
    case_profile *p = malloc(sizeof *p);
    if (!p)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a profile");
    case_name(c, name, sizeof name);
    snprintf(folder, sizeof folder, "%s%s/%s", o->out ? o->out : ws->path, o->out ? "" : "/profile", name);
    assay_status status = profile_case(ws, c, &options, p, error);
    if (status == ASSAY_OK && p->ncu_status == ASSAY_ERR_ENVIRONMENT)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", p->reason);
    if (status == ASSAY_OK && p->ncu_status != ASSAY_OK) {
        n->failed++;
        fprintf(stderr, "%s: no counters: %s\n", p->name, p->reason);
    } else if (status == ASSAY_OK) {
        status = profile_write(p, folder, error);
        if (status == ASSAY_OK)
            status = profile_add_to_result(p, error);
        if (status == ASSAY_OK && waits(ws, c, 0, &after)) {
            n->failed++;
            fprintf(stderr, "%s: no counters: ncu gave no bytes of DRAM and L2\n", p->name);
        } else if (status == ASSAY_OK) {
            n->done++;
            n->differ += !profile_ncu_verdict(p, ncu, sizeof ncu);
            if (o->json)
                json_array_append_new(list, profile_json(p));
            else
                printf("%s  %s; %s  %s\n", p->name, bottleneck_name(p->verdict.kind), ncu, progress);
        }
        fflush(stdout);
    }
    profile_release(p);
    free(p);
    return status;
}

/* ASSAY_ERR_ENVIRONMENT before anything is begun. */
static assay_status check_environment(const workspace *ws, assay_error *error)
{
    char ncu[PATH_MAX];
    if (strcmp(ws->device, "cuda") != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "counters are a GPU's, and this build is for %s",
                               ws->device);
    const assay_status status = ncu_find(ncu, error);
    if (status == ASSAY_OK && !*ws->results)
        return assay_error_set(error, ASSAY_ERR_INVALID, "there are no results; `assay bench` makes them");
    return status;
}

static void print_counts(const all_counts *n, int json, json_t *list)
{
    if (json)
        cli_print_json(json_pack("{s:i, s:O, s:{s:i, s:i, s:i, s:i}}", "schema", 1, "profiles", list,
                                 "counts", "done", n->done, "had", n->had, "failed", n->failed, "differ",
                                 n->differ));
    else
        printf("%d cases got counters, %d had them, %d failed; ncu's own verdict differs in %d\n", n->done,
               n->had, n->failed, n->differ);
}

int profile_all(workspace *ws, const profile_all_options *o)
{
    case_filter filter = *o->filter;
    assay_case *cases = NULL;
    all_counts n = {0};
    char progress[96];
    assay_error error = {0};
    json_t *list = json_array();
    int count = 0, waiting = 0;
    if (!filter.sizes)
        filter.sizes = "large";
    assay_status status = check_environment(ws, &error);
    if (status == ASSAY_OK)
        status = workspace_list_cases(ws, &filter, 0, &cases, &count, &error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        if (waits(ws, &cases[i], o->force, &n))
            cases[waiting++] = cases[i];
    const double start_ms = clock_now_ms();
    for (int i = 0; i < waiting && status == ASSAY_OK && !process_interrupted(); i++) {
        const double each_s = i ? (clock_now_ms() - start_ms) * 1e-3 / i : 0;
        snprintf(progress, sizeof progress, i ? "(%d of %d, %.1f s each, %.0f s left)" : "(%d of %d)", i + 1,
                 waiting, each_s, each_s * (waiting - i));
        if (o->dry_run)
            printf("%s.%s.%s.%s\n", cases[i].op->spec->name, cases[i].variant,
                   assay_dtype_name(cases[i].dtype), cases[i].size);
        else
            status = profile_waiting(ws, o, &cases[i], progress, &n, list, &error);
    }
    free(cases);
    if (!o->dry_run && (status == ASSAY_OK || (!o->json && n.done + n.failed + n.had > 0)))
        print_counts(&n, o->json, list);
    json_decref(list);
    if (process_interrupted())
        return 130;
    return status != ASSAY_OK ? cli_fail("profile", &error) : n.failed ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
}

/* Timing a kernel from outside the tree: see bench_source.h. */
#include "cli/bench_source.h"
#include "bench/ceilings/ceilings_ensure.h"
#include "outside/results_json.h"
#include "core/json_file.h"
#include "core/process.h"
#include "outside/outside.h"
#include "report/report.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that the printing at the end needs. */
typedef struct source_run {
    const bench_source_arguments *a;
    outside o;
    char variant[ASSAY_NAME_MAX];
    verify_summary verdicts;
    bench_summary timed;
    int is_timed; /* something passed, so that times were taken */
} source_run;

static assay_status open_kernel(workspace *ws, source_run *r, assay_error *error)
{
    char folder[PATH_MAX];
    const case_filter *filter = &r->a->common->filter;
    const workspace_op *op = filter->ops ? workspace_find_op(ws, filter->ops) : NULL;
    assay_status status = filter->ops ? cli_check_filter(ws, filter, error) : ASSAY_OK;
    if (status != ASSAY_OK)
        return status;
    if (!op)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "--source needs the one op it computes, as in: assay bench softmax --source %s", r->a->file);
    outside_name(op, r->a->file, r->variant);
    snprintf(folder, sizeof folder, "%.3900s/outside/%s.%s", ws->path, op->spec->name, r->variant);
    status = outside_open(ws, op->spec->name, folder, &r->o, error);
    if (status == ASSAY_OK)
        status = outside_add(&r->o, r->a->file, r->variant, filter->dtypes, error);
    if (status == ASSAY_OK && filter->variants)
        status = outside_borrow(&r->o, filter->variants, error);
    return status;
}

static assay_status judge_and_time(source_run *r, assay_error *error)
{
    const cli_options *common = r->a->common;
    const outside_request request = {.dtypes = common->filter.dtypes,
                                     .sizes = common->filter.sizes,
                                     .claims = r->a->claims,
                                     .quiet = common->json};
    assay_error lack = {0};
    assay_status status = outside_verify(&r->o, &request, &r->verdicts, error);
    if (status != ASSAY_OK || r->verdicts.passed == 0 || process_interrupted())
        return status;
    r->is_timed = 1;
    if (ceilings_ensure(r->o.base, r->a->card, r->a->options->progress, &lack) != ASSAY_OK)
        fprintf(stderr, "assay bench: %s\n", lack.message);
    return outside_bench(&r->o, &request, r->a->options, &r->timed, error);
}

static void print_json(const source_run *r)
{
    const case_filter asked = {.variants = r->o.variants,
                               .dtypes = r->a->common->filter.dtypes,
                               .sizes = r->a->common->filter.sizes};
    json_t *confinement = outside_confinement(&r->o);
    cli_print_json(json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:O, s:o, s:i, s:i, s:o}", "op",
                             r->o.op->spec->name, "source", r->a->file, "variant", r->variant, "passed",
                             r->verdicts.passed, "failed", r->verdicts.failed, "skipped", r->verdicts.skipped,
                             "errors", r->verdicts.errors, "verdicts", r->verdicts.cases, "confinement",
                             confinement ? confinement : json_array(), "timed", r->timed.timed, "not_timed",
                             r->timed.refused + r->timed.failed + r->timed.too_large, "results",
                             r->is_timed ? results_json(r->o.ws->results, &asked) : json_array()));
}

static void print_text(const source_run *r)
{
    const case_filter all = {0};
    char *message = outside_compiler_message(&r->o, r->variant);
    if (message)
        fprintf(stderr, "%s%s", message, message[0] && message[strlen(message) - 1] == '\n' ? "" : "\n");
    free(message);
    printf("verdicts: %d passed, %d failed, %d skipped\n", r->verdicts.passed, r->verdicts.failed,
           r->verdicts.skipped);
    if (!r->is_timed) {
        printf("%s was not timed: no case of it passed\n", r->variant);
        return;
    }
    char words[256] = "";
    json_t *confinement = outside_confinement(&r->o);
    for (size_t i = 0; i < json_array_size(confinement); i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? ", " : "",
                 json_string_value(json_array_get(confinement, i)));
    json_decref(confinement);
    report_table(r->o.ws, NULL, NULL, &all, 1, stdout, NULL);
    printf("%d of %d cases timed; confined by: %s\nresults: %s\n", r->timed.timed, r->timed.cases,
           words[0] ? words : "nothing that this machine has", r->o.ws->results);
}

static int exit_of(const source_run *r)
{
    const int verdict = verify_summary_exit(&r->verdicts);
    return process_interrupted() ? 130 : verdict;
}

int bench_source_run(workspace *ws, const bench_source_arguments *a)
{
    source_run *r = calloc(1, sizeof *r);
    assay_error error = {0};
    if (!r)
        return ASSAY_EXIT_ENVIRONMENT;
    r->a = a;
    assay_status status = open_kernel(ws, r, &error);
    if (status == ASSAY_OK && !a->common->dry_run)
        status = judge_and_time(r, &error);
    int exit_status = status == ASSAY_OK ? exit_of(r) : ASSAY_EXIT_OK;
    if (status == ASSAY_OK && a->common->dry_run)
        printf("%s would be judged as %s.%s and timed with: %s\n", a->file, r->o.op->spec->name, r->variant,
               r->o.variants);
    else if (status == ASSAY_OK || status == ASSAY_ERR_CHECK)
        (a->common->json ? print_json : print_text)(r);
    if (status != ASSAY_OK)
        exit_status = cli_fail("bench", &error);
    verify_summary_release(&r->verdicts);
    outside_close(&r->o);
    free(r);
    return exit_status;
}

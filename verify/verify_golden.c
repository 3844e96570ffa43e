/* The golden cases' supervisor: one worker a variant and dtype, restarted behind a case that killed it. */
#include "verify/golden.h"
#include "core/utf8.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/output_folder.h"
#include "verify/summary.h"
#include "verify/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct golden_runner {
    const workspace *ws;
    const verify_options *options;
    verify_summary *summary;
    const golden_set *set;
    int torch_agrees, torch_compared;
} golden_runner;

/* Case number `number` among those of an op and dtype; NULL past the end. */
static const json_t *find_case(const golden_set *set, const char *op, const char *dtype, int number)
{
    size_t i;
    json_t *golden;
    json_array_foreach(set->cases, i, golden) if (strcmp(json_get_text(golden, "op", ""), op) == 0 &&
                                                  strcmp(json_get_text(golden, "dtype", ""), dtype) == 0 &&
                                                  number-- == 0) return golden;
    return NULL;
}

static void record(golden_runner *g, const char *module, const char *id, const char *status,
                   const char *reason)
{
    const int passed = strcmp(status, "pass") == 0, skipped = strcmp(status, "skipped") == 0;
    json_t *entry = json_object();
    g->summary->passed += passed;
    g->summary->skipped += skipped;
    g->summary->failed += !passed && !skipped;
    json_object_set_new(entry, "name", json_string(module));
    json_object_set_new(entry, "id", json_string(id));
    json_object_set_new(entry, "status", json_string(status));
    json_object_set_new(entry, "reason", json_string(reason));
    json_array_append_new(g->summary->cases, entry);
    if (!passed && !g->options->quiet)
        clean_printf(stdout, "%s %s golden %s: %s\n", skipped ? "SKIP" : "FAIL", module, id, reason);
}

/* Take over what a worker finished: the cases from number `from` on, in their order (the kernel shares the worker's process; what
 * names other cases is not the worker's). Returns the number of the case it would have gone on with. */
static int take_results(golden_runner *g, const assay_case *c, const char *module, const json_t *report,
                        int from)
{
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(report, "cases"), i, result)
    {
        const json_t *golden =
            find_case(g->set, c->op->spec->name, assay_dtype_name(c->dtype), from + (int)i);
        if (!golden || strcmp(json_get_text(result, "id", ""), json_get_text(golden, "id", "?")) != 0)
            break;
        const json_t *torch = json_object_get(result, "torch_agrees");
        record(g, module, json_get_text(result, "id", "?"), json_get_text(result, "status", "fail"),
               json_get_text(result, "reason", ""));
        g->torch_compared += json_is_boolean(torch);
        g->torch_agrees += json_is_true(torch);
    }
    return from + (int)i;
}

/* One worker, from case number `from` on. Returns where to go on, or -1 for an end. */
static int run_worker(golden_runner *g, const assay_case *c, const char *module, int from)
{
    const char *op = c->op->spec->name, *dtype = assay_dtype_name(c->dtype);
    char stem[4400], out[4600];
    worker_result result;
    json_t *report = NULL;
    snprintf(stem, sizeof stem, "%s/golden", g->ws->results);
    worker_out_path(stem, out, sizeof out);
    const worker_case only = {.variant = c->variant, .out = out};
    const worker_job job = {.op = op,
                            .dtype = dtype,
                            .golden = g->set->directory,
                            .golden_from = from,
                            .cases = &only,
                            .case_count = 1};
    worker_run(g->ws, &job, g->options, NULL, NULL, &result);
    const int begun = from;
    if (json_file_read(out, &report, NULL) == ASSAY_OK)
        from = take_results(g, c, module, report, from);
    json_decref(report);
    unlink(out);
    const json_t *next = find_case(g->set, op, dtype, from);
    if (result.end == WORKER_INTERRUPTED || process_interrupted()) {
        g->summary->interrupted = 1;
        return -1;
    }
    if (result.end == WORKER_FAILED) {
        summary_add_error(g->summary, module, result.reason, result.code);
        return -1;
    }
    if (!next)
        return -1;
    if (result.end == WORKER_DONE && from > begun) /* it stopped behind a case that broke the device */
        return from;
    /* It ended before its last case: either this one killed it, or the module does not even load. */
    record(g, module, json_get_text(next, "id", "?"), "fail", result.reason);
    return result.end == WORKER_DONE ? -1 : from + 1;
}

/* A contest's kernel for another dtype: there is no module, and that is no failure. */
static int is_of_other_dtype(const golden_runner *g, const assay_case *c)
{
    char path[4400];
    module_record record;
    case_module_path(g->ws, c, path, sizeof path);
    if (access(path, R_OK) != 0 || module_record_read(path, &record, NULL) != ASSAY_OK)
        return 0;
    const int other = strcmp(record.status, "skipped") == 0;
    module_record_release(&record);
    return other;
}

static void run_module(golden_runner *g, const assay_case *c)
{
    const char *op = c->op->spec->name, *dtype = assay_dtype_name(c->dtype);
    const int passed = g->summary->passed, failed = g->summary->failed;
    char module[300];
    snprintf(module, sizeof module, "%s.%s.%s", op, c->variant, dtype);
    if (!find_case(g->set, op, dtype, 0))
        return;
    if (g->options->dry_run) {
        clean_printf(stdout, "%s\n", module);
        return;
    }
    if (is_of_other_dtype(g, c)) {
        record(g, module, "*", "skipped", "its solve() is for another dtype");
        return;
    }
    for (int from = 0; from >= 0;)
        from = run_worker(g, c, module, from);
    if (!g->options->quiet && g->summary->failed == failed && g->summary->passed > passed)
        clean_printf(stdout, "PASS %s %d golden cases\n", module, g->summary->passed - passed);
    fflush(stdout);
}

/* Cases of ops or dtypes that the workspace does not have, as far as the filter selects them. */
static void count_skipped(golden_runner *g, const case_filter *filter)
{
    size_t i;
    json_t *golden;
    json_array_foreach(g->set->cases, i, golden)
    {
        assay_dtype dtype = ASSAY_F64;
        const char *op_name = json_get_text(golden, "op", ""),
                   *dtype_name = json_get_text(golden, "dtype", "");
        const workspace_op *op = workspace_find_op(g->ws, op_name);
        assay_dtype_parse(dtype_name, &dtype);
        if ((op && opspec_has_dtype(op->spec, dtype)) || !list_selects(filter->ops, op_name) ||
            !list_selects(filter->dtypes, dtype_name))
            continue;
        g->summary->skipped++;
        if (!g->options->quiet)
            clean_printf(stdout, "SKIP golden %s: %s %s is not in this workspace\n",
                         json_get_text(golden, "id", "?"), op ? "dtype" : "op", op ? dtype_name : op_name);
    }
}

/* Wrong parameters and shapes are the manifest's fault, not a kernel's: found before anything runs. */
static assay_status check_cases(const golden_runner *g, const case_filter *filter, assay_error *error)
{
    size_t i;
    json_t *golden;
    assay_status status = ASSAY_OK;
    json_array_foreach(g->set->cases, i, golden)
    {
        const assay_op_impl *impl;
        assay_problem problem;
        const workspace_op *op = workspace_find_op(g->ws, json_get_text(golden, "op", ""));
        if (!op || status != ASSAY_OK || !list_selects(filter->ops, op->spec->name))
            continue;
        status = workspace_load_impl(op, &impl, error);
        if (status == ASSAY_OK)
            status = golden_problem(g->set, golden, op->spec, impl, &problem, error);
    }
    return status;
}

/* The filter's ops that exist: asking for golden cases of an op that is still to come skips them, it is no error. */
static void known_ops(const workspace *ws, const char *list, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < ws->op_count && used < out_bytes; i++)
        if (list_selects(list, ws->ops[i].spec->name))
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", used ? "," : "",
                                     ws->ops[i].spec->name);
}

static assay_status run_all(golden_runner *g, const case_filter *filter, assay_error *error)
{
    char ops[2048];
    assay_case *cases = NULL;
    int count = 0;
    known_ops(g->ws, filter->ops, ops, sizeof ops);
    /* Of the sizes only the pseudo-size: one entry a variant and dtype. */
    const case_filter own = {
        .ops = ops, .variants = filter->variants, .dtypes = filter->dtypes, .sizes = "edge"};
    assay_status status = ASSAY_OK;
    if (ops[0])
        status = workspace_list_cases(g->ws, &own, 1, &cases, &count, error);
    for (int i = 0; i < count && status == ASSAY_OK && !g->summary->interrupted; i++)
        run_module(g, &cases[i]);
    free(cases);
    return status;
}

assay_status verify_golden(workspace *ws, const char *directory, const case_filter *filter,
                           const verify_options *options, verify_summary *summary, assay_error *error)
{
    static const case_filter all = {0};
    golden_set set;
    golden_runner g = {.ws = ws, .options = options, .summary = summary, .set = &set};
    filter = filter ? filter : &all;
    *summary = (verify_summary){.cases = json_array()};
    assay_status status = golden_open(directory, &set, error);
    if (status == ASSAY_OK)
        status = check_cases(&g, filter, error);
    if (status == ASSAY_OK)
        status = options->dry_run ? ASSAY_OK : output_folder_prepare(ws->results, error);
    if (status == ASSAY_OK)
        status = run_all(&g, filter, error);
    if (status == ASSAY_OK && !options->dry_run) {
        count_skipped(&g, filter);
        if (!options->quiet && g.torch_compared > 0)
            printf("torch's own results agree in %d of %d comparisons\n", g.torch_agrees, g.torch_compared);
    }
    if (status == ASSAY_OK && !options->dry_run && !summary->interrupted &&
        summary->passed + summary->failed + summary->skipped + summary->errors == 0)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "%s: no golden case matches the filter", directory);
    golden_close(&set);
    return status;
}

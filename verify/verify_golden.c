/* Judging the golden cases: one worker a variant and dtype, and a new one behind a case that failed. */
#include "verify/verify.h"
#include "verify/golden.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/output_folder.h"
#include "core/process.h"
#include "core/utf8.h"
#include "verify/judge.h"
#include "verify/summary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void record_result(golden_runner *g, const char *module, const json_t *golden,
                          const golden_result *result)
{
    record(g, module, json_get_text(golden, "id", "?"),
           result->passed    ? "pass"
           : result->skipped ? "skipped"
                             : "fail",
           result->reason);
    g->torch_compared += result->torch_agrees >= 0;
    g->torch_agrees += result->torch_agrees == 1;
}

/* One variant and dtype, and the worker that runs it. */
typedef struct golden_module {
    const assay_case *c;
    char name[300];
    module_record record;
    check_subject subject;
} golden_module;

static assay_status start(golden_runner *g, golden_module *m, assay_error *error)
{
    assay_status status =
        verify_start_worker(g->ws, g->options, m->record.library, &m->subject.worker, error);
    if (status == ASSAY_OK)
        status = worker_load(m->subject.worker, m->record.library, m->c->op->spec->name, error);
    return status;
}

static void stop(golden_module *m)
{
    worker_close(m->subject.worker);
    m->subject.worker = NULL;
}

/* Judge one case. 1: go on with the next. */
static int run_case(golden_runner *g, golden_module *m, const json_t *golden)
{
    char what[128];
    golden_result result = {.torch_agrees = -1};
    assay_error error = {0};
    snprintf(what, sizeof what, "golden case %s", json_get_text(golden, "id", "?"));
    assay_status status = m->subject.worker ? ASSAY_OK : start(g, m, &error);
    worker *w = m->subject.worker;
    if (w && status == ASSAY_OK) {
        worker_begin(w, verify_time_limit_s(g->ws, g->options));
        worker_name_step(w, "", what);
        status = golden_judge(g->set, golden, &m->subject, &result, &error);
    }
    if (process_interrupted()) {
        g->summary->interrupted = 1;
        return 0;
    }
    const int lost = w && worker_lost(w), unloadable = status == ASSAY_ERR_CHECK;
    if (status != ASSAY_OK && !lost && !unloadable) {
        char reason[800];
        snprintf(reason, sizeof reason, "%s: %s", what, error.message);
        summary_add_error(g->summary, m->name, reason, assay_status_exit(status));
        return 0;
    }
    if (status != ASSAY_OK)
        snprintf(result.reason, sizeof result.reason, "%s", lost ? worker_reason(w) : error.message);
    record_result(g, m->name, golden, &result);
    if (!result.passed && !result.skipped)
        stop(m); /* whatever it left behind meets no other case */
    return !unloadable;
}

static void run_cases(golden_runner *g, golden_module *m)
{
    const char *op = m->c->op->spec->name, *dtype = assay_dtype_name(m->c->dtype);
    const opspec *spec = m->c->op->spec;
    assay_error error = {0};
    m->subject = (check_subject){
        .spec = spec,
        .tolerance = spec->tolerances[m->c->dtype],
        .contest = strcmp(json_get_text(m->record.json, "entry", ""), "solve") == 0,
        .synchronises = json_is_true(json_object_get(m->record.json, "synchronises")),
    };
    if (workspace_load_impl(m->c->op, &m->subject.impl, &error) != ASSAY_OK) {
        summary_add_error(g->summary, m->name, error.message, assay_status_exit(error.status));
        return;
    }
    if (module_check(&m->record, &error) != ASSAY_OK) {
        record(g, m->name, json_get_text(find_case(g->set, op, dtype, 0), "id", "?"), "fail", error.message);
        return;
    }
    const json_t *golden;
    for (int i = 0; (golden = find_case(g->set, op, dtype, i)) != NULL && run_case(g, m, golden); i++)
        ;
    stop(m);
}

static void run_module(golden_runner *g, const assay_case *c)
{
    const char *op = c->op->spec->name, *dtype = assay_dtype_name(c->dtype);
    const int passed = g->summary->passed, failed = g->summary->failed;
    char path[4400];
    assay_error error = {0};
    golden_module m = {.c = c};
    snprintf(m.name, sizeof m.name, "%s.%s.%s", op, c->variant, dtype);
    if (!find_case(g->set, op, dtype, 0))
        return;
    if (g->options->dry_run) {
        clean_printf(stdout, "%s\n", m.name);
        return;
    }
    case_module_path(g->ws, c, path, sizeof path);
    if (module_record_read(path, &m.record, &error) != ASSAY_OK)
        summary_add_error(g->summary, m.name, error.message, assay_status_exit(error.status));
    else if (strcmp(m.record.status, "skipped") == 0) /* no module, and that is no failure */
        record(g, m.name, "*", "skipped", "its solve() is for another dtype");
    else
        run_cases(g, &m);
    module_record_release(&m.record);
    if (!g->options->quiet && g->summary->failed == failed && g->summary->passed > passed)
        clean_printf(stdout, "PASS %s %d golden cases\n", m.name, g->summary->passed - passed);
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

/* All that runs a reference or a kernel, in a process of its own (parallel.h). */
typedef struct golden_job {
    golden_runner *g;
    const case_filter *filter;
} golden_job;

static assay_status run_job(void *context, int job, parallel_report *report, verify_summary *summary,
                            assay_error *error)
{
    const golden_job *own = context;
    golden_runner *g = own->g;
    (void)job, (void)report;
    g->summary = summary;
    const assay_status status = run_all(g, own->filter, error);
    if (status != ASSAY_OK || g->options->dry_run)
        return status;
    count_skipped(g, own->filter);
    if (!g->options->quiet && g->torch_compared > 0)
        clean_printf(stdout, "torch's own results agree in %d of %d comparisons\n", g->torch_agrees,
                     g->torch_compared);
    return ASSAY_OK;
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
    golden_job job = {.g = &g, .filter = filter};
    const parallel_work work = {.run = run_job, .context = &job};
    if (status == ASSAY_OK)
        status = parallel_run(1, &work, summary, error);
    if (status == ASSAY_OK && !options->dry_run && !summary->interrupted &&
        summary->passed + summary->failed + summary->skipped + summary->errors == 0)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "%s: no golden case matches the filter", directory);
    golden_close(&set);
    return status;
}

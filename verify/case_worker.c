/* One case in one process. A sized case is one problem; "edge" is every edge case of op.json and the automatic ones. */
#include "verify/case_worker.h"
#include "core/json_file.h"
#include "verify/bare.h"
#include "verify/huge.h"
#include "verify/verdict.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Special contents that every op is run with at its small size, unless one of its own edge cases has them. */
enum { MOST_FAILED_EDGES = 5 }; /* then the rest of the edge cases is left out */

/* Inputs and references kept for further variants: at most this much, and this part of the free memory, which the problem itself and
 * other workers need too. */
#define MOST_KEPT_BYTES (INT64_C(2) << 30)
#define KEPT_SHARE      8

static const char *const automatic_specials[] = {"nonfinite", "denormal", "signed_zero", "constant"};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static assay_status find_record(const case_request *request, case_setup *setup, assay_error *error)
{
    char path[4400];
    assay_case c = {.op = setup->op, .dtype = setup->dtype};
    snprintf(c.variant, sizeof c.variant, "%s", request->variant);
    case_module_path(setup->ws, &c, path, sizeof path);
    if (!request->module && access(path, F_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s.%s.%s is not built; build it: cmake --build %s", c.op->spec->name,
                               c.variant, request->dtype, setup->ws->path);
    return module_record_read(request->module ? request->module : path, &setup->record, error);
}

assay_status case_open(const case_request *request, case_setup *setup, assay_error *error)
{
    *setup = (case_setup){0};
    assay_status status = workspace_open(request->workspace, &setup->ws, error);
    if (status != ASSAY_OK)
        return status;
    setup->op = workspace_find_op(setup->ws, request->op);
    if (!setup->op)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "unknown op \"%s\"; \"assay list\" shows the ops there are", request->op);
    const opspec *spec = setup->op->spec;
    if (!assay_dtype_parse(request->dtype, &setup->dtype) || !opspec_has_dtype(spec, setup->dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no dtype \"%s\"", spec->name,
                               request->dtype);
    status = workspace_load_impl(setup->op, &setup->impl, error);
    return status == ASSAY_OK ? find_record(request, setup, error) : status;
}

assay_status case_change(const case_request *request, case_setup *setup, assay_error *error)
{
    module_record_release(&setup->record);
    return find_record(request, setup, error);
}

assay_status case_start(case_setup *setup, assay_error *error)
{
    const opspec *spec = setup->op->spec;
    assay_run_fn run = NULL;
    assay_status status = module_load(&setup->record, spec->name, &run, error);
    if (status == ASSAY_OK && !setup->device)
        status = assay_device_open(setup->ws->device, 0, &setup->device, error);
    setup->subject = (check_subject){
        .device = setup->device,
        .spec = spec,
        .impl = setup->impl,
        .run = run,
        .tolerance = spec->tolerances[setup->dtype],
        .contest = strcmp(json_get_text(setup->record.json, "entry", ""), "solve") == 0,
        .synchronises = json_is_true(json_object_get(setup->record.json, "synchronises")),
    };
    return status;
}

void case_close(case_setup *setup)
{
    truth_store_close(setup->kept);
    assay_device_close(setup->device);
    module_record_release(&setup->record);
    workspace_close(setup->ws);
    *setup = (case_setup){0};
}

void case_keep_truths(case_setup *setup)
{
    const int64_t free_bytes = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    setup->kept = truth_store_open(free_bytes / KEPT_SHARE < MOST_KEPT_BYTES ? free_bytes / KEPT_SHARE
                                                                             : MOST_KEPT_BYTES);
}

/* Outcome over the problems of a case. */
typedef struct outcome {
    int passed, failed, skipped, unsupported;
    char reason[LAUNCH_REASON_MAX + 192];      /* of the first failure */
    char skip_reason[LAUNCH_REASON_MAX + 192]; /* of the first skip */
} outcome;

/* Run the checks that belong to a problem. `is_huge`: `edge` is a huge case. */
static assay_status check_one(const case_request *request, const case_setup *setup,
                              const assay_problem *problem, const opspec_edge *edge, int is_huge,
                              check_report *report, assay_error *error)
{
    const check_options options = {
        .seed = request->seed,
        .special = edge ? edge->special : NULL,
        .trace = 1,
        .label = edge ? edge->name : request->size,
        .kept = setup->kept,
        .unread = request->unread,
    };
    const huge_options huge = huge_default_options(request->seed, options.label);
    if (request->bare)
        return bare_check(&setup->subject, problem, &options, report, error);
    return is_huge ? huge_check(&setup->subject, problem, &huge, report, error)
                   : check_problem(&setup->subject, problem, &options, report, error);
}

static assay_status judge_problem(const case_request *request, case_setup *setup, const opspec_dims *dims,
                                  const opspec_edge *edge, json_t *verdict, outcome *total,
                                  assay_error *error)
{
    assay_problem problem;
    check_report report;
    const char *label = edge ? edge->name : "", *kind = strcmp(request->size, "huge") == 0 ? "huge" : "edge";
    assay_status status =
        opspec_build_problem(setup->op->spec, setup->impl, setup->dtype, dims, edge, &problem, error);
    if (status == ASSAY_OK)
        status = check_one(request, setup, &problem, edge, kind[0] == 'h', &report, error);
    if (status != ASSAY_OK)
        return status;
    verdict_add_report(verdict, label, &report, setup->op->spec);
    total->passed += report.verdict == CHECK_PASS;
    total->failed += report.verdict == CHECK_FAIL;
    total->skipped += report.verdict == CHECK_SKIPPED;
    total->unsupported += report.unsupported;
    char *reason = report.verdict == CHECK_FAIL ? total->reason : total->skip_reason;
    if (report.verdict != CHECK_PASS && reason[0] == '\0')
        snprintf(reason, sizeof total->reason, "%s%s%s%s%s", edge ? kind : "", edge ? " case " : "", label,
                 edge ? ", " : "", report.reason);
    return ASSAY_OK;
}

static int has_special(const opspec *spec, const char *special)
{
    for (int i = 0; i < spec->edge_count; i++)
        if (strcmp(spec->edges[i].special, special) == 0)
            return 1;
    return 0;
}

static assay_status judge_automatic(const case_request *request, case_setup *setup, json_t *verdict,
                                    outcome *total, assay_error *error)
{
    const opspec *spec = setup->op->spec;
    const opspec_size *small = opspec_find_size(spec, "small");
    const size_t count = small ? sizeof automatic_specials / sizeof automatic_specials[0] : 0;
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < count && status == ASSAY_OK && total->failed < MOST_FAILED_EDGES; i++) {
        if (has_special(spec, automatic_specials[i]))
            continue;
        opspec_edge edge = {.dims = *opspec_size_dims(small, "cpu")};
        snprintf(edge.name, sizeof edge.name, "small_%s", automatic_specials[i]);
        snprintf(edge.special, sizeof edge.special, "%s", automatic_specials[i]);
        status = judge_problem(request, setup, NULL, &edge, verdict, total, error);
    }
    return status;
}

/* Edge cases or huge cases. */
static assay_status judge_list(const case_request *request, case_setup *setup, const opspec_edge *cases,
                               int count, json_t *verdict, outcome *total, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK && total->failed < MOST_FAILED_EDGES; i++)
        if (cases[i].dtype_mask >> setup->dtype & 1u)
            status = judge_problem(request, setup, NULL, &cases[i], verdict, total, error);
    return status;
}

static assay_status judge_edges(const case_request *request, case_setup *setup, json_t *verdict,
                                outcome *total, assay_error *error)
{
    const opspec *spec = setup->op->spec;
    const int is_huge = strcmp(request->size, "huge") == 0;
    assay_status status =
        is_huge ? judge_list(request, setup, spec->huge_cases, spec->huge_count, verdict, total, error)
                : judge_list(request, setup, spec->edges, spec->edge_count, verdict, total, error);
    if (status == ASSAY_OK && !is_huge)
        status = judge_automatic(request, setup, verdict, total, error);
    /* An op's edge cases belong to its definition: a kernel may refuse all of them (it needs another device), not some. A contest's
     * solve() has no words for some: its op.json says which, not the kernel. */
    if (status == ASSAY_OK && !setup->subject.contest && total->failed == 0 && total->passed > 0 &&
        total->unsupported > 0) {
        total->failed = total->unsupported;
        memcpy(total->reason, total->skip_reason, sizeof total->reason);
    }
    if (total->failed > 1) {
        const size_t used = strlen(total->reason);
        snprintf(total->reason + used, sizeof total->reason - used, " (and %d more %s cases fail)",
                 total->failed - 1, request->size);
    }
    return status;
}

/* What compute-sanitizer watches: the CPU device's small size, which is enough for it and soon done, and the op's edge cases. */
static assay_status judge_bare(const case_request *request, case_setup *setup, json_t *verdict,
                               outcome *total, assay_error *error)
{
    const opspec *spec = setup->op->spec;
    const opspec_dims *small = opspec_size_dims(opspec_find_size(spec, "small"), "cpu");
    const assay_status status = judge_problem(request, setup, small, NULL, verdict, total, error);
    return status == ASSAY_OK
               ? judge_list(request, setup, spec->edges, spec->edge_count, verdict, total, error)
               : status;
}

/* Some cases are for GPUs only; on the CPU device they are skipped, with the reason in *total. */
static int runs_here(const case_setup *setup, const char *name, outcome *total)
{
    const opspec_size *size = opspec_find_size(setup->op->spec, name);
    const int is_huge = strcmp(name, "huge") == 0;
    if (strcmp(setup->ws->device, "cpu") != 0 || !(is_huge || (size && size->cuda_only)))
        return 1;
    total->skipped = 1;
    snprintf(total->skip_reason, sizeof total->skip_reason, "%s",
             is_huge ? "tensors above 2^31 elements are checked on GPUs only"
                     : "op.json has this size for GPUs only");
    return 0;
}

assay_status case_judge_opened(const case_request *request, case_setup *setup, json_t **verdict,
                               assay_error *error)
{
    const opspec *spec = setup->op->spec;
    const opspec_size *size = opspec_find_size(spec, request->size);
    if (!request->bare && !opspec_has_case(spec, setup->dtype, request->size))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no size \"%s\" in %s", spec->name,
                               request->size, request->dtype);
    const opspec_dims *dims = size ? opspec_size_dims(size, setup->ws->device) : NULL;
    const double start = now_s();
    outcome total = {0};
    assay_error load_error = {0};
    assay_status status = case_start(setup, &load_error);
    const verdict_subject about = {
        .op = spec->name,
        .variant = request->variant,
        .size = request->size,
        .dtype = setup->dtype,
        .device = setup->device ? assay_device_get_info(setup->device) : NULL,
        .source_sha256 = setup->record.source_sha256,
        .seed = request->seed,
    };
    *verdict = verdict_create(&about, NULL, dims, spec);
    if (status == ASSAY_ERR_CHECK) {
        const int compiles = strcmp(setup->record.status, "ok") == 0;
        verdict_finish(*verdict, compiles ? "fail" : setup->record.status, load_error.message,
                       now_s() - start);
        return ASSAY_OK;
    }
    if (status != ASSAY_OK)
        return assay_error_set(error, status, "%s", load_error.message);
    if (request->bare)
        status = judge_bare(request, setup, *verdict, &total, error);
    else if (!runs_here(setup, request->size, &total))
        status = ASSAY_OK;
    else
        status = size ? judge_problem(request, setup, dims, NULL, *verdict, &total, error)
                      : judge_edges(request, setup, *verdict, &total, error);
    if (status != ASSAY_OK &&
        total.failed > 0) { /* a kernel that broke the device is wrong: what followed is its doing */
        status = ASSAY_OK;
        if (error)
            *error = (assay_error){0};
    }
    /* Huge cases that did not fit in memory are not covered by those that did. */
    const int incomplete = strcmp(request->size, "huge") == 0 && total.skipped > 0;
    const check_verdict result = total.failed                  ? CHECK_FAIL
                                 : total.passed && !incomplete ? CHECK_PASS
                                                               : CHECK_SKIPPED;
    if (result == CHECK_SKIPPED && total.skipped == 0) { /* no problem at all was run */
        verdict_finish(*verdict, "fail", "there was nothing to check", now_s() - start);
        return status;
    }
    verdict_finish(*verdict, verdict_status_name(result),
                   result == CHECK_FAIL      ? total.reason
                   : result == CHECK_SKIPPED ? total.skip_reason
                                             : "",
                   now_s() - start);
    return status;
}

assay_status case_judge(const case_request *request, json_t **verdict, assay_error *error)
{
    case_setup setup;
    *verdict = NULL;
    assay_status status = case_open(request, &setup, error);
    if (status == ASSAY_OK)
        status = case_judge_opened(request, &setup, verdict, error);
    case_close(&setup);
    if (status != ASSAY_OK) {
        json_decref(*verdict);
        *verdict = NULL;
    }
    return status;
}

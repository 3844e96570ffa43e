/* A case's problems and what they come to; see case.h. */
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include "verify/case.h"
#include "verify/claims.h"
#include "verify/drawn.h"
#include "verify/edge_order.h"
#include "verify/exact.h"
#include "verify/huge.h"
#include "verify/verdict.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Inputs and references kept for further kernels: at most this much, and this part of the free memory, which the problem itself and
 * other jobs need too. */
#define MOST_KEPT_BYTES (INT64_C(2) << 30)
#define KEPT_SHARE      8

/* Special contents that every op is run with at its small size, unless one of its own edge cases has them. */
static const char *const automatic_specials[] = {"nonfinite", "denormal", "signed_zero", "constant",
                                                 "few_values"};

assay_status case_open(const case_request *request, int keep, case_setup *setup, assay_error *error)
{
    *setup = (case_setup){0};
    if (keep) {
        const int64_t free_bytes = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
        setup->kept = expected_store_open(free_bytes / KEPT_SHARE < MOST_KEPT_BYTES ? free_bytes / KEPT_SHARE
                                                                                    : MOST_KEPT_BYTES);
    }
    return workspace_load_impl(request->op, &setup->impl, error);
}

void case_close(case_setup *setup)
{
    expected_store_close(setup->kept);
    *setup = (case_setup){0};
}

assay_status case_find_record(const case_request *request, const char *module, module_record *record,
                              assay_error *error)
{
    char path[4400];
    assay_case c = {.op = request->op, .dtype = request->dtype};
    snprintf(c.variant, sizeof c.variant, "%s", request->variant);
    case_module_path(request->ws, &c, path, sizeof path);
    if (!module && access(path, F_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s.%s.%s is not built; build it: cmake --build %s", c.op->spec->name,
                               c.variant, assay_dtype_name(c.dtype), request->ws->path);
    return module_record_read(module ? module : path, record, error);
}

/* One case on its way to a verdict. */
typedef struct case_run {
    const case_request *request;
    const case_setup *setup;
    check_subject subject;
    uint64_t read; /* parameters that a kernel from outside reads, of claims.h */
    json_t *verdict;
    assay_error *error;
} case_run;

/* Outcome over the problems of a case; extras that the kernel does not claim are not among them. */
typedef struct outcome {
    int passed, failed, skipped, unsupported;
    char reason[LAUNCH_REASON_MAX + 192];      /* of the first failure */
    char skip_reason[LAUNCH_REASON_MAX + 192]; /* of the first skip */
} outcome;

/* 1 if so many edge cases failed that the rest is left out. */
static int enough_failed(const case_run *run, const outcome *total)
{
    enum { MOST_FAILED_EDGES = 5 };
    return total->failed >= (run->request->first_failure ? 1 : MOST_FAILED_EDGES);
}

/* Run the checks that belong to a problem. `is_huge`: `edge` is a huge case. */
static assay_status check_one(const case_run *run, const assay_problem *problem, const opspec_edge *edge,
                              int is_huge, check_report *report)
{
    const case_request *request = run->request;
    const check_options options = {
        .seed = request->seed,
        .special = edge ? edge->special : NULL,
        .once = edge ? edge->once : 0,
        .every = request->every_check,
        .label = edge ? edge->name : request->size,
        .kept = run->setup->kept,
        .unread = request->unread,
    };
    const huge_options huge = huge_default_options(request->seed, options.label);
    if (request->exact)
        return exact_check(&run->subject, problem, &options, report, run->error);
    return is_huge ? huge_check(&run->subject, problem, &huge, report, run->error)
                   : check_problem(&run->subject, problem, &options, report, run->error);
}

/* The extra that an edge case belongs to, or NULL. */
static const opspec_extra *extra_of(const opspec *spec, const opspec_edge *edge)
{
    return edge && edge->extra > 0 ? &spec->extras[edge->extra - 1] : NULL;
}

static int claims(const case_request *request, const opspec_extra *extra)
{
    return request->claims ? list_has(request->claims, extra->name) : opspec_claims(extra, request->variant);
}

static assay_status judge_problem(case_run *run, const opspec_dims *dims, const opspec_edge *edge,
                                  outcome *total)
{
    const opspec *spec = run->request->op->spec;
    const opspec_extra *extra = extra_of(spec, edge);
    int required = !extra || claims(run->request, extra);
    assay_problem problem;
    check_report report = {.deterministic = -1};
    const char *label = edge ? edge->name : "",
               *kind = strcmp(run->request->size, "huge") == 0 ? "huge" : "edge";
    assay_status status =
        opspec_build_problem(spec, run->setup->impl, run->request->dtype, dims, edge, &problem, run->error);
    worker_begin_problem(run->subject.worker);
    if (status == ASSAY_OK)
        status = check_one(run, &problem, edge, kind[0] == 'h', &report);
    if (!required && !report.unsupported) /* it may read a parameter to refuse it */
        required = claims_edge(spec, edge, run->read);
    if (status == ASSAY_OK || report.item_count > 0)
        verdict_add_report(run->verdict, label, &report, required, spec);
    if (status == ASSAY_OK && extra)
        verdict_add_extra(run->verdict, extra->name, required, label, &report);
    if (!required || (status != ASSAY_OK && report.verdict != CHECK_FAIL))
        return status;
    total->passed += report.verdict == CHECK_PASS;
    total->failed += report.verdict == CHECK_FAIL;
    total->skipped += report.verdict == CHECK_SKIPPED;
    total->unsupported += report.unsupported;
    char *reason = report.verdict == CHECK_FAIL ? total->reason : total->skip_reason;
    if (report.verdict != CHECK_PASS && reason[0] == '\0')
        snprintf(reason, sizeof total->reason, "%s%s%s%s%s", edge ? kind : "", edge ? " case " : "", label,
                 edge ? ", " : "", report.reason);
    return status;
}

static int has_special(const opspec *spec, const char *special)
{
    for (int i = 0; i < spec->edge_count; i++)
        if (strcmp(spec->edges[i].special, special) == 0)
            return 1;
    return 0;
}

static assay_status judge_automatic(case_run *run, outcome *total)
{
    const opspec *spec = run->request->op->spec;
    const opspec_size *small = opspec_find_size(spec, "small");
    const size_t count = small ? sizeof automatic_specials / sizeof automatic_specials[0] : 0;
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < count && status == ASSAY_OK && !enough_failed(run, total); i++) {
        if (has_special(spec, automatic_specials[i]))
            continue;
        opspec_edge edge = {.dims = *opspec_size_dims(small, "cpu")};
        snprintf(edge.name, sizeof edge.name, "small_%s", automatic_specials[i]);
        snprintf(edge.special, sizeof edge.special, "%s", automatic_specials[i]);
        status = judge_problem(run, NULL, &edge, total);
    }
    return status;
}

/* The small size with the parameters of drawn.h, each round with each choice of the others. */
static assay_status judge_drawn_parameters(case_run *run, outcome *total)
{
    const opspec *spec = run->request->op->spec;
    const opspec_size *small = opspec_find_size(spec, "small");
    const int combinations = drawn_combinations(spec);
    assay_status status = ASSAY_OK;
    if (small == NULL)
        return ASSAY_OK;
    opspec_edge edge = {.dims = *opspec_size_dims(small, "cpu")};
    for (int i = 0; i < combinations * DRAWN_ROUNDS && status == ASSAY_OK && !enough_failed(run, total);
         i++) {
        drawn_parameters(spec, run->request->seed, i / DRAWN_ROUNDS, i % DRAWN_ROUNDS, &edge);
        status = judge_problem(run, NULL, &edge, total);
    }
    return status;
}

/* A kernel may refuse a whole op on a device, but not its edge cases alone: does it do what it is for? The outcome of a size that it computes
 * turns what it refused into failures. */
static assay_status probe_sizes(case_run *run, outcome *total)
{
    static const char *const sizes[] = {"small", "medium"};
    const opspec *spec = run->request->op->spec;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && total->failed == 0; i++) {
        const opspec_size *size = opspec_find_size(spec, sizes[i]);
        outcome probe = {0};
        const assay_status status =
            size ? judge_problem(run, opspec_size_dims(size, run->request->ws->device), NULL, &probe)
                 : ASSAY_OK;
        if (status != ASSAY_OK)
            return status;
        if (probe.passed + probe.failed == 0)
            continue;
        total->failed = total->unsupported;
        snprintf(total->reason, sizeof total->reason,
                 "the kernel computes the size %s and refuses every edge case as unsupported; they belong to "
                 "the op's "
                 "definition",
                 sizes[i]);
    }
    return ASSAY_OK;
}

/* Edge cases or huge cases. */
static assay_status judge_list(case_run *run, const opspec_edge *cases, int count, outcome *total)
{
    assay_status status = ASSAY_OK;
    int order[OPSPEC_MAX_EDGES];
    edge_order(run->request->op->spec, run->setup->impl, run->request->dtype, cases, count, order);
    const char *only = run->request->edges;
    for (int i = 0; i < count && status == ASSAY_OK && !enough_failed(run, total); i++)
        if ((!only || list_has(only, cases[order[i]].name)) &&
            opspec_edge_applies(&cases[order[i]], run->request->dtype,
                                run->request->outside ? NULL : run->request->variant))
            status = judge_problem(run, NULL, &cases[order[i]], total);
    return status;
}

static assay_status judge_edges(case_run *run, outcome *total)
{
    const opspec *spec = run->request->op->spec;
    const int is_huge = strcmp(run->request->size, "huge") == 0;
    assay_status status = is_huge ? judge_list(run, spec->huge_cases, spec->huge_count, total)
                                  : judge_list(run, spec->edges, spec->edge_count, total);
    if (status == ASSAY_OK && !is_huge && !run->request->edges)
        status = judge_automatic(run, total);
    if (status == ASSAY_OK && !is_huge && !run->request->edges)
        status = judge_drawn_parameters(run, total);
    /* An op's edge cases belong to its definition: a kernel may refuse all of them (it needs another device), not some. A contest's
     * solve() has no words for some: its op.json says which, not the kernel. */
    if (status == ASSAY_OK && !run->subject.contest && total->failed == 0 && total->passed > 0 &&
        total->unsupported > 0) {
        total->failed = total->unsupported;
        memcpy(total->reason, total->skip_reason, sizeof total->reason);
    }
    if (status == ASSAY_OK && !run->subject.contest && !is_huge && total->failed + total->passed == 0 &&
        total->unsupported > 0)
        return probe_sizes(run, total);
    if (total->failed > 1) {
        const size_t used = strlen(total->reason);
        snprintf(total->reason + used, sizeof total->reason - used, " (and %d more %s cases fail)",
                 total->failed - 1, run->request->size);
    }
    return status;
}

/* What compute-sanitizer watches: the CPU device's small size, which is enough for it and soon done, and the op's edge cases. */
static assay_status judge_exact(case_run *run, outcome *total)
{
    const opspec *spec = run->request->op->spec;
    const opspec_dims *small = opspec_size_dims(opspec_find_size(spec, "small"), "cpu");
    const assay_status status = judge_problem(run, small, NULL, total);
    return status == ASSAY_OK ? judge_list(run, spec->edges, spec->edge_count, total) : status;
}

static assay_status judge_problems(case_run *run, outcome *total)
{
    const opspec_size *size = opspec_find_size(run->request->op->spec, run->request->size);
    if (run->request->exact)
        return judge_exact(run, total);
    return size ? judge_problem(run, opspec_size_dims(size, run->request->ws->device), NULL, total)
                : judge_edges(run, total);
}

static json_t *create_verdict(const case_request *request, const module_record *record, const worker *w)
{
    const opspec *spec = request->op->spec;
    const opspec_size *size = opspec_find_size(spec, request->size);
    assay_device_info device = {0};
    const char *slug = strrchr(request->ws->results, '/');
    snprintf(device.kind, sizeof device.kind, "%s", request->ws->device);
    snprintf(device.slug, sizeof device.slug, "%s", slug ? slug + 1 : "");
    const verdict_subject about = {
        .op = spec->name,
        .variant = request->variant,
        .size = request->size,
        .dtype = request->dtype,
        .device = w ? worker_info(w) : &device,
        .source_sha256 = record->source_sha256,
        .seed = request->seed,
    };
    json_t *verdict =
        verdict_create(&about, NULL, size ? opspec_size_dims(size, request->ws->device) : NULL, spec);
    if (size && size->has_cpu_dims && strcmp(request->ws->device, "cuda") != 0)
        json_object_set_new(verdict, "scaled", json_true());
    if (w)
        json_object_set_new(verdict, "confinement", confine_json(worker_measures(w)));
    return verdict;
}

/* Some cases are for GPUs only; the reason why one is not run on a device that stands for one, or NULL. */
static const char *why_not_here(const case_request *request)
{
    const opspec_size *size = opspec_find_size(request->op->spec, request->size);
    if (strcmp(request->ws->device, "cuda") == 0 || request->exact)
        return NULL;
    if (strcmp(request->size, "huge") == 0)
        return "tensors above 2^31 elements are checked on GPUs only";
    return size && size->cuda_only ? "op.json has this size for GPUs only" : NULL;
}

int case_judge_unrun(const case_request *request, const module_record *record, json_t **verdict)
{
    const double start = process_clock_s();
    const char *skipped = why_not_here(request);
    assay_error why = {0};
    if (module_check(record, &why) == ASSAY_OK && !skipped)
        return 0;
    *verdict = create_verdict(request, record, NULL);
    verdict_finish(*verdict, why.status != ASSAY_OK ? record->status : "skipped",
                   why.status != ASSAY_OK ? why.message : skipped, process_clock_s() - start);
    return 1;
}

/* Status and reason over all problems. */
static void conclude(const case_run *run, const outcome *total, double seconds)
{
    /* Huge cases that did not fit in memory are not covered by those that did. */
    const int incomplete = strcmp(run->request->size, "huge") == 0 && total->skipped > 0;
    if (total->failed == 0 && total->unsupported > 0 && !run->subject.contest)
        json_object_set_new(run->verdict, "unsupported", json_true());
    const check_verdict result = total->failed                  ? CHECK_FAIL
                                 : total->passed && !incomplete ? CHECK_PASS
                                                                : CHECK_SKIPPED;
    if (result == CHECK_SKIPPED && total->skipped == 0) /* no problem at all was run */
        verdict_finish(run->verdict, "fail", "there was nothing to check", seconds);
    else
        verdict_finish(run->verdict, verdict_status_name(result),
                       result == CHECK_FAIL      ? total->reason
                       : result == CHECK_SKIPPED ? total->skip_reason
                                                 : "",
                       seconds);
}

/* The kernel's own ends: its module does not load, or the worker is lost over it. 1 if that is the verdict;
 * where every check is made, not if one had failed before. */
static int conclude_end(const case_run *run, assay_status loaded, const char *message, const outcome *total,
                        double seconds)
{
    const worker *w = run->subject.worker;
    const int ended = worker_lost(w) && !(run->request->every_check && total->failed > 0);
    if (ended)
        verdict_finish(run->verdict, worker_how_ended(w) == WORKER_TIMED_OUT ? "timeout" : "crash",
                       worker_reason(w), seconds);
    else if (loaded == ASSAY_ERR_CHECK)
        verdict_finish(run->verdict, "fail", message, seconds);
    return ended || loaded == ASSAY_ERR_CHECK;
}

static check_subject subject_of(const case_request *request, const case_setup *setup,
                                const module_record *record, worker *w)
{
    return (check_subject){
        .worker = w,
        .spec = request->op->spec,
        .impl = setup->impl,
        .tolerance = request->op->spec->tolerances[request->dtype],
        .contest = strcmp(json_get_text(record->json, "entry", ""), "solve") == 0,
        .synchronises = json_is_true(json_object_get(record->json, "synchronises")),
    };
}

assay_status case_judge(const case_request *request, const case_setup *setup, const module_record *record,
                        worker *w, json_t **verdict, assay_error *error)
{
    const double start = process_clock_s();
    outcome total = {0};
    assay_error own = {0};
    case_run run = {.request = request, .setup = setup, .error = &own};
    run.subject = subject_of(request, setup, record, w);
    run.read = request->claims ? claims_read(request->op->spec, record->source) : 0;
    run.verdict = *verdict = create_verdict(request, record, w);
    worker_name_step(w, request->size, "loading");
    const assay_status loaded = worker_load(w, record->library, request->op->spec->name, &own);
    const assay_status status = loaded == ASSAY_OK ? judge_problems(&run, &total) : loaded;
    if (conclude_end(&run, loaded, own.message, &total, process_clock_s() - start))
        return ASSAY_OK;
    /* A kernel that broke the device is wrong: what followed is its doing. */
    if (status != ASSAY_OK && total.failed == 0) {
        json_decref(*verdict);
        *verdict = NULL;
        return assay_error_set(error, status, "%s", own.message);
    }
    conclude(&run, &total, process_clock_s() - start);
    return ASSAY_OK;
}

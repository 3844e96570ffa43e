/* Judging cases by workers; see judge.h. */
#include "verify/judge.h"
#include "verify/case_worker.h"
#include "core/json_file.h"
#include "core/process.h"
#include "results/case_verdict.h"
#include "verify/summary.h"
#include "verify/verdict.h"
#include "verify/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void verdict_path(const judge *j, const planned_case *planned, char *out, size_t out_bytes)
{
    char name[400];
    if (!planned->module) {
        case_verdict_path(j->ws, &planned->c, out, out_bytes);
        return;
    }
    case_name(&planned->c, name, sizeof name);
    snprintf(out, out_bytes, "%s/%s/verify/%s.json", j->ws->results,
             j->options->checked ? "checked" : "outside", name);
}

static void source_hash(const judge *j, const planned_case *planned, char hash[65])
{
    char path[4400];
    module_record record;
    hash[0] = '\0';
    case_module_path(j->ws, &planned->c, path, sizeof path);
    if (module_record_read(planned->module ? planned->module : path, &record, NULL) != ASSAY_OK)
        return;
    snprintf(hash, 65, "%s", record.source_sha256);
    module_record_release(&record);
}

/* What the planned case is about, as far as it is known without its worker. */
static verdict_subject subject_of(const judge *j, const planned_case *planned, assay_device_info *device,
                                  char hash[65])
{
    const char *slug = strrchr(j->ws->results, '/');
    *device = (assay_device_info){0};
    snprintf(device->kind, sizeof device->kind, "%s", j->ws->device);
    snprintf(device->slug, sizeof device->slug, "%s", slug ? slug + 1 : "");
    source_hash(j, planned, hash);
    return (verdict_subject){
        .op = planned->c.op->spec->name,
        .variant = planned->c.variant,
        .size = planned->c.size,
        .dtype = planned->c.dtype,
        .device = device,
        .source_sha256 = hash,
        .seed = j->options->seed ? j->options->seed : VERIFY_DEFAULT_SEED,
    };
}

/* The verdict of a worker that did not live to write one. */
static json_t *verdict_of_the_dead(const judge *j, const planned_case *planned, const worker_result *result)
{
    assay_device_info device;
    char hash[65];
    const opspec_size *size = opspec_find_size(planned->c.op->spec, planned->c.size);
    const verdict_subject about = subject_of(j, planned, &device, hash);
    json_t *verdict = verdict_create(&about, NULL, size ? opspec_size_dims(size, j->ws->device) : NULL,
                                     planned->c.op->spec);
    verdict_finish(verdict, result->end == WORKER_TIMED_OUT ? "timeout" : "crash", result->reason,
                   result->seconds);
    return verdict;
}

static int has_zero(const opspec_dims *dims)
{
    for (int i = 0; i < dims->count; i++)
        if (dims->dim[i].value == 0)
            return 1;
    return 0;
}

/* A size may be defined as empty; the edge cases always have elements, by the automatic ones if not by their own. */
static int may_be_empty(const judge *j, const planned_case *planned)
{
    const opspec *spec = planned->c.op->spec;
    const opspec_size *size = opspec_find_size(spec, planned->c.size);
    return size ? has_zero(opspec_size_dims(size, j->ws->device)) : !opspec_find_size(spec, "small");
}

/* Read what the worker wrote. NULL where it wrote nothing or nothing that can be its own: then *result becomes a crash. */
static json_t *read_worker_verdict(const judge *j, const planned_case *planned, const char *out,
                                   worker_result *result)
{
    json_t *verdict = NULL;
    assay_device_info device;
    char hash[65], why[256];
    if (result->end != WORKER_DONE)
        return NULL;
    const verdict_subject about = subject_of(j, planned, &device, hash);
    if (json_file_read(out, &verdict, NULL) != ASSAY_OK)
        snprintf(why, sizeof why, "it is not valid JSON");
    else if (verdict_is_credible(verdict, &about, may_be_empty(j, planned), why, sizeof why))
        return verdict;
    json_decref(verdict);
    result->end = WORKER_CRASHED;
    snprintf(result->reason, sizeof result->reason,
             "the worker's verdict is not its own (%s): did the kernel write it?", why);
    return NULL;
}

/* History: the attempts of the verdict that is there already, and this one. */
static void add_attempts(const char *path, json_t *verdict)
{
    json_t *old = NULL, *attempts = NULL, *attempt = json_object();
    char time[32];
    if (json_file_read(path, &old, NULL) == ASSAY_OK && json_is_array(json_object_get(old, "attempts")))
        attempts = json_incref(json_object_get(old, "attempts"));
    else
        attempts = json_array();
    verdict_time(time);
    json_object_set_new(attempt, "time", json_string(time));
    for (size_t i = 0; i < 4; i++) {
        static const char *const keys[] = {"status", "reason", "source_sha256", "seconds"};
        json_object_set(attempt, keys[i], json_object_get(verdict, keys[i]));
    }
    json_array_append_new(attempts, attempt);
    json_object_set_new(verdict, "attempts", attempts);
    json_decref(old);
}

/* The command that runs the case again. A kernel from outside the tree is named by its file. */
static void format_rerun(const judge *j, const planned_case *planned, char *out, size_t out_bytes)
{
    const assay_case *c = &planned->c;
    const char *check = j->options->checked ? " --check" : "";
    module_record record;
    if (!planned->module) {
        snprintf(out, out_bytes, "assay verify --op %s --variant %s --dtype %s --size %s", c->op->spec->name,
                 c->variant, assay_dtype_name(c->dtype), c->size);
        return;
    }
    const assay_status status = module_record_read(planned->module, &record, NULL);
    snprintf(out, out_bytes, "assay verify %s%s --source %s --dtype %s --size %s", c->op->spec->name, check,
             status == ASSAY_OK ? record.source : "FILE.cu", assay_dtype_name(c->dtype), c->size);
    if (status == ASSAY_OK)
        module_record_release(&record);
}

static void add_provenance(const judge *j, const planned_case *planned, json_t *verdict)
{
    char rerun[4600];
    json_t *git = json_object();
    json_object_set_new(git, "commit", json_string(j->commit));
    json_object_set_new(git, "dirty", json_boolean(j->dirty));
    json_object_set_new(verdict, "git", git);
    format_rerun(j, planned, rerun, sizeof rerun);
    json_object_set_new(verdict, "rerun", json_string(rerun));
}

static void write_verdict(judge *j, const planned_case *planned, json_t *verdict, assay_error *error)
{
    char name[400], path[4600];
    case_name(&planned->c, name, sizeof name);
    verdict_path(j, planned, path, sizeof path);
    case_verdict_identify(j->ws, &planned->c, verdict); /* by this process: no kernel shares it */
    add_attempts(path, verdict);
    add_provenance(j, planned, verdict);
    json_file_write(path, verdict, 0, error);
    summary_add_verdict(j->summary, name, verdict, j->options->quiet);
}

/* A worker at its cases. */
typedef struct group_run {
    judge *j;
    const planned_case *cases;
    int count;
    char (*outs)[WORKER_OUT_MAX]; /* where the worker leaves the verdicts */
    int done;                     /* cases whose verdict is written */
    int stopped;                  /* 1: the next one does not stand, or the last could not be written */
    assay_error *error;
} group_run;

/* While the worker runs: take what stands. The last case waits for the worker's end, which is part of it. */
static void take_standing(void *context, int written)
{
    group_run *g = context;
    while (!g->stopped && g->done < written && g->done < g->count - 1) {
        worker_result result = {.end = WORKER_DONE};
        json_t *verdict = read_worker_verdict(g->j, &g->cases[g->done], g->outs[g->done], &result);
        g->stopped = !verdict || !verdict_stands(verdict) || g->error->status != ASSAY_OK;
        if (!g->stopped)
            write_verdict(g->j, &g->cases[g->done++], verdict, g->error);
        json_decref(verdict);
    }
}

static void take_error(group_run *g, const worker_result *result)
{
    char name[400];
    case_name(&g->cases[g->done++].c, name, sizeof name);
    summary_add_error(g->j->summary, name, result->reason, result->code);
}

/* The worker ended: what of the case behind those that are done? It is left to a new worker where it is not this one's first, unless it
 * stands or ran out of time. */
static void take_last(group_run *g, worker_result *result)
{
    const int first = g->done == 0;
    const planned_case *planned = &g->cases[g->done];
    const char *out = g->outs[g->done];
    if (result->end == WORKER_FAILED) {
        if (first)
            take_error(g, result);
        return;
    }
    const int written = access(out, F_OK) == 0;
    const int timed_out = result->end == WORKER_TIMED_OUT && !written;
    json_t *verdict = written ? read_worker_verdict(g->j, planned, out, result) : NULL;
    if (!verdict && (first || timed_out)) {
        verdict = verdict_of_the_dead(g->j, planned, result);
        json_object_set_new(verdict, "seconds", json_number(result->seconds));
    }
    if (first || timed_out || (verdict && verdict_stands(verdict))) {
        g->done++;
        write_verdict(g->j, planned, verdict, g->error);
    }
    json_decref(verdict);
}

/* One worker for as many of the cases as it gets through. Returns how many are done: 1 at least, unless interrupted. */
static int run_group(group_run *g)
{
    worker_case cases[WORKER_MOST_CASES];
    worker_result result;
    for (int i = 0; i < g->count; i++) {
        char path[4600];
        verdict_path(g->j, &g->cases[i], path, sizeof path);
        worker_out_path(path, g->outs[i], WORKER_OUT_MAX);
        cases[i] =
            (worker_case){.variant = g->cases[i].c.variant, .module = g->cases[i].module, .out = g->outs[i]};
    }
    const assay_case *c = &g->cases->c;
    const worker_job job = {.op = c->op->spec->name,
                            .dtype = assay_dtype_name(c->dtype),
                            .size = c->size,
                            .cases = cases,
                            .case_count = g->count};
    worker_run(g->j->ws, &job, g->j->options, take_standing, g, &result);
    if (result.end == WORKER_INTERRUPTED || process_interrupted())
        g->j->summary->interrupted = 1;
    else if (g->done < g->count && g->error->status == ASSAY_OK)
        take_last(g, &result);
    for (int i = 0; i < g->count; i++)
        unlink(g->outs[i]);
    return g->done;
}

assay_status verify_judge_group(judge *j, const planned_case *group, int count, assay_error *error)
{
    char(*outs)[WORKER_OUT_MAX] = malloc(WORKER_MOST_CASES * sizeof *outs);
    assay_error write_error = {0};
    if (!outs)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int first = 0; first < count && !j->summary->interrupted && write_error.status == ASSAY_OK;) {
        const int left = count - first;
        group_run g = {.j = j,
                       .cases = group + first,
                       .count = left < WORKER_MOST_CASES ? left : WORKER_MOST_CASES,
                       .outs = outs,
                       .error = &write_error};
        first += run_group(&g);
    }
    free(outs);
    /* A full or read-only disk: going on would only lose more. */
    return write_error.status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, write_error.status, "%s", write_error.message);
}

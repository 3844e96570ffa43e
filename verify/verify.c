/* Cases -> workers -> verdict files and lines; see verify.h. */
#include "verify.h"
#include "case_worker.h"
#include "json_file.h"
#include "output_folder.h"
#include "parallel.h"
#include "summary.h"
#include "verdict.h"
#include "worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct runner {
    workspace *ws;
    const verify_options *options;
    verify_summary *summary;
    char commit[64];
    int dirty;
} runner;

/* A case and, for a kernel from outside the tree, its module's record. */
typedef struct planned_case {
    assay_case c;
    const char *module;
} planned_case;

static void verdict_path(const runner *r, const planned_case *planned, char *out, size_t out_bytes)
{
    char name[400];
    if (!planned->module) {
        case_verdict_path(r->ws, &planned->c, out, out_bytes);
        return;
    }
    case_name(&planned->c, name, sizeof name);
    snprintf(out, out_bytes, "%s/outside/verify/%s.json", r->ws->results, name);
}

static void source_hash(const runner *r, const planned_case *planned, char hash[65])
{
    char path[4400];
    module_record record;
    hash[0] = '\0';
    case_module_path(r->ws, &planned->c, path, sizeof path);
    if (module_record_read(planned->module ? planned->module : path, &record, NULL) != ASSAY_OK)
        return;
    snprintf(hash, 65, "%s", record.source_sha256);
    module_record_release(&record);
}

/* What the planned case is about, as far as it is known without its worker. */
static verdict_subject subject_of(const runner *r, const planned_case *planned, assay_device_info *device,
                                  char hash[65])
{
    const char *slug = strrchr(r->ws->results, '/');
    *device = (assay_device_info){0};
    snprintf(device->kind, sizeof device->kind, "%s", r->ws->device);
    snprintf(device->slug, sizeof device->slug, "%s", slug ? slug + 1 : "");
    source_hash(r, planned, hash);
    return (verdict_subject){
        .op = planned->c.op->spec->name,
        .variant = planned->c.variant,
        .size = planned->c.size,
        .dtype = planned->c.dtype,
        .device = device,
        .source_sha256 = hash,
        .seed = r->options->seed ? r->options->seed : VERIFY_DEFAULT_SEED,
    };
}

/* The verdict of a worker that did not live to write one. */
static json_t *verdict_of_the_dead(const runner *r, const planned_case *planned, const worker_result *result)
{
    assay_device_info device;
    char hash[65];
    const opspec_size *size = opspec_find_size(planned->c.op->spec, planned->c.size);
    const verdict_subject about = subject_of(r, planned, &device, hash);
    json_t *verdict = verdict_create(&about, NULL, size ? opspec_size_dims(size, r->ws->device) : NULL,
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
static int may_be_empty(const runner *r, const planned_case *planned)
{
    const opspec *spec = planned->c.op->spec;
    const opspec_size *size = opspec_find_size(spec, planned->c.size);
    return size ? has_zero(opspec_size_dims(size, r->ws->device)) : !opspec_find_size(spec, "small");
}

/* Read what the worker wrote. NULL where it wrote nothing or nothing that can be its own: then *result becomes a crash. */
static json_t *read_worker_verdict(const runner *r, const planned_case *planned, const char *out,
                                   worker_result *result)
{
    json_t *verdict = NULL;
    assay_device_info device;
    char hash[65], why[256];
    if (result->end != WORKER_DONE)
        return NULL;
    const verdict_subject about = subject_of(r, planned, &device, hash);
    if (json_file_read(out, &verdict, NULL) != ASSAY_OK)
        snprintf(why, sizeof why, "it is not valid JSON");
    else if (verdict_is_credible(verdict, &about, may_be_empty(r, planned), why, sizeof why))
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
static void format_rerun(const planned_case *planned, char *out, size_t out_bytes)
{
    const assay_case *c = &planned->c;
    module_record record;
    if (!planned->module) {
        snprintf(out, out_bytes, "assay verify --op %s --variant %s --dtype %s --size %s", c->op->spec->name,
                 c->variant, assay_dtype_name(c->dtype), c->size);
        return;
    }
    const assay_status status = module_record_read(planned->module, &record, NULL);
    snprintf(out, out_bytes, "assay verify %s --source %s --dtype %s --size %s", c->op->spec->name,
             status == ASSAY_OK ? record.source : "FILE.cu", assay_dtype_name(c->dtype), c->size);
    if (status == ASSAY_OK)
        module_record_release(&record);
}

static void add_provenance(const runner *r, const planned_case *planned, json_t *verdict)
{
    char rerun[4600];
    json_t *git = json_object();
    json_object_set_new(git, "commit", json_string(r->commit));
    json_object_set_new(git, "dirty", json_boolean(r->dirty));
    json_object_set_new(verdict, "git", git);
    format_rerun(planned, rerun, sizeof rerun);
    json_object_set_new(verdict, "rerun", json_string(rerun));
}

static void judge_case(runner *r, const planned_case *planned, assay_error *write_error)
{
    char name[400], path[4600], out[4700];
    worker_result result;
    case_name(&planned->c, name, sizeof name);
    verdict_path(r, planned, path, sizeof path);
    worker_out_path(path, out, sizeof out);
    const worker_job job = {
        .op = planned->c.op->spec->name,
        .variant = planned->c.variant,
        .dtype = assay_dtype_name(planned->c.dtype),
        .size = planned->c.size,
        .module = planned->module,
        .out = out,
    };
    worker_run(r->ws, &job, r->options, &result);
    if (result.end == WORKER_INTERRUPTED || process_interrupted()) {
        r->summary->interrupted = 1;
    } else if (result.end == WORKER_FAILED) {
        summary_add_error(r->summary, name, result.reason, result.code);
    } else {
        json_t *verdict = read_worker_verdict(r, planned, out, &result);
        if (!verdict)
            verdict = verdict_of_the_dead(r, planned, &result);
        json_object_set_new(verdict, "seconds", json_number(result.seconds));
        add_attempts(path, verdict);
        add_provenance(r, planned, verdict);
        json_file_write(path, verdict, 0, write_error);
        summary_add_verdict(r->summary, name, verdict, r->options->quiet);
        json_decref(verdict);
    }
    unlink(out);
}

/* Cases of a module from outside the tree: those of its op and dtype, under its own name. */
static assay_status plan_module(runner *r, const case_filter *filter, const char *path, planned_case **plan,
                                int *count, assay_error *error)
{
    module_record record;
    assay_case *cases = NULL;
    int case_count = 0;
    assay_status status = module_record_read(path, &record, error);
    if (status != ASSAY_OK)
        return status;
    const char *op = json_get_text(record.json, "op", ""), *dtype = json_get_text(record.json, "dtype", "");
    const workspace_op *found = workspace_find_op(r->ws, op);
    if (!found) {
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s: the op \"%s\" of this module is not in the workspace", path, op);
    } else {
        const case_filter own = {.ops = op,
                                 .variants = found->variants[0],
                                 .dtypes = dtype,
                                 .sizes = filter ? filter->sizes : NULL};
        status = workspace_list_cases(r->ws, &own, 1, &cases, &case_count, error);
    }
    planned_case *grown =
        status == ASSAY_OK ? realloc(*plan, (size_t)(*count + case_count + 1) * sizeof **plan) : NULL;
    for (int i = 0; grown && i < case_count; i++) {
        planned_case *planned = &grown[(*count)++];
        *planned = (planned_case){.c = cases[i], .module = path};
        snprintf(planned->c.variant, sizeof planned->c.variant, "%s",
                 json_get_text(record.json, "variant", "outside"));
    }
    if (grown)
        *plan = grown;
    free(cases);
    module_record_release(&record);
    return status;
}

static assay_status plan_workspace(runner *r, const case_filter *filter, planned_case **plan, int *count,
                                   assay_error *error)
{
    assay_case *cases = NULL;
    const assay_status status = workspace_list_cases(r->ws, filter, 1, &cases, count, error);
    if (status != ASSAY_OK)
        return status;
    *plan = calloc((size_t)*count + 1, sizeof **plan);
    const int listed = *count;
    *count = 0;
    for (int i = 0; *plan && i < listed; i++)
        if (!r->options->unjudged_only || !case_is_judged(r->ws, &cases[i]))
            (*plan)[(*count)++].c = cases[i];
    free(cases);
    return *plan ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
}

static assay_status make_plan(runner *r, const case_filter *filter, planned_case **plan, int *count,
                              assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (r->options->module_count == 0)
        status = plan_workspace(r, filter, plan, count, error);
    for (int i = 0; i < r->options->module_count && status == ASSAY_OK; i++)
        status = plan_module(r, filter, r->options->modules[i], plan, count, error);
    if (status == ASSAY_OK && *count == 0 && !r->options->unjudged_only)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "no case matches; \"assay list\" shows what there is");
    return status;
}

static void print_plan(const planned_case *plan, int count)
{
    for (int i = 0; i < count; i++) {
        char name[400];
        case_name(&plan[i].c, name, sizeof name);
        printf("%s\n", name);
    }
}

/* Judge cases first, first + step, ... */
static assay_status judge_share(runner *r, const planned_case *plan, int count, int first, int step,
                                assay_error *error)
{
    for (int i = first; i < count && !r->summary->interrupted; i += step) {
        assay_error write_error = {0};
        judge_case(r, &plan[i], &write_error);
        if (write_error.status != ASSAY_OK) /* a full or read-only disk: going on would only lose more */
            return assay_error_set(error, write_error.status, "%s", write_error.message);
    }
    return ASSAY_OK;
}

typedef struct job_context {
    runner *r;
    const planned_case *plan;
    int count, jobs;
} job_context;

static assay_status judge_job(void *context, int job, verify_summary *summary, assay_error *error)
{
    const job_context *c = context;
    runner own = *c->r;
    own.summary = summary;
    return judge_share(&own, c->plan, c->count, job, c->jobs, error);
}

int verify_default_jobs(const workspace *ws)
{
    const double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const long by_memory = (long)(free_bytes / 4e9), by_cores = sysconf(_SC_NPROCESSORS_ONLN) / 2;
    const long jobs = by_memory < by_cores ? by_memory : by_cores;
    return strcmp(ws->device, "cuda") != 0 || jobs < 1 ? 1 : jobs < 8 ? (int)jobs : 8;
}

static assay_status judge_in_parallel(runner *r, const planned_case *plan, int count, int most,
                                      assay_error *error)
{
    const int jobs = most < count ? most : count;
    job_context context = {.r = r, .plan = plan, .count = count, .jobs = jobs};
    return parallel_run(jobs, judge_job, &context, r->summary, error);
}

assay_status verify_run(workspace *ws, const case_filter *filter, const verify_options *options,
                        verify_summary *summary, assay_error *error)
{
    runner r = {.ws = ws, .options = options, .summary = summary};
    planned_case *plan = NULL;
    int count = 0;
    /* Huge cases share a card's memory badly. */
    const int has_huge = filter && filter->sizes && strstr(filter->sizes, "huge") != NULL;
    const int jobs = options->jobs > 0 ? options->jobs : has_huge ? 1 : verify_default_jobs(ws);
    char folder[4400];
    *summary = (verify_summary){.cases = json_array()};
    workspace_commit(ws, r.commit, &r.dirty);
    snprintf(folder, sizeof folder, "%s/%sverify", ws->results, options->module_count ? "outside/" : "");
    assay_status status = make_plan(&r, filter, &plan, &count, error);
    if (status == ASSAY_OK && !options->dry_run && count > 0)
        status = output_folder_prepare(folder,
                                       error); /* judging takes minutes, and its verdicts must go somewhere */
    if (options->dry_run)
        print_plan(plan, status == ASSAY_OK ? count : 0);
    else if (status == ASSAY_OK && jobs > 1 && count > 1)
        status = judge_in_parallel(&r, plan, count, jobs, error);
    else if (status == ASSAY_OK)
        status = judge_share(&r, plan, count, 0, 1, error);
    free(plan);
    return status;
}

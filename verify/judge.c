/* Judging cases with the help of workers; see judge.h. */
#include "verify/judge.h"
#include "verify/case.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/case_options.h"
#include "core/tuned_variant.h"
#include "results/case_verdict.h"
#include "verify/summary.h"
#include "verify/verdict.h"
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT_S    120.0
#define SANITIZER_SLOWDOWN 8.0 /* of watched modules (--check) as well */

double verify_time_limit_s(const workspace *ws, const verify_options *options)
{
    if (options->time_limit_s > 0)
        return options->time_limit_s;
    const char *sanitizer = json_get_text(json_object_get(ws->manifest, "versions"), "sanitize", "none");
    const int plain = strcmp(sanitizer, "none") == 0 || sanitizer[0] == '\0';
    return plain && !options->checked ? DEFAULT_LIMIT_S : DEFAULT_LIMIT_S * SANITIZER_SLOWDOWN;
}

enum { MOST_READABLE = 64 };

/* What a confined worker may read beside the system's folders: the module, and the libraries that this process runs with, which are the
 * worker's too; never a reference. */
typedef struct readable {
    const workspace *ws;
    char runtime[4096]; /* folder of the CPU device's runtime, whose other half checked modules link */
    const char *paths[MOST_READABLE + 1];
    int count;
} readable;

static int add_library(struct dl_phdr_info *info, size_t bytes, void *context)
{
    readable *r = context;
    (void)bytes;
    for (int i = 0; i < r->ws->op_count; i++)
        if (strcmp(info->dlpi_name, r->ws->ops[i].reference) == 0)
            return 0;
    const char *name = strstr(info->dlpi_name, "/libassay_simt.so");
    if (name && r->count < MOST_READABLE) {
        snprintf(r->runtime, sizeof r->runtime, "%.*s", (int)(name - info->dlpi_name), info->dlpi_name);
        r->paths[r->count++] = r->runtime;
    } else if (info->dlpi_name[0] == '/' && r->count < MOST_READABLE) {
        r->paths[r->count++] = info->dlpi_name;
    }
    return 0;
}

/* On the CPU device what a kernel may write is known: its tensors, and a stack for each thread of a block on each core. A GPU's driver and
 * a sanitizer reserve more than they use. */
static int64_t memory_limit(const workspace *ws)
{
    const char *sanitizer = json_get_text(json_object_get(ws->manifest, "versions"), "sanitize", "none");
    const int plain = strcmp(sanitizer, "none") == 0 || sanitizer[0] == '\0';
    return plain && strcmp(ws->device, "cpu") == 0
               ? (INT64_C(2) << 30) + sysconf(_SC_NPROCESSORS_ONLN) * (INT64_C(160) << 20)
               : 0;
}

assay_status verify_start_worker(const workspace *ws, const verify_options *options, const char *library,
                                 worker **w, assay_error *error)
{
    char program[4200];
    const double limit_s = verify_time_limit_s(ws, options);
    readable r = {.ws = ws, .paths = {library}, .count = 1};
    snprintf(program, sizeof program, "%s/assay-verify-worker", ws->libexec);
    dl_iterate_phdr(add_library, &r);
    const confine_rules rules = {.readable = r.paths,
                                 .cpu_s = limit_s * (double)sysconf(_SC_NPROCESSORS_ONLN) + 10,
                                 .memory_bytes = memory_limit(ws)};
    const worker_setup setup = {.program = program,
                                .device = ws->device,
                                .time_limit_s = limit_s,
                                .confine = options->confined ? &rules : NULL};
    return worker_start(&setup, w, error);
}

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

static uint64_t seed_of(const verify_options *options)
{
    return options->seed ? options->seed : VERIFY_DEFAULT_SEED;
}

/* The command that runs the case again. A kernel from outside the tree is named by its file. */
static void format_rerun(const judge *j, const planned_case *planned, char *out, size_t out_bytes)
{
    const assay_case *c = &planned->c;
    const char *check = j->options->checked ? " --check" : "";
    module_record record;
    if (!planned->module || tuned_variant_is(c->variant)) {
        char which[1024];
        case_options(j->ws, c, planned->module, which, sizeof which);
        snprintf(out, out_bytes, "assay verify --op %s%s %s --seed %llu", c->op->spec->name, check, which,
                 (unsigned long long)seed_of(j->options));
        return;
    }
    const assay_status status = module_record_read(planned->module, &record, NULL);
    assay_case problem = *c; /* the file is the variant */
    char which[1024];
    problem.variant[0] = '\0';
    case_options(j->ws, &problem, NULL, which, sizeof which);
    snprintf(out, out_bytes, "assay verify %s%s --source %s %s --seed %llu", c->op->spec->name, check,
             status == ASSAY_OK ? record.source : "FILE.cu", which, (unsigned long long)seed_of(j->options));
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

/* Cases that share an op, dtype and size. */
typedef struct group {
    judge *j;
    const planned_case *cases;
    int count;
    case_setup setup;
    assay_error no_reference; /* why the op's reference could not be loaded */
} group;

static case_request request_of(const group *g, const planned_case *planned)
{
    const assay_case *c = &planned->c;
    return (case_request){
        .ws = g->j->ws,
        .op = c->op,
        .variant = c->variant,
        .outside = planned->module != NULL,
        .dtype = c->dtype,
        .size = c->size,
        .every_check = g->j->options->every_check,
        .first_failure = g->j->options->first_failure,
        .edges = g->j->options->edges,
        .seed = seed_of(g->j->options),
        .claims = !g->j->options->confined ? NULL
                  : g->j->options->claims  ? g->j->options->claims
                                           : "",
    };
}

void verify_end_worker(judge *j)
{
    worker_close(j->worker);
    j->worker = NULL;
    j->used = 0;
}

/* Judge once. *again: the verdict does not count, for another kernel ran in the same worker before, or the device may be gone, which a
 * new worker finds out. */
static assay_status judge_once(group *g, const case_request *request, const module_record *record,
                               json_t **verdict, int *again, assay_error *error)
{
    judge *j = g->j;
    const verify_options *options = j->options;
    assay_status status = ASSAY_OK;
    if (!g->setup.impl)
        return assay_error_set(error, g->no_reference.status, "%s", g->no_reference.message);
    if (!j->worker)
        status = verify_start_worker(j->ws, options, record->library, &j->worker, error);
    if (status != ASSAY_OK)
        return status;
    worker_begin(j->worker, verify_time_limit_s(j->ws, options));
    status = case_judge(request, &g->setup, record, j->worker, verdict, error);
    const int stands = status == ASSAY_OK && verdict_stands(*verdict);
    const int timed_out = worker_how_ended(j->worker) == WORKER_TIMED_OUT;
    *again = !stands && !timed_out && (j->used || (status == ASSAY_OK && verdict_blames_device(*verdict)));
    j->used = 1;
    if (!stands || options->confined)
        verify_end_worker(j);
    return status;
}

static assay_status judge_case(group *g, const planned_case *planned, json_t **verdict, assay_error *error)
{
    const case_request request = request_of(g, planned);
    module_record record = {0};
    int again = 0;
    *verdict = NULL;
    assay_status status = case_find_record(&request, planned->module, &record, error);
    if (status != ASSAY_OK)
        return status;
    if (!case_judge_unrun(&request, &record, verdict))
        status = judge_once(g, &request, &record, verdict, &again, error);
    if (again && !process_interrupted()) {
        json_decref(*verdict);
        *verdict = NULL;
        if (error)
            *error = (assay_error){0};
        status = judge_once(g, &request, &record, verdict, &again, error);
    }
    module_record_release(&record);
    return status;
}

/* Judge one and put down what comes of it. */
static void take_case(group *g, const planned_case *planned, assay_error *write_error)
{
    json_t *verdict = NULL;
    assay_error error = {0};
    char name[400];
    const assay_status status = judge_case(g, planned, &verdict, &error);
    case_name(&planned->c, name, sizeof name);
    if (process_interrupted())
        g->j->summary->interrupted = 1;
    else if (status == ASSAY_OK)
        write_verdict(g->j, planned, verdict, write_error);
    else
        summary_add_error(g->j->summary, name, error.message, assay_status_exit(status));
    json_decref(verdict);
}

assay_status verify_judge_group(judge *j, const planned_case *cases, int count, assay_error *error)
{
    assay_error write_error = {0};
    group g = {.j = j, .cases = cases, .count = count};
    const case_request first = request_of(&g, cases);
    (void)case_open(&first, count > 1, &g.setup, &g.no_reference);
    for (int i = 0; i < count && !j->summary->interrupted && write_error.status == ASSAY_OK; i++) {
        if (j->begins)
            j->begins(j->context, &cases[i]);
        take_case(&g, &cases[i], &write_error);
        if (j->report)
            parallel_send(j->report, j->summary);
    }
    case_close(&g.setup);
    /* A full or read-only disk: going on would only lose more. */
    return write_error.status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, write_error.status, "%s", write_error.message);
}

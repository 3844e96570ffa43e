/* Batches from compiler to time: see evaluate.h. */
#include "tune/evaluate/evaluate.h"
#include "bench/run/result.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/process.h"
#include "resources/resources.h"
#include "results/describe_case.h"
#include "results/identity.h"
#include "verify/verify.h"
#include <math.h>
#include <sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BATCHES = 2 };

/* A batch whose modules are being compiled. */
typedef struct begun_batch {
    tune_candidate *batch; /* NULL: free */
    int count,
        index[EVALUATE_MOST]; /* candidates that were not decided before, and where they stand in the batch */
    tuned_module modules[EVALUATE_MOST];
    compile_pool pool;
} begun_batch;

struct evaluator {
    tune_subject subject;
    evaluate_options options;
    int64_t began; /* the batch that is timed, in seconds since 1970 */
    begun_batch begun[MOST_BATCHES];
};

assay_status evaluator_create(const tune_subject *subject, const evaluate_options *options, evaluator **out,
                              assay_error *error)
{
    evaluator *e = calloc(1, sizeof *e);
    if (!e)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    e->subject = *subject;
    e->options = *options;
    *out = e;
    return ASSAY_OK;
}

void evaluator_free(evaluator *e)
{
    for (int i = 0; e && i < MOST_BATCHES; i++)
        if (e->begun[i].batch)
            compile_pool_release(&e->begun[i].pool);
    if (e)
        workspace_forget_tuned(e->subject.ws);
    free(e);
}

assay_status tune_candidate_make(const tune_subject *subject, const configuration *c, tune_candidate *out,
                                 assay_error *error)
{
    int64_t values[OPSPEC_MAX_TUNABLES];
    *out = (tune_candidate){.configuration = *c,
                            .time_us = NAN,
                            .tflops = NAN,
                            .compile_s = NAN,
                            .verify_s = NAN,
                            .bench_s = NAN};
    for (int i = 0; i < space_parameter_count(subject->space) && i < OPSPEC_MAX_TUNABLES; i++)
        values[i] = configuration_value(subject->space, c, i)->integer;
    return tuned_variant_make(subject->op->spec, subject->variant, values, &out->tuned, error);
}

void tune_candidate_release(tune_candidate *candidate)
{
    free(candidate->report);
    candidate->report = NULL;
}

static void __attribute__((format(printf, 3, 4)))
fail(tune_candidate *c, evaluation_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->reason, sizeof c->reason, format, arguments);
    va_end(arguments);
    c->reason[strcspn(c->reason, "\n")] = '\0';
    c->status = status;
    c->done = 1;
}

static assay_case case_of(const tune_subject *s, const tune_candidate *candidate)
{
    assay_case c = {.op = s->op, .dtype = s->dtype};
    snprintf(c.variant, sizeof c.variant, "%s", candidate->tuned.name);
    snprintf(c.size, sizeof c.size, "%s", s->size);
    return c;
}

void evaluate_result_path(const tune_subject *s, const tune_candidate *candidate, char *out, size_t out_bytes)
{
    const assay_case c = case_of(s, candidate);
    case_result_path(s->ws, &c, out, out_bytes);
}

/* ---- compiling ---- */

assay_status evaluate_begin(evaluator *e, tune_candidate *batch, int count, assay_error *error)
{
    begun_batch *b = e->begun[0].batch ? &e->begun[1] : &e->begun[0];
    b->count = 0;
    for (int i = 0; i < count; i++) {
        if (batch[i].done)
            continue;
        b->index[b->count] = i;
        b->modules[b->count++] = (tuned_module){
            .ws = e->subject.ws, .op = e->subject.op, .tuned = &batch[i].tuned, .dtype = e->subject.dtype};
    }
    const assay_status status = compile_pool_begin(b->modules, b->count, e->options.compile_jobs,
                                                   e->options.compile_limit_s, &b->pool, error);
    b->batch = batch;
    return status;
}

/* What the compiler's report rules out. */
static void prune(const evaluator *e, const module_record *record, tune_candidate *c)
{
    char compute[32];
    const assay_device_info *device = &e->subject.device;
    snprintf(compute, sizeof compute, "%d.%d", device->compute_major, device->compute_minor);
    json_t *summary = resources_for_card(json_object_get(record->json, "resources"), compute);
    const double spill = json_get_number(summary, "spill_bytes", 0),
                 shared = json_get_number(summary, "shared_bytes", 0);
    const int64_t most_shared =
        space_limits_of(json_get_text(summary, "arch", "")).max_shared_bytes_per_block;
    c->report = json_is_object(summary) ? json_dumps(summary, JSON_COMPACT) : NULL;
    if (e->options.most_spill_bytes >= 0 && spill > (double)e->options.most_spill_bytes)
        fail(c, EVALUATION_CONSTRAINTS, "spills %.0f bytes; allowed: %lld", spill,
             (long long)e->options.most_spill_bytes);
    else if (most_shared > 0 && shared > (double)most_shared)
        fail(c, EVALUATION_CONSTRAINTS, "needs %.0f bytes of shared memory; a block has %lld", shared,
             (long long)most_shared);
    json_decref(summary);
}

/* A module that could not be made at all ends the run; one that does not compile, its candidate. */
static assay_status take_module(const evaluator *e, const compiled_module *made, tune_candidate *c,
                                assay_error *error)
{
    const assay_case which = case_of(&e->subject, c);
    char path[4400], line[300];
    module_record record;
    c->compile_s = made->current ? NAN : made->seconds;
    if (!made->done)
        return ASSAY_OK; /* interrupted */
    if (made->status == ASSAY_ERR_CHECK) {
        fail(c, EVALUATION_TIMEOUT, "%s", made->message);
        return ASSAY_OK;
    }
    if (made->status != ASSAY_OK)
        return assay_error_set(error, made->status, "%s", made->message);
    case_module_path(e->subject.ws, &which, path, sizeof path);
    const assay_status status = module_record_read(path, &record, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(c->source_sha256, sizeof c->source_sha256, "%s", record.source_sha256);
    if (strcmp(record.status, "ok") == 0)
        prune(e, &record, c);
    else {
        module_first_error(&record, line, sizeof line);
        fail(c, EVALUATION_FAILED_COMPILE, "%s", line);
    }
    module_record_release(&record);
    return ASSAY_OK;
}

static assay_status take_modules(evaluator *e, tune_candidate *batch, assay_error *error)
{
    begun_batch *b = e->begun[0].batch == batch ? &e->begun[0] : &e->begun[1];
    assay_status status = ASSAY_OK;
    compile_pool_wait(&b->pool);
    for (int i = 0; i < b->count && status == ASSAY_OK; i++)
        status = take_module(e, &b->pool.modules[i], &batch[b->index[i]], error);
    compile_pool_release(&b->pool);
    b->batch = NULL;
    return status;
}

/* ---- verifying ---- */

enum { NAMES_BYTES = EVALUATE_MOST * ASSAY_NAME_MAX };

/* The candidates that are not decided yet, as configurations of the workspace and as a list. Returns how many. */
static int list_open(const evaluator *e, const tune_candidate *batch, int count, char names[NAMES_BYTES])
{
    int open = 0;
    names[0] = '\0';
    workspace_forget_tuned(e->subject.ws);
    for (int i = 0; i < count; i++) {
        if (batch[i].done || !batch[i].source_sha256[0] ||
            workspace_add_tuned(e->subject.ws, e->subject.op, &batch[i].tuned, NULL) != ASSAY_OK)
            continue;
        snprintf(names + strlen(names), NAMES_BYTES - strlen(names), "%s%s", open++ ? "," : "",
                 batch[i].tuned.name);
    }
    return open;
}

static case_filter filter_of(const evaluator *e, const char *names, const char *sizes)
{
    return (case_filter){.ops = e->subject.op->spec->name,
                         .variants = names,
                         .dtypes = assay_dtype_name(e->subject.dtype),
                         .sizes = sizes};
}

/* Of the size alone, or of "edge". */
static void take_verdict(const evaluator *e, tune_candidate *c, const char *size)
{
    assay_case which = case_of(&e->subject, c);
    char path[4400];
    json_t *verdict = NULL;
    snprintf(which.size, sizeof which.size, "%s", size);
    case_verdict_path(e->subject.ws, &which, path, sizeof path);
    json_file_read(path, &verdict, NULL);
    const int is_of_it = strcmp(json_get_text(verdict, "source_sha256", ""), c->source_sha256) == 0;
    const char *status = is_of_it ? json_get_text(verdict, "status", "") : "",
               *reason = json_get_text(verdict, "reason", "");
    snprintf(c->verdict, sizeof c->verdict, "%s", status);
    if (strcmp(status, "fail") == 0)
        fail(c, EVALUATION_FAILED_CORRECTNESS, "%s", reason);
    else if (strcmp(status, "crash") == 0)
        fail(c, EVALUATION_CRASHED, "%s", reason);
    else if (strcmp(status, "timeout") == 0)
        fail(c, EVALUATION_TIMEOUT, "%s", reason);
    else if (strcmp(status, "skipped") == 0)
        fail(c, EVALUATION_CONSTRAINTS, "refused: %s", reason);
    else if (strcmp(status, "pass") != 0)
        fail(c, EVALUATION_CRASHED, "it could not be judged");
    json_decref(verdict);
}

static assay_status verify(evaluator *e, tune_candidate *batch, int count, const char *sizes,
                           assay_error *error)
{
    char names[NAMES_BYTES];
    verify_summary summary = {0};
    const verify_options options = {
        .quiet = 1, .unjudged_only = 1, .time_limit_s = e->options.verify_limit_s};
    const int open = list_open(e, batch, count, names);
    if (open == 0)
        return ASSAY_OK;
    const case_filter filter = filter_of(e, names, sizes);
    const double start_ms = clock_now_ms();
    const assay_status status = verify_run(e->subject.ws, &filter, &options, &summary, error);
    const double seconds = (clock_now_ms() - start_ms) * 1e-3 / open;
    verify_summary_release(&summary);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        if (!batch[i].done && batch[i].source_sha256[0])
            batch[i].verify_s = (isnan(batch[i].verify_s) ? 0 : batch[i].verify_s) + seconds;
    return status;
}

/* ---- timing ---- */

static void add_text(SHA2_CTX *hash, const char *text)
{
    SHA256Update(hash, (const uint8_t *)text, strlen(text) + 1);
}

/* A hash of the result's identity, without the settings that make a time more or less certain. */
static void hash_identity(const result *r, char hex[65])
{
    result_identity identity;
    SHA2_CTX hash;
    SHA256Init(&hash);
    if (identity_of(r, TIMING_MODES, &identity, NULL) == ASSAY_OK)
        for (int part = 0; part < IDENTITY_PARTS; part++)
            if (IDENTITY_FRESH & ~IDENTITY_BIT(IDENTITY_SETTINGS) & IDENTITY_BIT(part))
                add_text(&hash, identity.text[part]);
    identity_release(&identity);
    SHA256End(&hash, hex);
}

/* Of a candidate that has no result: of what would be timed. */
static void identify(const evaluator *e, tune_candidate *c)
{
    const tune_subject *s = &e->subject;
    const assay_case which = case_of(s, c);
    char path[4400];
    module_record record;
    result *r = result_new();
    case_module_path(s->ws, &which, path, sizeof path);
    if (r && module_record_read(path, &record, NULL) == ASSAY_OK) {
        describe_case(r, s->op, c->tuned.name, 0, s->dtype, s->size, s->device.kind, NULL);
        describe_module(r, &record);
        describe_device(r, &s->device);
        describe_host(r);
        hash_identity(r, c->identity);
        module_record_release(&record);
    }
    result_free(r);
}

static void take_times(const evaluator *e, tune_candidate *c, const result *r)
{
    const result_times *times = result_get(r, e->options.mode);
    c->status = EVALUATION_SUCCESS;
    c->done = 1;
    c->time_us = times->mean_us;
    c->tflops = times->tflops;
    for (int i = 0; i < times->repetition_count && c->sample_count < EVALUATE_SAMPLES; i++)
        c->samples[c->sample_count++] = times->repetitions[i].mean_us;
    hash_identity(r, c->identity);
    c->was_known = r->time < e->began;
}

static void take_result(const evaluator *e, tune_candidate *c)
{
    char path[4400];
    result *r = NULL;
    assay_error why = {0};
    evaluate_result_path(&e->subject, c, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, &why) != ASSAY_OK ||
        strcmp(r->hashes.kernel, c->source_sha256) != 0)
        fail(c, EVALUATION_CRASHED, "no time was taken: %s", why.message);
    else if (result_is_timed(r) && result_has(r, e->options.mode))
        take_times(e, c, r);
    else if (strcmp(r->output_check, "fail") == 0)
        fail(c, EVALUATION_FAILED_CORRECTNESS, "while timed: %s", r->reason);
    else if (result_is_too_large(r))
        fail(c, EVALUATION_CONSTRAINTS, "%s", r->reason);
    else
        fail(c, strstr(r->reason, "timed out") ? EVALUATION_TIMEOUT : EVALUATION_CRASHED, "%s", r->reason);
    result_free(r);
}

/* ASSAY_ERR_CHECK is a candidate's, and its result says so. */
static assay_status run_bench(const evaluator *e, const char *names, const bench_options *bench,
                              bench_summary *summary, assay_error *error)
{
    const case_filter filter = filter_of(e, names, e->subject.size);
    assay_error own = {0};
    const assay_status status = bench_run(e->subject.ws, &filter, bench, summary, &own);
    return status == ASSAY_OK || status == ASSAY_ERR_CHECK
               ? ASSAY_OK
               : assay_error_set(error, status, "%s", own.message);
}

static assay_status time_batch(evaluator *e, tune_candidate *batch, int count, double best_us,
                               assay_error *error)
{
    char names[NAMES_BYTES];
    bench_summary summary = {0};
    bench_options bench = e->options.bench;
    const int open = list_open(e, batch, count, names);
    if (open == 0 || process_interrupted())
        return ASSAY_OK;
    bench.modes = timing_mode_bit(e->options.mode);
    bench.baselines = "";
    bench.give_up_us = isnan(best_us) ? 0 : best_us * e->options.give_up_factor;
    const double start_ms = clock_now_ms();
    e->began = (int64_t)time(NULL);
    const assay_status status = run_bench(e, names, &bench, &summary, error);
    const int measured = open > summary.fresh ? open - summary.fresh : 1;
    const double seconds = (clock_now_ms() - start_ms) * 1e-3 / measured;
    for (int i = 0; i < count && status == ASSAY_OK && !process_interrupted(); i++) {
        if (batch[i].done || !batch[i].source_sha256[0])
            continue;
        take_result(e, &batch[i]);
        batch[i].bench_s = batch[i].was_known ? NAN : seconds;
    }
    return status;
}

assay_status evaluate_finish(evaluator *e, tune_candidate *batch, int count, double best_us,
                             assay_error *error)
{
    const char *const sizes[] = {e->subject.size,
                                 "edge"}; /* what is wrong or hangs at the size is not run in edge cases */
    assay_status status = take_modules(e, batch, error);
    for (int s = 0; s < 2; s++) {
        if (status == ASSAY_OK && !process_interrupted())
            status = verify(e, batch, count, sizes[s], error);
        for (int i = 0; i < count && status == ASSAY_OK && !process_interrupted(); i++)
            if (!batch[i].done && batch[i].source_sha256[0])
                take_verdict(e, &batch[i], sizes[s]);
    }
    if (status == ASSAY_OK)
        status = time_batch(e, batch, count, best_us, error);
    for (int i = 0; i < count; i++)
        if (batch[i].done && !batch[i].identity[0] && batch[i].source_sha256[0])
            identify(e, &batch[i]);
    workspace_forget_tuned(e->subject.ws);
    return status;
}

/* ---- finals ---- */

assay_status evaluate_everywhere(evaluator *e, tune_candidate *batch, int count, int *wrong,
                                 assay_error *error)
{
    const opspec *spec = e->subject.op->spec;
    for (int i = 0; i < count; i++)
        batch[i].done = 0;
    assay_status status = verify(e, batch, count, NULL, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        for (int s = 0; s < spec->size_count && !batch[i].done; s++)
            if (opspec_has_case(spec, e->subject.dtype, spec->sizes[s].name) &&
                !opspec_is_shape(spec->sizes[s].name))
                take_verdict(e, &batch[i], spec->sizes[s].name);
        if (!batch[i].done)
            take_verdict(e, &batch[i], "edge");
        /* A size that the device does not have says nothing against the kernel. */
        wrong[i] = batch[i].done && batch[i].status != EVALUATION_CONSTRAINTS;
        batch[i].done = 1;
        if (!wrong[i])
            batch[i].status = EVALUATION_SUCCESS;
    }
    workspace_forget_tuned(e->subject.ws);
    return status;
}

assay_status evaluate_together(evaluator *e, tune_candidate *batch, int count, const bench_options *bench,
                               assay_error *error)
{
    char names[NAMES_BYTES];
    bench_summary summary = {0};
    for (int i = 0; i < count; i++)
        batch[i].done = 0;
    const int open = list_open(e, batch, count, names);
    const assay_status status = open > 0 ? run_bench(e, names, bench, &summary, error) : ASSAY_OK;
    for (int i = 0; i < count; i++) {
        batch[i].done = 1;
        batch[i].sample_count = 0;
        if (status == ASSAY_OK && !process_interrupted())
            take_result(e, &batch[i]);
    }
    workspace_forget_tuned(e->subject.ws);
    return status;
}

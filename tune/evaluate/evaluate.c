/* Batches from compiler to verdict: see evaluate.h. */
#include "tune/evaluate/evaluate_internal.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/process.h"
#include "resources/resources.h"
#include "verify/verify.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (int i = 0; e && i < EVALUATE_BATCHES; i++)
        if (e->begun[i].batch)
            compile_pool_release(&e->begun[i].pool);
    if (e)
        workspace_forget_tuned(e->subject.ws);
    free(e);
}

evaluator_times evaluator_spent(const evaluator *e)
{
    return e->spent;
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

void evaluate_fail(tune_candidate *c, evaluation_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->reason, sizeof c->reason, format, arguments);
    va_end(arguments);
    c->reason[strcspn(c->reason, "\n")] = '\0';
    c->status = status;
    c->done = 1;
}

assay_case evaluate_case(const tune_subject *s, const tune_candidate *candidate)
{
    assay_case c = {.op = s->op, .dtype = s->dtype};
    snprintf(c.variant, sizeof c.variant, "%s", candidate->tuned.name);
    snprintf(c.size, sizeof c.size, "%s", s->size);
    return c;
}

void evaluate_result_path(const tune_subject *s, const tune_candidate *candidate, char *out, size_t out_bytes)
{
    const assay_case c = evaluate_case(s, candidate);
    case_result_path(s->ws, &c, out, out_bytes);
}

/* ---- compiling ---- */

/* Where a batch is compiled; of NULL a free place. */
static begun_batch *find_begun(evaluator *e, const tune_candidate *batch)
{
    for (int i = 0; i < EVALUATE_BATCHES; i++)
        if (e->begun[i].batch == batch)
            return &e->begun[i];
    return NULL;
}

assay_status evaluate_begin(evaluator *e, tune_candidate *batch, int count, assay_error *error)
{
    begun_batch *b = find_begun(e, NULL);
    if (!b)
        return assay_error_set(error, ASSAY_ERR_INVALID, "more than %d batches begun", EVALUATE_BATCHES);
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

void evaluate_prune(const json_t *resources, const assay_device_info *device, int64_t most_spill_bytes,
                    tune_candidate *c)
{
    char compute[32];
    snprintf(compute, sizeof compute, "%d.%d", device->compute_major, device->compute_minor);
    json_t *summary = resources_for_card(resources, compute);
    const double spill = json_get_number(summary, "spill_bytes", 0),
                 shared = json_get_number(summary, "shared_bytes", 0);
    const int64_t most_shared =
        space_limits_of(json_get_text(summary, "arch", "")).max_shared_bytes_per_block;
    c->report = json_is_object(summary) ? json_dumps(summary, JSON_COMPACT) : NULL;
    if (most_spill_bytes >= 0 && spill > (double)most_spill_bytes)
        evaluate_fail(c, EVALUATION_CONSTRAINTS, "spills %.0f bytes; allowed: %lld", spill,
                      (long long)most_spill_bytes);
    else if (most_shared > 0 && shared > (double)most_shared)
        evaluate_fail(c, EVALUATION_CONSTRAINTS, "needs %.0f bytes of shared memory; a block has %lld",
                      shared, (long long)most_shared);
    json_decref(summary);
}

/* A module that could not be made at all ends the run; one that does not compile, its candidate. */
static assay_status take_module(const evaluator *e, const compiled_module *made, tune_candidate *c,
                                assay_error *error)
{
    const assay_case which = evaluate_case(&e->subject, c);
    char path[4400], line[300];
    module_record record;
    c->compile_s = made->current ? NAN : made->seconds;
    if (!made->done)
        return ASSAY_OK; /* interrupted */
    if (made->status == ASSAY_ERR_CHECK) {
        evaluate_fail(c, EVALUATION_TIMEOUT, "%s", made->message);
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
        evaluate_prune(json_object_get(record.json, "resources"), &e->subject.device,
                       e->options.most_spill_bytes, c);
    else {
        module_first_error(&record, line, sizeof line);
        evaluate_fail(c, EVALUATION_FAILED_COMPILE, "%s", line);
    }
    module_record_release(&record);
    return ASSAY_OK;
}

int evaluate_is_compiled(evaluator *e, const tune_candidate *batch)
{
    begun_batch *b = find_begun(e, batch);
    return !b || compile_pool_is_done(&b->pool);
}

assay_status evaluate_compiled(evaluator *e, tune_candidate *batch, assay_error *error)
{
    begun_batch *b = find_begun(e, batch);
    assay_status status = ASSAY_OK;
    if (!b)
        return ASSAY_OK;
    const double start_ms = clock_now_ms();
    compile_pool_wait(&b->pool);
    e->spent.compiling += (clock_now_ms() - start_ms) * 1e-3;
    for (int i = 0; i < b->count && status == ASSAY_OK; i++)
        status = take_module(e, &b->pool.modules[i], &batch[b->index[i]], error);
    compile_pool_release(&b->pool);
    b->batch = NULL;
    return status;
}

/* ---- verifying ---- */

/* The candidates that are not decided yet, as configurations of the workspace and as a list. Returns how many. */
int evaluate_list_open(const evaluator *e, const tune_candidate *batch, int count, char names[EVALUATE_NAMES])
{
    int open = 0;
    names[0] = '\0';
    workspace_forget_tuned(e->subject.ws);
    for (int i = 0; i < count; i++) {
        if (batch[i].done || !batch[i].source_sha256[0] ||
            workspace_add_tuned(e->subject.ws, e->subject.op, &batch[i].tuned, NULL) != ASSAY_OK)
            continue;
        snprintf(names + strlen(names), EVALUATE_NAMES - strlen(names), "%s%s", open++ ? "," : "",
                 batch[i].tuned.name);
    }
    return open;
}

case_filter evaluate_filter(const evaluator *e, const char *names, const char *sizes)
{
    return (case_filter){.ops = e->subject.op->spec->name,
                         .variants = names,
                         .dtypes = assay_dtype_name(e->subject.dtype),
                         .sizes = sizes};
}

/* Of the size alone, or of "edge". */
void evaluate_take_verdict(const evaluator *e, tune_candidate *c, const char *size)
{
    assay_case which = evaluate_case(&e->subject, c);
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
        evaluate_fail(c, EVALUATION_FAILED_CORRECTNESS, "%s", reason);
    else if (strcmp(status, "crash") == 0)
        evaluate_fail(c, EVALUATION_CRASHED, "%s", reason);
    else if (strcmp(status, "timeout") == 0)
        evaluate_fail(c, EVALUATION_TIMEOUT, "%s", reason);
    else if (strcmp(status, "skipped") == 0)
        evaluate_fail(c, EVALUATION_CONSTRAINTS, "refused: %s", reason);
    else if (strcmp(status, "pass") != 0)
        evaluate_fail(c, EVALUATION_CRASHED, "it could not be judged");
    json_decref(verdict);
}

assay_status evaluate_verify(evaluator *e, tune_candidate *batch, int count, const char *sizes,
                             assay_error *error)
{
    char names[EVALUATE_NAMES];
    verify_summary summary = {0};
    const verify_options options = {
        .quiet = 1, .unjudged_only = 1, .time_limit_s = e->options.verify_limit_s};
    const int open = evaluate_list_open(e, batch, count, names);
    if (open == 0)
        return ASSAY_OK;
    const case_filter filter = evaluate_filter(e, names, sizes);
    const double start_ms = clock_now_ms();
    const assay_status status = verify_run(e->subject.ws, &filter, &options, &summary, error);
    const double spent = (clock_now_ms() - start_ms) * 1e-3, seconds = spent / open;
    e->spent.verifying += spent;
    verify_summary_release(&summary);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        if (!batch[i].done && batch[i].source_sha256[0])
            batch[i].verify_s = (isnan(batch[i].verify_s) ? 0 : batch[i].verify_s) + seconds;
    return status;
}

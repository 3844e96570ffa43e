/* Times of candidates: from `assay bench` into the candidate; and the finals, which are of all sizes and timed together. See evaluate.h. */
#include "bench/run/result.h"
#include "bench/timing/clock.h"
#include "core/process.h"
#include "results/describe_case.h"
#include "results/identity.h"
#include "tune/evaluate/evaluate_internal.h"
#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
void evaluate_identify(const evaluator *e, tune_candidate *c)
{
    const tune_subject *s = &e->subject;
    const assay_case which = evaluate_case(s, c);
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
        evaluate_fail(c, EVALUATION_CRASHED, "no time was taken: %s", why.message);
    else if (result_is_timed(r) && result_has(r, e->options.mode))
        take_times(e, c, r);
    else if (strcmp(r->output_check, "fail") == 0)
        evaluate_fail(c, EVALUATION_FAILED_CORRECTNESS, "while timed: %s", r->reason);
    else if (result_is_too_large(r))
        evaluate_fail(c, EVALUATION_CONSTRAINTS, "%s", r->reason);
    else
        evaluate_fail(c, strstr(r->reason, "timed out") ? EVALUATION_TIMEOUT : EVALUATION_CRASHED, "%s",
                      r->reason);
    result_free(r);
}

/* ASSAY_ERR_CHECK is a candidate's, and its result says so. */
static assay_status run_bench(const evaluator *e, const char *names, const bench_options *bench,
                              bench_summary *summary, assay_error *error)
{
    const case_filter filter = evaluate_filter(e, names, e->subject.size);
    assay_error own = {0};
    const assay_status status = bench_run(e->subject.ws, &filter, bench, summary, &own);
    return status == ASSAY_OK || status == ASSAY_ERR_CHECK
               ? ASSAY_OK
               : assay_error_set(error, status, "%s", own.message);
}

assay_status evaluate_time(evaluator *e, tune_candidate *batch, int count, double best_us, assay_error *error)
{
    char names[EVALUATE_NAMES];
    bench_summary summary = {0};
    bench_options bench = e->options.bench;
    const int open = evaluate_list_open(e, batch, count, names);
    if (open == 0 || process_interrupted())
        return ASSAY_OK;
    bench.modes = timing_mode_bit(e->options.mode);
    bench.baselines = "";
    bench.give_up_us = isnan(best_us) ? 0 : best_us * e->options.give_up_factor;
    const double start_ms = clock_now_ms();
    e->began = (int64_t)time(NULL);
    const assay_status status = run_bench(e, names, &bench, &summary, error);
    const int measured = open > summary.fresh ? open - summary.fresh : 1;
    const double spent = (clock_now_ms() - start_ms) * 1e-3, seconds = spent / measured;
    e->spent.timing += spent;
    for (int i = 0; i < count && status == ASSAY_OK && !process_interrupted(); i++) {
        if (batch[i].done || !batch[i].source_sha256[0])
            continue;
        take_result(e, &batch[i]);
        batch[i].bench_s = batch[i].was_known ? NAN : seconds;
    }
    return status;
}

assay_status evaluate_everywhere(evaluator *e, tune_candidate *batch, int count, int *wrong,
                                 assay_error *error)
{
    const opspec *spec = e->subject.op->spec;
    for (int i = 0; i < count; i++)
        batch[i].done = 0;
    const double limit_s = e->options.verify_limit_s;
    e->options.verify_limit_s = 0; /* the suite's own: large problems take their time */
    assay_status status = evaluate_verify(e, batch, count, NULL, error);
    e->options.verify_limit_s = limit_s;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        for (int s = 0; s < spec->size_count && !batch[i].done; s++)
            if (opspec_has_case(spec, e->subject.dtype, spec->sizes[s].name) &&
                !opspec_is_shape(spec->sizes[s].name))
                evaluate_take_verdict(e, &batch[i], spec->sizes[s].name);
        if (!batch[i].done)
            evaluate_take_verdict(e, &batch[i], "edge");
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
    char names[EVALUATE_NAMES];
    bench_summary summary = {0};
    for (int i = 0; i < count; i++)
        batch[i].done = 0;
    const int open = evaluate_list_open(e, batch, count, names);
    const double start_ms = clock_now_ms();
    const assay_status status = open > 0 ? run_bench(e, names, bench, &summary, error) : ASSAY_OK;
    e->spent.timing += (clock_now_ms() - start_ms) * 1e-3;
    for (int i = 0; i < count; i++) {
        batch[i].done = 1;
        batch[i].sample_count = 0;
        if (status == ASSAY_OK && !process_interrupted())
            take_result(e, &batch[i]);
    }
    workspace_forget_tuned(e->subject.ws);
    return status;
}

assay_status evaluate_at_size(evaluator *e, tune_candidate *batch, int count, const char *size,
                              const bench_options *bench, double *us, assay_error *error)
{
    const char *tuned = e->subject.size;
    e->subject.size = size;
    const assay_status status = evaluate_together(e, batch, count, bench, error);
    e->subject.size = tuned;
    for (int i = 0; i < count; i++)
        us[i] = status == ASSAY_OK && batch[i].status == EVALUATION_SUCCESS ? batch[i].time_us : NAN;
    return status;
}

/* A tuning run in the archive: see tune_log.h. */
#include "tune/tuner/tune_log.h"
#include "core/json_file.h"
#include "tune/evaluate/constraints.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_BYTES = TUNED_VARIANT_TEXT_MAX };

/* Of another space, kernel, compiler, device or method no run is gone on with: what was measured then would not be measured now. */
static char *describe_space(const tune_log *log, const char *source_sha256)
{
    const tune_subject *subject = &log->outcome->subject;
    json_t *parameters = json_object(), *constraints = json_array();
    for (int i = 0; i < space_parameter_count(log->outcome->space); i++) {
        const space_parameter *p = space_parameter_at(log->outcome->space, i);
        json_t *values = json_array();
        for (int v = 0; v < p->value_count; v++)
            json_array_append_new(values, json_integer(p->values[v].integer));
        json_object_set_new(parameters, p->name, values);
    }
    for (int i = 0; i < space_constraint_count(log->outcome->space); i++)
        json_array_append_new(constraints, json_string(space_constraint_text(log->outcome->space, i)));
    json_t *all = json_pack("{s:o, s:o, s:s, s:s, s:s, s:s}", "parameters", parameters, "constraints",
                            constraints, "kernel", source_sha256, "card", subject->device.uuid, "driver",
                            subject->device.driver, "mode", timing_mode_name(log->options->evaluate.mode));
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

static assay_status keep_recorded(void *context, const archive_run *run, const archive_candidate *c,
                                  assay_error *error)
{
    tune_log *log = context;
    (void)run;
    if (log->recorded_count == log->recorded_capacity) {
        const int capacity = log->recorded_capacity ? 2 * log->recorded_capacity : 64;
        recorded_candidate *grown = realloc(log->recorded, (size_t)capacity * sizeof *grown);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
        log->recorded = grown;
        log->recorded_capacity = capacity;
    }
    recorded_candidate *r = &log->recorded[log->recorded_count++];
    *r = (recorded_candidate){.values = strdup(c->values),
                              .reason = strdup(c->reason),
                              .verdict = strdup(c->verdict),
                              .report = strdup(c->compile_report),
                              .status = c->status,
                              .time_us = c->time_us,
                              .tflops = c->tflops,
                              .compile_s = c->compile_s,
                              .verify_s = c->verify_s,
                              .bench_s = c->bench_s};
    const double parts[] = {c->compile_s, c->verify_s, c->bench_s};
    const int cards = log->options->cards ? log->options->cards->count : 1;
    for (int i = 0; i < 3; i++)
        log->earlier_s += isnan(parts[i]) ? 0 : parts[i] / cards;
    r->elapsed_s = log->earlier_s;
    return ASSAY_OK;
}

const recorded_candidate *tune_log_find(const tune_log *log, const char *values)
{
    for (int i = 0; i < log->recorded_count; i++)
        if (strcmp(log->recorded[i].values, values) == 0)
            return &log->recorded[i];
    return NULL;
}

static void describe_run(tune_log *log)
{
    const tune_subject *subject = &log->outcome->subject;
    const opspec_dims *d =
        opspec_size_dims(opspec_find_size(subject->op->spec, subject->size), subject->ws->device);
    int dirty;
    for (int i = 0; i < d->count; i++)
        snprintf(log->dims + strlen(log->dims), sizeof log->dims - strlen(log->dims), "%s%s=%lld",
                 i ? "," : "", d->dim[i].name, (long long)d->dim[i].value);
    tune_arch(subject->ws, log->arch, sizeof log->arch);
    workspace_commit(subject->ws, log->commit, &dirty);
    gethostname(log->host, sizeof log->host - 1);
    log->run =
        (archive_run){.problem = {subject->op->spec->name, subject->variant, assay_dtype_name(subject->dtype),
                                  subject->size, log->dims, subject->device.slug, log->arch},
                      .strategy = log->outcome->strategy,
                      .seed = log->options->seed,
                      .options = "{}",
                      .space = log->space_text,
                      .commit = log->commit,
                      .host = log->host,
                      .command = log->options->command ? log->options->command : "",
                      .end = "",
                      .default_us = NAN};
}

static assay_status go_on(tune_log *log, const archive_run *found, assay_error *error)
{
    json_t *then = json_loads(found->options, 0, NULL);
    log->batch = json_get_int(then, "batch", log->batch);
    log->window = json_get_int(then, "window", log->window);
    if (log->window < 1 || log->window > EVALUATE_BATCHES)
        log->window = 1;
    tune_seeds_read(log->outcome->space, json_object_get(then, "seeds"), &log->seeds);
    json_decref(then);
    log->goes_on = 1;
    log->run.id = found->id;
    snprintf(log->run.uid, sizeof log->run.uid, "%s", found->uid);
    return archive_replay(log->archive, log->run.id, keep_recorded, log, error);
}

assay_status tune_log_open(tune_log *log, const char *source_sha256, assay_error *error)
{
    char path[4400];
    archive_run found;
    int is_there = 0;
    if (!(log->space_text = describe_space(log, source_sha256)))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    describe_run(log);
    snprintf(path, sizeof path, "%s/%s.cu", log->outcome->subject.op->spec->directory,
             log->outcome->subject.variant);
    (void)text_file_read(path, &log->source, NULL, NULL);
    snprintf(path, sizeof path, "%s/tuning.db", log->outcome->subject.ws->results);
    assay_status status = make_folders(log->outcome->subject.ws->results, error);
    if (status == ASSAY_OK)
        status = archive_open(path, ARCHIVE_WRITE, &log->archive, error);
    if (status == ASSAY_OK && !log->options->is_new)
        status = archive_find_run(log->archive, &log->run, &found, &is_there, error);
    return status == ASSAY_OK && is_there ? go_on(log, &found, error) : status;
}

assay_status tune_log_begin(tune_log *log, assay_error *error)
{
    json_t *options = json_pack("{s:i, s:i, s:I, s:o}", "batch", log->batch, "window", log->window,
                                "evaluations", (json_int_t)log->options->evaluations, "seeds",
                                tune_seeds_json(log->outcome->space, &log->seeds));
    log->options_text = json_dumps(options, JSON_COMPACT);
    json_decref(options);
    if (!log->options_text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    log->run.options = log->options_text;
    return archive_begin_run(log->archive, &log->run, error);
}

assay_status tune_log_add(tune_log *log, const tune_candidate *c, assay_error *error)
{
    char values[LABEL_BYTES];
    const char *from = tune_seed_from(&log->seeds, &c->configuration);
    tuned_variant_text(&c->tuned, values);
    archive_candidate row = {.values = values,
                             .source = log->source ? log->source : "",
                             .compile_report = c->report ? c->report : "",
                             .verdict = c->verdict,
                             .status = c->status,
                             .reason = c->reason,
                             .time_us = c->time_us,
                             .tflops = c->tflops,
                             .speedup = tune_default_us(log->outcome) / c->time_us,
                             .samples = c->samples,
                             .sample_count = c->sample_count,
                             .provider = from ? from : log->outcome->strategy,
                             .parent = "",
                             .compile_s = c->compile_s,
                             .verify_s = c->verify_s,
                             .bench_s = c->bench_s};
    snprintf(row.identity, sizeof row.identity, "%s", c->identity);
    return archive_record(log->archive, log->run.id, &row, error);
}

void tune_log_close(tune_log *log)
{
    for (int i = 0; i < log->recorded_count; i++) {
        free(log->recorded[i].values);
        free(log->recorded[i].reason);
        free(log->recorded[i].verdict);
        free(log->recorded[i].report);
    }
    free(log->recorded);
    free(log->space_text);
    free(log->options_text);
    free(log->source);
    archive_close(log->archive);
}

void tune_log_take(const recorded_candidate *r, tune_candidate *c)
{
    c->done = 1;
    c->status = r->status;
    c->time_us = r->time_us;
    c->tflops = r->tflops;
    c->compile_s = r->compile_s;
    c->verify_s = r->verify_s;
    c->bench_s = r->bench_s;
    c->report = r->report[0] ? strdup(r->report) : NULL;
    snprintf(c->reason, sizeof c->reason, "%s", r->reason);
    snprintf(c->verdict, sizeof c->verdict, "%s", r->verdict);
}

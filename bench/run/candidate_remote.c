/* torch and Triton as candidates: a Python process measures by the same rules in this candidate's repetitions
 * (bench/baselines/torch/torch_baseline.py).
 *
 * The group's inputs go to the process as files in the private folder of its socket, and its output comes back as one, so that it
 * is compared like any other candidate's. Other buffers, over which hot launches rotate, it fills itself. */
#include "bench/run/candidate.h"
#include "core/json_file.h"
#include "bench/baselines/remote.h"
#include "bench/timing/timing.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* torch.compile may build for a while; a measurement takes its plan's time and some launches. */
static const double prepare_limit_s = 300.0, measure_limit_s = 120.0, release_limit_s = 30.0;

typedef struct remote_candidate {
    remote *connection;
    problem_set *set;
    char folder[108]; /* of the socket */
    double launch_us;
} remote_candidate;

static json_t *list_shapes(const assay_problem *problem)
{
    json_t *inputs = json_array();
    for (int i = 0; i < problem->input_count; i++) {
        const assay_tensor *input = &problem->inputs[i];
        json_t *shape = json_array();
        for (int d = 0; d < input->rank; d++)
            json_array_append_new(shape, json_integer(input->shape[d]));
        json_array_append_new(inputs, shape);
    }
    return inputs;
}

static json_t *list_params(const assay_problem *problem)
{
    json_t *params = json_object();
    for (int i = 0; i < problem->param_count; i++) {
        const assay_param *p = &problem->params[i];
        json_t *value = p->type == ASSAY_PARAM_REAL      ? json_real(p->real)
                        : p->type == ASSAY_PARAM_TEXT    ? json_string(p->text)
                        : p->type == ASSAY_PARAM_BOOLEAN ? json_boolean(p->integer != 0)
                                                         : json_integer(p->integer);
        json_object_set_new(params, p->name, value);
    }
    return params;
}

static void name_file(const remote_candidate *r, const char *what, int index, char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s/%s%d", r->folder, what, index);
}

static assay_status write_file(const char *path, const void *data, int64_t bytes, assay_error *error)
{
    FILE *file = fopen(path, "wb");
    const int written = file && (bytes == 0 || fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes);
    const int closed = file && fclose(file) == 0;
    return written && closed
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_IO, "%s: cannot write it: %s", path, strerror(errno));
}

/* The problem whose inputs lie in the folder: written for a group's first such candidate, removed before the first measurement. */
static const problem_set *inputs_lie_of;

static assay_status write_inputs(const remote_candidate *r, json_t *paths, assay_error *error)
{
    const int there = inputs_lie_of == r->set;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < r->set->host.input_count && status == ASSAY_OK; i++) {
        char path[160];
        const assay_tensor *input = &r->set->host.inputs[i];
        name_file(r, "input", i, path, sizeof path);
        json_array_append_new(paths, json_string(path));
        if (!there)
            status = write_file(path, input->data, tensor_bytes(input), error);
    }
    inputs_lie_of = status == ASSAY_OK ? r->set : NULL;
    return status;
}

static void remove_output(const remote_candidate *r)
{
    char path[160];
    name_file(r, "output", 0, path, sizeof path);
    unlink(path);
}

static void remove_inputs(const remote_candidate *r)
{
    char path[160];
    inputs_lie_of = NULL;
    for (int i = 0; i < r->set->host.input_count; i++) {
        name_file(r, "input", i, path, sizeof path);
        unlink(path);
    }
}

static const char *remote_mode(const char *baseline)
{
    return strstr(baseline, "triton") ? "triton" : strstr(baseline, "compile") ? "compile" : "eager";
}

static json_t *describe_call(const opspec *spec, const assay_problem *problem, const char *baseline)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:{}, s:o, s:o, s:s, s:s}", "op", spec->name, "directory",
                     spec->directory, "torch", spec->torch, "dtype",
                     assay_dtype_name(assay_dtype_storage(problem->dtype)), "dims", "inputs",
                     list_shapes(problem), "params", list_params(problem), "mode", remote_mode(baseline),
                     "math_mode", candidate_math_mode(baseline));
}

/* Takes over `data`. */
static json_t *make_request(const problem_set *set, const char *baseline, const char *flush, json_t *data)
{
    json_t *request = describe_call(set->spec, &set->host, baseline);
    json_object_set_new(request, "cmd", json_string("prepare"));
    json_object_set_new(request, "data", data);
    json_object_set_new(request, "flush", json_string(flush));
    json_object_set_new(request, "l2_bytes",
                        json_integer((json_int_t)assay_device_get_info(set->device)->l2_bytes));
    return request;
}

/* A connection holds one prepared problem on the server, so candidates that alternate do not prepare again. */
static assay_status prepare(candidate *self, problem_set *set, const char *baseline, const char *flush,
                            assay_error *error)
{
    json_t *answer = NULL, *data = json_array();
    const remote_candidate *r = self->state;
    assay_status status = write_inputs(r, data, error);
    if (status == ASSAY_OK)
        status = remote_call(r->connection, make_request(set, baseline, flush, data), prepare_limit_s,
                             &answer, error);
    else
        json_decref(data);
    if (status != ASSAY_OK)
        remove_inputs(r);
    if (status == ASSAY_OK) {
        snprintf(self->version, sizeof self->version, "%s", json_get_text(answer, "version", ""));
        snprintf(self->choice, sizeof self->choice, "%s", json_get_text(answer, "choice", ""));
        self->overhead_cold_us = json_get_number(answer, "launch_overhead_us", -1.0);
    }
    json_decref(answer);
    return status;
}

/* The process works on the group's inputs in its first buffers; slot 0 stands for them here. */
static int last_slot(candidate *self, timing_mode mode)
{
    (void)self;
    (void)mode;
    return 0;
}

static assay_status read_output(const char *path, void *data, int64_t bytes, assay_error *error)
{
    FILE *file = fopen(path, "rb");
    const int64_t got = file ? (int64_t)fread(data, 1, (size_t)bytes, file) : -1;
    const int more = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    return got == bytes && !more
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_FORMAT,
                                 "the measuring server's output has not the %lld bytes of the op's",
                                 (long long)bytes);
}

/* Ops with several outputs are not among torch's. */
static assay_status deliver(candidate *self, int slot, assay_error *error)
{
    char path[160];
    json_t *answer = NULL;
    const remote_candidate *r = self->state;
    const assay_tensor *output = &r->set->slots[slot].outputs[0];
    const int64_t bytes = tensor_bytes(output);
    name_file(r, "output", 0, path, sizeof path);
    void *data = malloc(bytes > 0 ? (size_t)bytes : 1);
    assay_status status =
        data ? remote_call(r->connection, json_pack("{s:s, s:s}", "cmd", "output", "path", path),
                           measure_limit_s, &answer, error)
             : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an output");
    if (status == ASSAY_OK)
        status = read_output(path, data, bytes, error);
    if (status == ASSAY_OK && bytes > 0)
        status = assay_device_upload(r->set->device, output->data, data, bytes, error);
    remove_output(r);
    json_decref(answer);
    free(data);
    return status;
}

static assay_status keep_samples(remote_candidate *r, const json_t *answer, sample_set *out,
                                 assay_error *error)
{
    const json_t *samples = json_object_get(answer, "samples_us");
    if (json_array_size(samples) == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "the measuring server sent no samples");
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < json_array_size(samples) && status == ASSAY_OK; i++) {
        r->launch_us = json_number_value(json_array_get(samples, i));
        status = sample_set_append(out, r->launch_us, error);
    }
    return status;
}

static assay_status measure(candidate *self, timing_mode mode, const sample_plan *plan, sample_set *out,
                            assay_error *error)
{
    remote_candidate *r = self->state;
    /* By the name that the server has for it; a mode that is not here is refused, not taken for another. */
    static const char *const names[TIMING_MODES] = {[TIMING_COLD] = "cold",
                                                    [TIMING_COLD_READ] = "cold", /* `flush` says how */
                                                    [TIMING_HOT] = "hot",
                                                    [TIMING_SUSTAINED] = "sustained"};
    if (!names[mode])
        return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "%s is not timed %s", self->name,
                               timing_mode_name(mode));
    if (inputs_lie_of == r->set)
        remove_inputs(r);
    json_t *answer = NULL;
    json_t *request = json_pack("{s:s, s:s, s:f, s:f, s:i, s:s}", "cmd", "measure", "mode", names[mode],
                                "warmup_ms", plan->warmup_ms, "sample_ms", plan->sample_ms, "max_samples",
                                plan->max_samples, "flush", timing_flush_name(mode, plan->flush));
    assay_status status = remote_call(r->connection, request, measure_limit_s, &answer, error);
    if (status == ASSAY_OK)
        status = keep_samples(r, answer, out, error);
    if (status == ASSAY_OK)
        out->launches_per_sample = json_get_int(answer, "launches_per_sample", 1);
    json_decref(answer);
    return status;
}

static double launch_us(candidate *self)
{
    return ((remote_candidate *)self->state)->launch_us;
}

static void release(candidate *self)
{
    remote_candidate *r = self->state;
    if (!r)
        return;
    if (inputs_lie_of == r->set)
        remove_inputs(r);
    if (r->connection) {
        json_t *answer = NULL;
        (void)remote_call(r->connection, json_pack("{s:s}", "cmd", "release"), release_limit_s, &answer,
                          NULL);
        json_decref(answer);
    }
    remote_close(r->connection);
    free(r);
    self->state = NULL;
}

assay_status candidate_make_remote(candidate *self, problem_set *set, const char *baseline, const char *flush,
                                   const char *socket_path, assay_error *error)
{
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, RESULT_BASELINE_PREFIX "%s", baseline);
    snprintf(self->math_mode, sizeof self->math_mode, "%s", candidate_math_mode(baseline));
    remote_candidate *r = calloc(1, sizeof *r);
    if (!r)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a candidate");
    self->kind = RESULT_BASELINE;
    self->overhead_cold_us = -1.0;
    self->state = r;
    self->measure = measure;
    self->writes_output = 1;
    self->last_slot = last_slot;
    self->deliver = deliver;
    self->launch_us = launch_us;
    self->release = release;
    r->set = set;
    if (!socket_path || !socket_path[0])
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "no Python with torch here");
    const char *end = strrchr(socket_path, '/');
    snprintf(r->folder, sizeof r->folder, "%.*s", end ? (int)(end - socket_path) : 1,
             end ? socket_path : ".");
    const assay_status status = remote_connect(socket_path, &r->connection, error);
    return status == ASSAY_OK ? prepare(self, set, baseline, flush, error) : status;
}

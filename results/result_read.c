/* A result from JSON: see result_file.h. Checks all that a reader relies on, and names file and key of
 * what it refuses. The numbers of the modes are read in result_read_times.c. */
#include "core/json_file.h"
#include "core/utf8.h"
#include "results/result_file.h"
#include "results/result_keys.h"
#include "results/result_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text on one line without control characters, which a terminal would obey. */
static const char *take_line(reader *in, const json_t *object, const char *key)
{
    char *text = (char *)result_text(in->out, json_get_text(object, key, ""));
    if (text[0])
        utf8_make_line(text);
    return text;
}

static void take_texts(reader *in, const result_keys *keys, const json_t *object, void *base)
{
    for (size_t i = 0; i < keys->count; i++)
        *result_text_at(base, &keys->keys[i]) = take_line(in, object, keys->keys[i].key);
}

/* Names become parts of paths, SQL rows and pages. */
static int take_name(reader *in, const json_t *object, const char *key, char *out, size_t bytes)
{
    const char *name = json_get_text(object, key, "");
    if (name[0] == '\0')
        return reader_refuse(in, key, "is missing: it does not say which case it is");
    if (strlen(name) >= bytes)
        return reader_refuse(in, key, "is longer than %zu bytes", bytes - 1);
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < ' ' || *c == 0x7f || strchr("/\\.", *c))
            return reader_refuse(
                in, key, "\"%s\" is no name: it holds a path separator, a point or a control character",
                name);
    snprintf(out, bytes, "%s", name);
    return 1;
}

static int take_id(reader *in, const json_t *object)
{
    result_case *id = &in->out->id;
    char full[ASSAY_NAME_MAX + 16], dtype[16];
    if (!take_name(in, object, "op", id->op, sizeof id->op) ||
        !take_name(in, object, "variant", full, sizeof full) ||
        !take_name(in, object, "dtype", dtype, sizeof dtype) ||
        !take_name(in, object, "size", id->size, sizeof id->size))
        return 0;
    if (!assay_dtype_parse(dtype, &id->dtype))
        return reader_refuse(in, "dtype", "\"%s\" is none that there is", dtype);
    const char *kind = json_get_text(object, "kind", "");
    size_t k = 0;
    while (k < 3 && strcmp(kind, result_kind_keys[k]) != 0)
        k++;
    if (k == 3)
        return reader_refuse(in, "kind", "\"%.40s\" is none that there is", kind);
    result_split_name(full, k == RESULT_UNRANKED_BASELINE, id);
    if (id->kind != (result_kind)k)
        return reader_refuse(in, "kind", "\"%s\" does not fit the name \"%s\"", kind, full);
    return 1;
}

static int take_dims(reader *in, json_t *object)
{
    result_problem *problem = &in->out->problem;
    const char *name;
    json_t *value;
    int64_t product = 1;
    json_object_foreach(object, name, value)
    {
        char key[80];
        snprintf(key, sizeof key, "dims.%.40s", name);
        if (problem->dim_count == OPSPEC_MAX_DIMS)
            return reader_refuse(in, "dims", "has more than %d dimensions", OPSPEC_MAX_DIMS);
        opspec_dim *dim = &problem->dims[problem->dim_count++];
        if (strlen(name) >= sizeof dim->name)
            return reader_refuse(in, key, "has a name longer than %zu bytes", sizeof dim->name - 1);
        snprintf(dim->name, sizeof dim->name, "%s", name);
        if (!json_is_integer(value))
            return reader_refuse(in, key, "is not an integer");
        dim->value = json_integer_value(value);
        if (dim->value < 0)
            return reader_refuse(in, key, "is negative: %lld", (long long)dim->value);
        if (dim->value > 0 && __builtin_mul_overflow(product, dim->value, &product))
            return reader_refuse(in, key, "is too large: the product of the dimensions overflows 64 bits");
    }
    return 1;
}

static int take_param(reader *in, const char *name, const json_t *value, assay_param *out)
{
    char key[100];
    snprintf(key, sizeof key, "params.%.60s", name);
    if (strlen(name) >= sizeof out->name)
        return reader_refuse(in, key, "has a name that is too long");
    snprintf(out->name, sizeof out->name, "%s", name);
    if (json_is_string(value)) {
        out->type = ASSAY_PARAM_TEXT;
        if (strlen(json_string_value(value)) >= sizeof out->text)
            return reader_refuse(in, key, "is a text that is too long");
        snprintf(out->text, sizeof out->text, "%s", json_string_value(value));
        utf8_make_line(out->text);
        return 1;
    }
    out->type = json_is_boolean(value)   ? ASSAY_PARAM_BOOLEAN
                : json_is_integer(value) ? ASSAY_PARAM_INTEGER
                                         : ASSAY_PARAM_REAL;
    out->integer = json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
    out->real = json_is_number(value) ? json_number_value(value) : NAN;
    return 1;
}

static int take_problem(reader *in, const json_t *object)
{
    result_problem *problem = &in->out->problem;
    const json_t *inputs = json_object_get(object, "inputs");
    const char *name;
    json_t *value;
    if (!take_dims(in, json_object_get(object, "dims")))
        return 0;
    json_object_foreach(json_object_get(object, "params"), name, value)
    {
        if (problem->param_count == ASSAY_MAX_PARAMS)
            return reader_refuse(in, "params", "has more than %d members", ASSAY_MAX_PARAMS);
        if (!take_param(in, name, value, &problem->params[problem->param_count++]))
            return 0;
    }
    problem->distribution = take_line(in, inputs, "distribution");
    problem->seed = (uint64_t)json_integer_value(json_object_get(inputs, "seed"));
    return 1;
}

static int take_tunables(reader *in, json_t *object)
{
    result *r = in->out;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (r->tunable_count == OPSPEC_MAX_TUNABLES)
            return reader_refuse(in, "tunables", "has more than %d members", OPSPEC_MAX_TUNABLES);
        if (!json_is_integer(value) || strlen(name) >= ASSAY_NAME_MAX)
            return reader_refuse(in, "tunables", "has a member \"%.40s\" that is not an integer", name);
        result_tunable *t = &r->tunables[r->tunable_count++];
        snprintf(t->name, sizeof t->name, "%s", name);
        t->value = json_integer_value(value);
    }
    return 1;
}

static void take_facts(reader *in, json_t *object, result_facts *facts)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (json_is_number(value) || json_is_string(value) || json_is_boolean(value))
            result_add_fact(in->out, facts, name,
                            json_is_boolean(value) ? json_is_true(value) : json_number_value(value),
                            json_string_value(value));
    }
}

static void take_device(reader *in, const json_t *object)
{
    result_device *d = &in->out->device;
    take_texts(in, &result_texts_of_device, object, d);
    d->sm_count = reader_count(object, "sm_count", 0);
    sscanf(json_get_text(object, "compute", ""), "%d.%d", &d->compute_major, &d->compute_minor);
    d->memory_bytes = (int64_t)json_integer_value(json_object_get(object, "memory_bytes"));
    d->l2_bytes = (int64_t)json_integer_value(json_object_get(object, "l2_bytes"));
    d->peak_gbs = json_get_number(object, "peak_gbs", NAN);
}

static void take_origin(reader *in, const json_t *object)
{
    result *r = in->out;
    const json_t *host = json_object_get(object, "host"), *git = json_object_get(object, "git"),
                 *verdict = json_object_get(object, "verdict");
    take_texts(in, &result_texts_of_result, object, r);
    take_texts(in, &result_texts_of_toolchain, json_object_get(object, "toolchain"), &r->toolchain);
    take_device(in, json_object_get(object, "device"));
    r->host.name = take_line(in, host, "name");
    r->host.cpu = take_line(in, host, "cpu");
    r->host.cpus = reader_count(host, "cpus", 0);
    r->host.load = json_get_number(host, "load", NAN);
    snprintf(r->commit, sizeof r->commit, "%s", json_get_text(git, "commit", "unknown"));
    utf8_make_line(r->commit);
    r->dirty = json_is_true(json_object_get(git, "dirty"));
    r->verdict.status = take_line(in, verdict, "status");
    r->verdict.time = result_time_parse(json_get_text(verdict, "time", ""));
    r->verdict.attempts = reader_count(verdict, "attempts", 0);
    r->flops = json_get_number(object, "flops", NAN);
    r->bytes = json_get_number(object, "bytes", NAN);
    take_facts(in, json_object_get(object, "resources"), &r->resources);
    take_facts(in, json_object_get(object, "counters"), &r->counters);
}

static int take_modes(reader *in, const json_t *list, timing_modes *out)
{
    timing_mode mode;
    if (!json_is_array(list))
        return reader_refuse(in, "method.modes", "is not an array of timing modes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || !timing_mode_parse(name, &mode))
            return reader_refuse(in, "method.modes",
                                 "has the timing mode \"%.40s\", which this program does not know",
                                 name ? name : "");
        *out |= timing_mode_bit(mode);
    }
    return 1;
}

static int reader_take_method(reader *in, const json_t *object, result_method *out)
{
    if (!reader_take_version(in, object, "version", "method.version", &out->version))
        return 0;
    for (size_t i = 0; i < result_counts_of_method.count; i++)
        *result_count_at(out, &result_counts_of_method.keys[i]) =
            reader_count(object, result_counts_of_method.keys[i].key, 0);
    for (size_t i = 0; i < result_numbers_of_method.count; i++)
        *result_number_at(out, &result_numbers_of_method.keys[i]) =
            json_get_number(object, result_numbers_of_method.keys[i].key, 0);
    snprintf(out->flush, sizeof out->flush, "%s", json_get_text(object, "flush", ""));
    utf8_make_line(out->flush);
    out->seed = (uint64_t)json_integer_value(json_object_get(object, "seed"));
    return take_modes(in, json_object_get(object, "modes"), &out->modes);
}

static int take_method(reader *in, const json_t *object)
{
    result_method *m = &in->out->method;
    const json_t *others = json_object_get(object, "interleaved_with");
    if (!reader_take_method(in, object, m))
        return 0;
    m->others = result_alloc(in->out, json_array_size(others) * sizeof *m->others);
    for (size_t i = 0; m->others && i < json_array_size(others); i++) {
        const char *name = json_string_value(json_array_get(others, i));
        m->others[m->other_count++] = result_text(in->out, name);
    }
    return 1;
}

static int take_modes_times(reader *in, const json_t *object)
{
    const json_t *overheads = json_object_get(object, "launch_overhead_us");
    json_t *modes = json_object_get(object, "modes"), *times;
    const char *name;
    for (int m = 0; m < TIMING_MODES; m++)
        in->out->overhead_us[m] = json_get_number(overheads, timing_mode_name(m), NAN);
    json_object_foreach(modes, name, times)
    {
        timing_mode mode;
        if (!timing_mode_parse(name, &mode))
            return reader_refuse(in, "modes",
                                 "has the timing mode \"%.40s\", which this program does not know", name);
        if (!reader_take_times(in, times, mode))
            return 0;
    }
    return 1;
}

static int take_status(reader *in, const json_t *object)
{
    result *r = in->out;
    const char *status = json_get_text(object, "status", "");
    int modes = 0;
    if (!result_status_parse(status, &r->status))
        return reader_refuse(in, "status", "\"%.40s\" is none that there is", status);
    for (int m = 0; m < TIMING_MODES; m++)
        modes += r->times[m].present;
    if (result_is_timed(r) && modes == 0)
        return reader_refuse(in, "status", "is \"%s\" but there is no time", status);
    r->time = result_time_parse(json_get_text(object, "time", ""));
    return r->time != 0 ? 1 : reader_refuse(in, "time", "is not a time such as 2026-01-31T12:00:00Z");
}

static int check_schema(reader *in, const json_t *schema)
{
    const json_int_t number = json_integer_value(schema);
    if (!json_is_integer(schema))
        return reader_refuse(in, "schema", "is not an integer");
    if (number > 0 && number < RESULT_SCHEMA)
        return reader_refuse(in, "schema",
                             "%d is of an earlier version: measure again (assay bench) and delete this file",
                             (int)number);
    return number == RESULT_SCHEMA || reader_refuse(in, "schema", "%lld is unknown: this program reads %d",
                                                    (long long)number, RESULT_SCHEMA);
}

static int take_result(reader *in, const json_t *object)
{
    if (!json_is_object(object))
        return reader_refuse(in, "", "is no result of Assay: there is no object 'assay'");
    if (!check_schema(in, json_object_get(object, "schema")))
        return 0;
    if (!take_id(in, object) || !take_problem(in, object) ||
        !take_tunables(in, json_object_get(object, "tunables")))
        return 0;
    take_origin(in, object);
    if (!take_method(in, json_object_get(object, "method")) || !take_modes_times(in, object) ||
        !take_status(in, object))
        return 0;
    return !in->out->no_memory;
}

/* Members that are most of a file: Google Benchmark's part says the same again. */
static const char *const not_summary[] = {"samples_us", "quantiles_us", "benchmarks", "context", NULL};
static const char *const not_samples[] = {"benchmarks", "context", NULL};

static assay_status convert(json_t *root, const char *where, result_load load, result **out,
                            assay_error *error)
{
    assay_error fault = {0};
    json_t *assay = json_object_get(root, "assay");
    reader in = {.out = result_new(), .where = where, .load = load, .error = &fault};
    const int taken = in.out && take_result(&in, assay || !json_object_get(root, "schema") ? assay : root);
    if (!taken && fault.message[0] == '\0')
        assay_error_set(&fault, ASSAY_ERR_NO_MEMORY, "%.200s: no memory for the result", where);
    json_decref(root);
    *out = taken ? in.out : NULL;
    if (!taken)
        result_free(in.out);
    return taken ? ASSAY_OK : assay_error_set(error, fault.status, "%s", fault.message);
}

static const char *const *unread(result_load load)
{
    return load == RESULT_LOAD_SAMPLES ? not_samples : not_summary;
}

assay_status result_read_file(const char *path, result_load load, result **out, assay_error *error)
{
    json_t *root = NULL;
    *out = NULL;
    const assay_status status = json_file_read_without(path, unread(load), &root, error);
    return status == ASSAY_OK ? convert(root, path, load, out, error) : status;
}

assay_status result_read_text(const char *text, size_t bytes, const char *where, result_load load,
                              result **out, assay_error *error)
{
    json_t *root = NULL;
    char *copy = malloc(bytes + 1);
    *out = NULL;
    if (!copy)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%.200s: no memory for the result", where);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    const assay_status status = json_text_read_without(copy, bytes, where, unread(load), &root, error);
    free(copy);
    return status == ASSAY_OK ? convert(root, where, load, out, error) : status;
}

assay_status result_method_parse(const char *text, result_method *out, assay_error *error)
{
    json_error_t broken;
    json_t *object = json_loads(text, 0, &broken);
    assay_error fault = {0};
    reader in = {.where = "method", .error = &fault};
    *out = (result_method){0};
    const int taken = json_is_object(object) && reader_take_method(&in, object, out);
    json_decref(object);
    return taken ? ASSAY_OK
                 : assay_error_set(error, ASSAY_ERR_FORMAT, "%s",
                                   fault.message[0] ? fault.message : "a method is no JSON object");
}

/* The result file of a case or peer: see result.h. */
#include "bench/run/result.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/list.h"
#include "resources/resources.h"
#include "bench/run/result_figures.h"
#include "statistics/describe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void result_path(const result_group *group, const char *name, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s/bench/%s.%s.%s.%s.json", group->ws->results, group->op->spec->name, name,
             assay_dtype_name(group->dtype), group->size);
}

/* A key of the adaptive protocol is there only with it, so that results of the fixed one stay fresh. */
json_t *result_method_json(const bench_method *method)
{
    json_t *out = json_pack("{s:i, s:o, s:o, s:i, s:i, s:o, s:s, s:s, s:I}", "repetitions",
                            method->repetitions, "warmup_ms", json_number(method->warmup_ms), "sample_ms",
                            json_number(method->sample_ms), "min_samples", method->min_samples, "max_samples",
                            method->max_samples, "bound_s", json_number(method->bound_s), "flush",
                            method->flush, "figures", method->figures, "seed", (json_int_t)method->seed);
    if (method->precision_percent > 0.0)
        json_object_set_new(out, "precision_percent", json_number(method->precision_percent));
    if (method->cold_batch > 0)
        json_object_set_new(out, "cold_batch", json_integer(method->cold_batch));
    if (method->cold_rotation)
        json_object_set_new(out, "cold_rotation", json_integer(method->cold_rotation));
    if (method->cold_rest_us > 0.0)
        json_object_set_new(out, "cold_rest_us", json_number(method->cold_rest_us));
    if (method->locked_mhz > 0)
        json_object_set_new(out, "locked_mhz", json_integer(method->locked_mhz));
    return out;
}

static json_t *list_interleaved(const char *names, const char *self)
{
    json_t *list = json_array();
    for (list_item item = {0}; list_next(names, &item);)
        if (!list_item_is(&item, self))
            json_array_append_new(list, json_stringn(item.text, (size_t)item.length));
    return list;
}

static json_t *device_json(const assay_device_info *d)
{
    char compute[32] = "";
    if (d->compute_major > 0)
        snprintf(compute, sizeof compute, "%d.%d", d->compute_major, d->compute_minor);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:o}", "kind", d->kind, "name",
                     d->name, "slug", d->slug, "uuid", d->uuid, "sm_count", d->sm_count, "driver", d->driver,
                     "runtime", d->runtime, "compute", compute, "memory_bytes", (json_int_t)d->memory_bytes,
                     "l2_bytes", (json_int_t)d->l2_bytes, "peak_gbs", json_number(d->peak_gbs));
}

static json_t *dims_json(const result_group *group)
{
    json_t *dims = json_object();
    const opspec_size *size = opspec_find_size(group->op->spec, group->size);
    const opspec_dims *values = size ? opspec_size_dims(size, group->device->kind) : NULL;
    for (int i = 0; values && i < values->count; i++)
        json_object_set_new(dims, values->dim[i].name, json_integer(values->dim[i].value));
    return dims;
}

/* The size's own value of a parameter, or the default. */
static const assay_param *param_of_size(const result_group *group, const assay_param *fallback)
{
    const opspec_size *size = opspec_find_size(group->op->spec, group->size);
    for (int i = 0; size && i < size->dims.param_count; i++)
        if (strcmp(size->dims.params[i].name, fallback->name) == 0)
            return &size->dims.params[i];
    return fallback;
}

/* Parameters as the size has them: a dimension of an integer parameter's name sets it (opspec_build_problem). */
static json_t *params_json(const result_group *group)
{
    const opspec *spec = group->op->spec;
    json_t *params = json_object();
    for (int i = 0; i < spec->param_count; i++) {
        const assay_param *p = param_of_size(group, &spec->params[i].value);
        json_object_set_new(params, p->name,
                            p->type == ASSAY_PARAM_REAL      ? json_number(p->real)
                            : p->type == ASSAY_PARAM_TEXT    ? json_string(p->text)
                            : p->type == ASSAY_PARAM_BOOLEAN ? json_boolean(p->integer != 0)
                                                             : json_integer(p->integer));
    }
    json_t *dims = dims_json(group), *value;
    const char *name;
    json_object_foreach(dims, name, value)
    {
        if (json_is_integer(json_object_get(params, name)))
            json_object_set(params, name, value);
    }
    json_decref(dims);
    return params;
}

/* One distribution if all inputs share it, else one a name. */
static json_t *inputs_json(const opspec *spec, uint64_t seed)
{
    char text[256] = "";
    int mixed = 0;
    for (int i = 1; i < spec->input_count; i++)
        mixed |= strcmp(spec->inputs[i].distribution, spec->inputs[0].distribution) != 0;
    for (int i = 0; i < (mixed ? spec->input_count : 1); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s%s", i ? ", " : "",
                 mixed ? spec->inputs[i].name : "", mixed ? " " : "", spec->inputs[i].distribution);
    return json_pack("{s:s, s:I}", "distribution", text, "seed", (json_int_t)seed);
}

/* What compiled the module says its record, "nvcc 13.0.88, host GNU 12.2.0", and not the toolchain of the workspace: a bundle has none, and
 * a build folder may have been configured anew. The version is the first word that begins with a digit. */
static const char *compiler_version(const char *compiler)
{
    for (const char *at = compiler; *at; at++)
        if (*at >= '0' && *at <= '9' && (at == compiler || at[-1] == ' '))
            return at;
    return compiler;
}

static void add_origin(json_t *out, const result_group *group, const bench_record *record)
{
    char commit[64];
    int dirty = 0;
    workspace_commit(group->ws, commit, &dirty);
    json_object_set_new(out, "git", json_pack("{s:s, s:b}", "commit", commit, "dirty", dirty));
    const module_record *module = record->module;
    json_object_set_new(out, "toolchain",
                        module
                            ? json_pack("{s:s, s:s, s:s}", "compiler", module->compiler, "compiler_version",
                                        compiler_version(module->compiler), "flags", module->flags)
                            : json_null());
    json_object_set_new(out, "source_sha256", module ? json_string(module->source_sha256) : json_null());
    json_t *tunables = module ? json_object_get(module->json, "tunables") : NULL;
    json_object_set_new(out, "tunables", tunables ? json_deep_copy(tunables) : json_null());
    char compute[32];
    snprintf(compute, sizeof compute, "%d.%d", group->device->compute_major, group->device->compute_minor);
    json_object_set_new(
        out, "resources",
        resources_for_card(module ? json_object_get(module->json, "resources") : NULL, compute));
    json_object_set_new(out, "version", record->version[0] ? json_string(record->version) : json_null());
    if (record->choice[0])
        json_object_set_new(out, "choice", json_string(record->choice));
}

static json_t *verdict_json(const json_t *verdict)
{
    if (!verdict)
        return json_null();
    const json_t *attempts = json_object_get(verdict, "attempts");
    const json_t *last =
        json_array_get(attempts, json_array_size(attempts) ? json_array_size(attempts) - 1 : 0);
    return json_pack("{s:s, s:s, s:I}", "status", json_get_text(verdict, "status", ""), "time",
                     json_get_text(last, "time", ""), "attempts", (json_int_t)json_array_size(attempts));
}

/* The op's cost from its shapes alone: known also for cases that were never run. */
static void find_cost(const result_group *group, double *flops, double *bytes)
{
    const assay_op_impl *impl = NULL;
    assay_problem problem;
    const opspec_size *size = opspec_find_size(group->op->spec, group->size);
    *flops = *bytes = 0.0;
    if (!size || workspace_load_impl(group->op, &impl, NULL) != ASSAY_OK)
        return;
    if (opspec_build_problem(group->op->spec, impl, group->dtype, opspec_size_dims(size, group->device->kind),
                             NULL, &problem, NULL) != ASSAY_OK)
        return;
    *flops = impl->flops(&problem);
    *bytes = impl->bytes(&problem);
}

static json_t *rerun_json(const result_group *group, const bench_record *record)
{
    char command[640], protocol[64] = "", lock[48] = "";
    const bench_method *m = group->method;
    if (m->precision_percent > 0.0)
        snprintf(protocol, sizeof protocol, " --protocol adaptive --precision %.6g", m->precision_percent);
    if (m->locked_mhz > 0)
        snprintf(lock, sizeof lock, " --lock-clocks %d", m->locked_mhz);
    const int variant = strcmp(record->kind, "variant") == 0;
    snprintf(command, sizeof command, "assay bench --op %s%s%s --dtype %s --size %s%s%s%s --force",
             group->op->spec->name, variant ? " --variant " : "", variant ? record->name : "",
             assay_dtype_name(group->dtype), group->size,
             strcmp(m->flush, "memset") == 0 || !m->flush[0] ? "" : " --flush read", protocol, lock);
    return json_string(command);
}

static json_t *floor_json(double us)
{
    return us >= 0.0 ? figures_round(us) : json_null();
}

static json_t *compose_assay(const result_group *group, const bench_record *record, const roof *top,
                             double flops, double bytes)
{
    char time[32];
    clock_utc_text(time);
    const opspec *spec = group->op->spec;
    json_t *method = result_method_json(group->method);
    json_object_set_new(method, "interleaved_with", list_interleaved(group->interleaved_with, record->name));
    json_t *out =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:o}", "schema", 1, "op",
                  spec->name, "variant", record->name, "dtype", assay_dtype_name(group->dtype), "size",
                  group->size, "dims", dims_json(group), "params", params_json(group), "kind", record->kind,
                  "status", record->status, "reason", record->reason, "math_mode", record->math_mode,
                  "inputs", inputs_json(spec, group->method->seed), "device", device_json(group->device));
    add_origin(out, group, record);
    json_object_set_new(out, "verdict", verdict_json(record->verdict));
    json_object_set_new(out, "flops", json_number(flops));
    json_object_set_new(out, "bytes", json_number(bytes));
    json_object_set_new(out, "method", method);
    const double floor_cold_us = record->floor_cold_us != 0.0 ? record->floor_cold_us : group->floor_cold_us;
    json_object_set_new(out, "floor_us",
                        json_pack("{s:o, s:o, s:o}", "cold", floor_json(floor_cold_us), "hot",
                                  floor_json(group->floor_hot_us), "host", floor_json(group->floor_host_us)));
    json_object_set_new(out, "figures", figures_json(record, top, flops, bytes));
    json_object_set_new(out, "output_check",
                        record->output_check[0] ? json_string(record->output_check) : json_null());
    json_object_set_new(out, "time", json_string(time));
    json_object_set_new(out, "rerun", rerun_json(group, record));
    return out;
}

assay_status result_write(const result_group *group, const bench_record *record, assay_error *error)
{
    double flops, bytes;
    roof top;
    char path[4400];
    json_t *whole = NULL;
    find_cost(group, &flops, &bytes);
    if (strcmp(record->kind, "bound") == 0)
        flops = 0.0; /* a copy moves the op's bytes and computes nothing: only the bandwidth is its roof */
    roof_find(group->ws, group->op->spec, group->dtype, record->math_mode, flops, bytes, &top);
    if (strcmp(record->name, "peer_reference") == 0)
        top.possible_us =
            0.0; /* its arrays do not rotate: that they stay in the cache is no measuring error */
    assay_status status = figures_gbench_json(group, record, &top, flops, bytes, &whole, error);
    if (status == ASSAY_OK) {
        json_object_set_new(whole, "assay", compose_assay(group, record, &top, flops, bytes));
        result_path(group, record->name, path, sizeof path);
        status = json_file_write(path, whole, 1, error);
    }
    json_decref(whole);
    return status;
}

static const figure_record *first_figure(const bench_record *record)
{
    return record->figure_count > 0 && record->figures[0].count > 0 ? &record->figures[0] : NULL;
}

void result_describe(const bench_record *record, char *out, size_t out_bytes)
{
    if (!first_figure(record)) {
        snprintf(out, out_bytes, "%s: %s", record->status, record->reason);
        return;
    }
    out[0] = '\0';
    for (int f = 0; f < record->figure_count; f++) {
        const figure_record *figure = &record->figures[f];
        double *means = malloc(sizeof *means * (size_t)(figure->count ? figure->count : 1));
        if (!means || figure->count == 0) {
            free(means);
            continue;
        }
        record_means(figure, means);
        const double mean = stats_mean(means, figure->count);
        snprintf(out + strlen(out), out_bytes - strlen(out), "%s %.*f us +-%.1f%%  ", figure->name,
                 mean < 10.0     ? 3
                 : mean < 1000.0 ? 2
                                 : 0,
                 mean, mean > 0.0 ? 100.0 * stats_stddev(means, figure->count) / mean : 0.0);
        free(means);
    }
    snprintf(out + strlen(out), out_bytes - strlen(out), "%s%s%s", record->status,
             record->reason[0] ? ": " : "", record->reason);
}

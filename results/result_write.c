/* A result as JSON: see result_file.h. The keys are those of docs/formats-results.md; result_read.c is the
 * reverse. */
#include "core/json_file.h"
#include "results/result_file.h"
#include "results/result_keys.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events resolve no more than a nanosecond, and files stay small. */
static json_t *rounded(double us)
{
    return json_number(round(us * 1e3) * 1e-3);
}

/* Four significant digits, for what is an indicator and not a time. */
static json_t *brief(double value)
{
    if (!isfinite(value) || value == 0.0)
        return json_number(value);
    const double unit = pow(10.0, floor(log10(fabs(value))) - 3.0);
    return json_number(round(value / unit) * unit);
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static void set(json_t *out, const char *key, json_t *value)
{
    json_object_set_new(out, key, value);
}

static void set_numbers(json_t *out, const result_keys *keys, const void *base, json_t *(*make)(double))
{
    for (size_t i = 0; i < keys->count; i++)
        set(out, keys->keys[i].key, make(*result_number_at(base, &keys->keys[i])));
}

static void set_texts(json_t *out, const result_keys *keys, const void *base)
{
    for (size_t i = 0; i < keys->count; i++)
        set(out, keys->keys[i].key, json_string(*result_text_at(base, &keys->keys[i])));
}

static json_t *dims_json(const result_problem *problem)
{
    json_t *out = json_object();
    for (int i = 0; i < problem->dim_count; i++)
        set(out, problem->dims[i].name, json_integer(problem->dims[i].value));
    return out;
}

static json_t *params_json(const result_problem *problem)
{
    json_t *out = json_object();
    for (int i = 0; i < problem->param_count; i++) {
        const assay_param *p = &problem->params[i];
        set(out, p->name,
            p->type == ASSAY_PARAM_REAL      ? json_number(p->real)
            : p->type == ASSAY_PARAM_TEXT    ? json_string(p->text)
            : p->type == ASSAY_PARAM_BOOLEAN ? json_boolean(p->integer != 0)
                                             : json_integer(p->integer));
    }
    return out;
}

static json_t *device_json(const result_device *d)
{
    json_t *out = json_object();
    char compute[32] = "";
    set_texts(out, &result_texts_of_device, d);
    if (d->compute_major > 0)
        snprintf(compute, sizeof compute, "%d.%d", d->compute_major, d->compute_minor);
    set(out, "sm_count", json_integer(d->sm_count));
    set(out, "compute", json_string(compute));
    set(out, "memory_bytes", json_integer(d->memory_bytes));
    set(out, "l2_bytes", json_integer(d->l2_bytes));
    set(out, "peak_gbs", json_number(d->peak_gbs));
    return out;
}

static json_t *facts_json(const result_facts *facts)
{
    json_t *out = facts->count ? json_object() : json_null();
    for (int i = 0; i < facts->count; i++)
        set(out, facts->facts[i].name,
            facts->facts[i].text[0] ? json_string(facts->facts[i].text)
                                    : json_number(facts->facts[i].number));
    return out;
}

static json_t *tunables_json(const result *r)
{
    json_t *out = r->id.kind == RESULT_VARIANT ? json_object() : json_null();
    for (int i = 0; i < r->tunable_count; i++)
        set(out, r->tunables[i].name, json_integer(r->tunables[i].value));
    return out;
}

static json_t *toolchain_json(const result *r)
{
    if (!r->toolchain.compiler[0])
        return json_null();
    json_t *out = json_object();
    set_texts(out, &result_texts_of_toolchain, &r->toolchain);
    return out;
}

static json_t *modes_json(timing_modes modes)
{
    json_t *out = json_array();
    for (int m = 0; m < TIMING_MODES; m++)
        if (modes & timing_mode_bit((timing_mode)m))
            json_array_append_new(out, json_string(timing_mode_name((timing_mode)m)));
    return out;
}

static json_t *method_json(const result_method *m)
{
    json_t *out = json_object();
    set(out, "version", json_integer(m->version));
    for (size_t i = 0; i < result_counts_of_method.count; i++)
        if (*result_count_at(m, &result_counts_of_method.keys[i]) > 0)
            set(out, result_counts_of_method.keys[i].key,
                json_integer(*result_count_at(m, &result_counts_of_method.keys[i])));
    for (size_t i = 0; i < result_numbers_of_method.count; i++)
        if (*result_number_at(m, &result_numbers_of_method.keys[i]) > 0)
            set(out, result_numbers_of_method.keys[i].key,
                json_number(*result_number_at(m, &result_numbers_of_method.keys[i])));
    set(out, "flush", json_string(m->flush));
    set(out, "modes", modes_json(m->modes));
    set(out, "seed", json_integer((json_int_t)m->seed));
    return out;
}

static json_t *method_with_others_json(const result_method *m)
{
    json_t *out = method_json(m), *others = json_array();
    for (int i = 0; i < m->other_count; i++)
        json_array_append_new(others, json_string(m->others[i]));
    set(out, "interleaved_with", others);
    return out;
}

static json_t *health_json(const assay_device_health *h)
{
    const double values[RESULT_HEALTH_VALUES] = {h->sm_mhz, h->memory_mhz, h->power_w, h->temperature_c};
    json_t *out = json_object();
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        set(out, result_health_keys[v], json_number(values[v]));
    set(out, "reasons", json_integer(h->reasons));
    return out;
}

static json_t *sample_quality_json(const result_sample_quality *q)
{
    json_t *out = json_object();
    set_numbers(out, &result_numbers_of_sample_quality, q, brief);
    set(out, "outliers", json_integer(q->outliers));
    return out;
}

static json_t *quality_json(const result_quality *q)
{
    json_t *out = json_object(), *flags = json_array();
    for (unsigned flaw = 1; result_flaw_name(flaw); flaw <<= 1)
        if (q->flaws & flaw)
            json_array_append_new(flags, json_string(result_flaw_name(flaw)));
    set(out, "flags", flags);
    set(out, "outliers", json_integer(q->outliers));
    set(out, "effective_samples", brief(q->effective_samples));
    set(out, "lag1", brief(q->lag1));
    set(out, "warming_repetitions", json_integer(q->warming_repetitions));
    set(out, "between_repetitions", sample_quality_json(&q->between_repetitions));
    set(out, "clusters",
        isnan(q->dip) ? json_null()
                      : json_pack("{s:o, s:o, s:[o, o], s:o}", "dip", brief(q->dip), "dip_critical",
                                  brief(q->dip_critical), "centres_us", brief(q->low_us), brief(q->high_us),
                                  "share_high", brief(q->share_high)));
    return out;
}

static json_t *during_json(const result_during *d)
{
    if (d->samples == 0)
        return json_null();
    json_t *out = json_object(), *reasons = json_object();
    set(out, "samples", json_integer(d->samples));
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        set(out, result_health_keys[v],
            isfinite(d->median[v]) ? json_pack("[o, o, o]", json_number(d->low[v]), json_number(d->median[v]),
                                               json_number(d->high[v]))
                                   : json_null());
    for (int bit = 0; bit < RESULT_REASON_BITS; bit++) {
        char name[32];
        snprintf(name, sizeof name, "0x%llx", 1ull << bit);
        if (d->reason_share[bit] > 0)
            set(reasons, name, rounded(d->reason_share[bit]));
    }
    set(out, "reasons", reasons);
    return out;
}

static json_t *values_json(const double *values, int count)
{
    json_t *out = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(out, rounded(values[i]));
    return out;
}

static json_t *repetition_json(const result_repetition *r, result_load load)
{
    json_t *out = json_object();
    set(out, "mean_us", json_number(r->mean_us));
    set(out, "median_us", json_number(r->median_us));
    if (r->position >= 0)
        set(out, "position", json_integer(r->position));
    set(out, "launches_per_sample", json_integer(r->launches_per_sample));
    set(out, "sample_count", json_integer(r->sample_count));
    if (load == RESULT_LOAD_SAMPLES && r->samples_us)
        set(out, "samples_us", values_json(r->samples_us, r->sample_count));
    else if (load == RESULT_LOAD_SAMPLES && r->quantiles_us)
        set(out, "quantiles_us", values_json(r->quantiles_us, r->quantile_count));
    set(out, "before", health_json(&r->before));
    set(out, "after", health_json(&r->after));
    set(out, "quality", sample_quality_json(&r->quality));
    return out;
}

static json_t *times_json(const result_times *t, result_load load)
{
    json_t *out = json_object(), *repetitions = json_array();
    set(out, "method_version", json_integer(t->method_version));
    set_numbers(out, &result_numbers_of_times, t, json_number);
    set(out, "ci95_us", json_pack("[o, o]", json_number(t->low_us), json_number(t->high_us)));
    set(out, "median_ci95_us",
        json_pack("[o, o]", json_number(t->median_low_us), json_number(t->median_high_us)));
    set(out, "above_bound", json_boolean(t->above_roofline));
    set(out, "samples", json_integer(t->sample_count));
    set(out, "blocked", json_boolean(t->blocked));
    set(out, "repeated", json_integer(t->repeated));
    set(out, "stopped", json_string(result_stop_names[t->stopped]));
    set(out, "launch",
        json_pack("{s:b, s:i, s:i}", "graph", t->graph_nodes > 0, "graph_nodes", t->graph_nodes,
                  "programmatic_dependencies", t->programmatic));
    set(out, "during", during_json(&t->during));
    set(out, "quality", quality_json(&t->quality));
    for (int i = 0; i < t->repetition_count; i++)
        json_array_append_new(repetitions, repetition_json(&t->repetitions[i], load));
    set(out, "repetitions", repetitions);
    return out;
}

static void set_origin(json_t *out, const result *r)
{
    char time[32];
    result_time_text(r->verdict.time, time);
    set(out, "device", device_json(&r->device));
    set(out, "host",
        json_pack("{s:s, s:s, s:i, s:o}", "name", r->host.name, "cpu", r->host.cpu, "cpus", r->host.cpus,
                  "load", json_number(r->host.load)));
    set(out, "git", json_pack("{s:s, s:b}", "commit", r->commit, "dirty", r->dirty));
    set(out, "toolchain", toolchain_json(r));
    set(out, "tunables", tunables_json(r));
    set(out, "resources", facts_json(&r->resources));
    set(out, "verdict",
        r->verdict.status[0] ? json_pack("{s:s, s:s, s:i}", "status", r->verdict.status, "time", time,
                                         "attempts", r->verdict.attempts)
                             : json_null());
}

static void set_measurements(json_t *out, const result *r, result_load load)
{
    json_t *overheads = json_object(), *modes = json_object();
    char time[32];
    for (int m = 0; m < TIMING_MODES; m++) {
        if (timing_mode_get(m)->has_overhead)
            set(overheads, timing_mode_name(m), rounded(r->overhead_us[m]));
        if (r->times[m].present)
            set(modes, timing_mode_name(m), times_json(&r->times[m], load));
    }
    set(out, "flops", json_number(r->flops));
    set(out, "bytes", json_number(r->bytes));
    set(out, "method", method_with_others_json(&r->method));
    set(out, "launch_overhead_us", overheads);
    set(out, "modes", modes);
    if (r->counters.count)
        set(out, "counters", facts_json(&r->counters));
    result_time_text(r->time, time);
    set(out, "time", json_string(time));
}

static json_t *result_json(const result *r, result_load load)
{
    char name[2 * ASSAY_NAME_MAX];
    json_t *out = json_object();
    result_full_name(&r->id, name, sizeof name);
    set(out, "schema", json_integer(RESULT_SCHEMA));
    set(out, "op", json_string(r->id.op));
    set(out, "variant", json_string(name));
    set(out, "dtype", json_string(assay_dtype_name(r->id.dtype)));
    set(out, "size", json_string(r->id.size));
    set(out, "dims", dims_json(&r->problem));
    set(out, "params", params_json(&r->problem));
    set(out, "inputs",
        json_pack("{s:s, s:I}", "distribution", r->problem.distribution, "seed",
                  (json_int_t)r->problem.seed));
    set(out, "kind", json_string(result_kind_keys[r->id.kind]));
    set(out, "status", json_string(result_status_name(r->status)));
    for (size_t i = 0; i < result_texts_of_result.count; i++) {
        const result_key *key = &result_texts_of_result.keys[i];
        const char *text = *result_text_at(r, key);
        set(out, key->key, strcmp(key->key, "reason") == 0 ? json_string(text) : text_or_null(text));
    }
    set_origin(out, r);
    set_measurements(out, r, load);
    return out;
}

static assay_status check_memory(const result *r, const char *what, assay_error *error)
{
    return r->no_memory ? assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: no memory for the result", what)
                        : ASSAY_OK;
}

assay_status result_write_file(const char *path, const result *r, assay_error *error)
{
    assay_status status = check_memory(r, path, error);
    if (status != ASSAY_OK)
        return status;
    json_error_t where;
    json_t *whole = r->benchmark_report[0] ? json_loads(r->benchmark_report, 0, &where) : json_object();
    if (!whole)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "Google Benchmark's report is not JSON: line %d: %s",
                               where.line, where.text);
    set(whole, "assay", result_json(r, RESULT_LOAD_SAMPLES));
    status = json_file_write(path, whole, 1, error);
    json_decref(whole);
    return status;
}

assay_status result_write_counters(const char *path, const result *r, assay_error *error)
{
    json_t *whole = NULL;
    assay_status status = check_memory(r, path, error);
    if (status == ASSAY_OK)
        status = json_file_read(path, &whole, error);
    json_t *assay = json_object_get(whole, "assay");
    if (status == ASSAY_OK && json_object_set_new(assay, "counters", facts_json(&r->counters)) != 0)
        status =
            assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no object 'assay': not a result of Assay", path);
    if (status == ASSAY_OK)
        status = json_file_write(path, whole, 1, error);
    json_decref(whole);
    return status;
}

static assay_status dump(json_t *json, size_t flags, char **text, assay_error *error)
{
    *text = json_dumps(json, flags | JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(json);
    return *text ? ASSAY_OK
                 : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the text of a result");
}

assay_status result_write_text(const result *r, result_load load, char **text, size_t *bytes,
                               assay_error *error)
{
    *text = NULL;
    assay_status status = check_memory(r, r->id.op, error);
    if (status == ASSAY_OK)
        status = dump(result_json(r, load), 0, text, error);
    if (status == ASSAY_OK && bytes)
        *bytes = strlen(*text);
    return status;
}

assay_status result_method_text(const result_method *method, char **text, assay_error *error)
{
    return dump(method_json(method), JSON_SORT_KEYS, text, error);
}

char *result_dims_text(const result_problem *problem)
{
    char *text;
    return dump(dims_json(problem), JSON_SORT_KEYS, &text, NULL) == ASSAY_OK ? text : NULL;
}

char *result_params_text(const result_problem *problem)
{
    char *text;
    return dump(params_json(problem), JSON_SORT_KEYS, &text, NULL) == ASSAY_OK ? text : NULL;
}

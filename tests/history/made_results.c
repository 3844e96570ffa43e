/* Made-up results: see test.h. */
#include "test.h"
#include "core/list.h"
#include "results/result_file.h"

static const char * or (const char *text, const char *fallback)
{
    return text ? text : fallback;
}

void fill_times(double *times, int count, double us, double spread)
{
    for (int i = 0; i < count; i++) {
        const int place = (i * 7) % count; /* 7 shares no factor with the counts used */
        times[i] = us * (1.0 + spread * (2.0 * place / (count > 1 ? count - 1 : 1) - 1.0));
    }
}

static void fill_samples(result *out, result_repetition *repetition, const made_result *r, double us)
{
    const int count = r->exported ? 21 : r->samples > 0 ? r->samples : 9;
    double *values = result_alloc(out, (size_t)count * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; i++) { /* whole nanoseconds, as in result files; symmetric around `us` */
        const int place = r->exported ? i : (i * 7) % count;
        const long long ns = (long long)(us * 1000 + 0.5) + place - (count - 1) / 2;
        values[i] = (double)ns * 1e-3;
    }
    if (r->exported)
        repetition->quantiles_us = values, repetition->quantile_count = count;
    else
        repetition->samples_us = values;
    repetition->sample_count = count;
}

static void fill_repetition(result *out, result_repetition *repetition, const made_result *r, double us)
{
    const assay_device_health health = {.sm_mhz = r->sm_mhz > 0 ? r->sm_mhz : 1980.0,
                                        .memory_mhz = 2619.0,
                                        .power_w = 300.0,
                                        .temperature_c = 50.0,
                                        .reasons = r->reasons};
    repetition->mean_us = repetition->median_us = us;
    repetition->position = -1;
    repetition->launches_per_sample = 1;
    repetition->before = repetition->after = health;
    fill_samples(out, repetition, r, us);
}

static void fill_mode(result *out, const made_result *r)
{
    result_times *t = &out->times[r->mode];
    double mean = 0.0;
    for (int i = 0; i < r->count; i++)
        mean += r->times[i] / r->count;
    t->present = 1;
    t->method_version = timing_mode_get(r->mode)->version;
    t->mean_us = t->median_us = mean;
    t->min_us = mean * 0.99, t->p95_us = mean * 1.01, t->stddev_us = 0.1;
    t->low_us = mean * 0.995, t->high_us = mean * 1.005;
    t->gbs = 2000.0, t->tflops = 1.5;
    t->sample_count = 9 * r->count;
    t->repetition_count = r->count;
    t->repetitions = result_alloc(out, (size_t)r->count * sizeof *t->repetitions);
    assert_non_null(t->repetitions);
    for (int i = 0; i < r->count; i++)
        fill_repetition(out, &t->repetitions[i], r, r->times[i]);
}

static void fill_case(result *out, const made_result *r)
{
    result_split_name(or (r->variant, "v1_baseline"), 0, &out->id);
    snprintf(out->id.op, sizeof out->id.op, "%s", or (r->op, "add"));
    snprintf(out->id.size, sizeof out->id.size, "%s", or (r->size, "large"));
    out->id.dtype = r->dtype;
    out->problem.dim_count = 2;
    out->problem.dims[0] = (opspec_dim){"M", 4096};
    out->problem.dims[1] = (opspec_dim){"N", 4096};
    out->problem.param_count = 1;
    out->problem.params[0] = (assay_param){.name = "alpha", .type = ASSAY_PARAM_REAL, .real = 1.5};
    out->problem.distribution = result_text(out, or (r->distribution, "normal"));
    out->problem.seed = 20260;
    out->math_mode = result_text(out, or (r->math_mode, "ieee"));
}

static void fill_machine(result *out, const made_result *r)
{
    out->device.kind = result_text(out, or (r->device, "cuda"));
    out->device.name = result_text(out, or (r->card, "Made-up 100"));
    out->device.slug = result_text(out, or (r->slug, "made-up-100"));
    out->device.uuid = result_text(out, or (r->uuid, "GPU-1"));
    out->device.driver = result_text(out, or (r->driver, "580.1"));
    out->device.runtime = result_text(out, "13.0");
    out->device.sm_count = 132;
    out->device.compute_major = 9;
    if (r->load > 0)
        out->host.load = r->load;
}

static void fill_method(result *out, const made_result *r)
{
    result_method *m = &out->method;
    m->version = r->method_version > 0 ? r->method_version : RESULT_METHOD_VERSION;
    m->repetitions = 10, m->warmup_ms = 25.0, m->sample_ms = 100.0;
    m->modes = timing_mode_bit(r->mode);
    m->locked_mhz = r->locked_mhz;
    snprintf(m->flush, sizeof m->flush, "%s", or (r->flush, "memset"));
    m->others = result_alloc(out, (size_t)(list_count(r->with) + 1) * sizeof *m->others);
    for (list_item item = {0}; list_next(r->with, &item);) {
        char name[ASSAY_NAME_MAX];
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        m->others[m->other_count++] = result_text(out, name);
    }
}

result *make_result(const made_result *r)
{
    result *out = result_new();
    assert_non_null(out);
    fill_case(out, r);
    fill_machine(out, r);
    fill_method(out, r);
    out->status = r->status;
    out->reason = result_text(out, r->reason);
    out->hashes.kernel = result_text(out, or (r->kernel, "abcd"));
    out->hashes.code = result_text(out, or (r->code, ""));
    out->library_version = result_text(out, out->id.kind == RESULT_VARIANT ? "" : "12.0");
    out->verdict.status = result_text(out, "pass");
    out->output_check = result_text(out, "pass");
    out->flops = 1e6, out->bytes = 2e8;
    out->time = result_time_parse(or (r->time, "2026-01-31T12:00:00Z"));
    snprintf(out->commit, sizeof out->commit, "%s",
             or (r->commit, "1111111111111111111111111111111111111111"));
    out->dirty = r->dirty;
    if (r->overhead_us >= 0)
        out->overhead_us[r->mode] = r->overhead_us > 0 ? r->overhead_us : 3.0;
    if (r->instructions > 0)
        result_add_fact(out, &out->counters, "instructions", r->instructions, NULL);
    if (r->count > 0)
        fill_mode(out, r);
    assert_false(out->no_memory);
    return out;
}

void write_result(const char *folder, const made_result *r)
{
    char path[900], name[512];
    assay_error error = {0};
    result *made = make_result(r);
    result_file_name(&made->id, name, sizeof name);
    snprintf(path, sizeof path, "%s/bench/%s", folder, name);
    if (result_write_file(path, made, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    result_free(made);
}

/* From what a group measured to a result: see result.h. The times of the modes are in result_times.c. */
#include "bench/run/result.h"
#include "bench/run/result_times.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/case_options.h"
#include "core/tuned_variant.h"
#include "resources/resources.h"
#include "results/describe_case.h"
#include "statistics/describe.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void result_path(const result_group *group, const char *name, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s/%sbench/%s.%s.%s.%s.json", group->ws->results,
             tuned_variant_folder(name, group->size), group->op->spec->name, name,
             assay_dtype_name(group->dtype), group->size);
}

static void describe_method(result *r, const bench_method *m)
{
    r->method = (result_method){.version = RESULT_METHOD_VERSION,
                                .repetitions = m->repetitions,
                                .min_samples = m->min_samples,
                                .max_samples = m->max_samples,
                                .warmup_ms = m->warmup_ms,
                                .sample_ms = m->sample_ms,
                                .bound_s = m->bound_s,
                                .seed = m->seed,
                                .locked_mhz = m->locked_mhz};
    snprintf(r->method.flush, sizeof r->method.flush, "%s", m->flush);
    r->method.modes = m->modes;
    r->problem.seed = m->seed;
}

result *result_begin(const result_group *group, const bench_record *record, assay_error *error)
{
    result *r = result_new();
    const int unranked = record->kind == RESULT_UNRANKED_BASELINE;
    if (!r || describe_case(r, group->op, record->name, unranked, group->dtype, group->size,
                            group->device->kind, error) != ASSAY_OK) {
        result_free(r);
        (void)assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
        return NULL;
    }
    describe_device(r, group->device);
    describe_host(r);
    describe_method(r, group->method);
    if (record->module)
        describe_module(r, record->module);
    r->math_mode = result_text(r, record->math_mode);
    return r;
}

static void fill_others(result *r, const char *names, const char *self)
{
    char name[2 * ASSAY_NAME_MAX];
    r->method.others = result_alloc(r, (size_t)list_count(names) * sizeof *r->method.others);
    for (list_item item = {0}; r->method.others && list_next(names, &item);) {
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        if (strcmp(name, self) != 0)
            r->method.others[r->method.other_count++] = result_text(r, name);
    }
}

/* What the compiled kernel needs on this card. */
static void fill_resources(result *r, const result_group *group, const module_record *module)
{
    char compute[32];
    const char *name;
    json_t *value;
    snprintf(compute, sizeof compute, "%d.%d", group->device->compute_major, group->device->compute_minor);
    json_t *found = resources_for_card(module ? json_object_get(module->json, "resources") : NULL, compute);
    json_object_foreach(found, name, value)
    {
        if (json_is_number(value) || json_is_string(value))
            result_add_fact(r, &r->resources, name, json_number_value(value), json_string_value(value));
    }
    json_decref(found);
}

static void fill_verdict(result *r, const json_t *verdict)
{
    const json_t *attempts = json_object_get(verdict, "attempts");
    const size_t count = json_array_size(attempts);
    const json_t *last = count > 0 ? json_array_get(attempts, count - 1) : NULL;
    r->verdict.status = result_text(r, json_get_text(verdict, "status", ""));
    r->verdict.time = result_time_parse(json_get_text(last, "time", ""));
    r->verdict.attempts = (int)count;
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

static const char *make_rerun(result *r, const result_group *group, const bench_record *record)
{
    char command[PATH_MAX + 1100], kernel[PATH_MAX + 16] = "", lock[48] = "", which[1024];
    const bench_method *m = group->method;
    const int is_outside = record->kind == RESULT_VARIANT && record->module &&
                           json_is_true(json_object_get(record->module->json, "outside"));
    if (m->locked_mhz > 0)
        snprintf(lock, sizeof lock, " --lock-clocks %d", m->locked_mhz);
    assay_case c = {.op = group->op, .dtype = group->dtype};
    snprintf(c.variant, sizeof c.variant, "%.63s",
             record->kind == RESULT_VARIANT && !is_outside ? record->name : "");
    snprintf(c.size, sizeof c.size, "%s", group->size);
    case_options(group->ws, &c, NULL, which, sizeof which);
    if (is_outside)
        snprintf(kernel, sizeof kernel, "--source %s ", record->module->source);
    snprintf(command, sizeof command, "assay bench --op %s %s%s%s%s --force", group->op->spec->name, kernel,
             which, strcmp(m->flush, "memset") == 0 || !m->flush[0] ? "" : " --flush read", lock);
    return result_text(r, command);
}

static void fill_overheads(result *r, const result_group *group, const bench_record *record)
{
    for (int m = 0; m < TIMING_MODES; m++)
        r->overhead_us[m] = group->overhead_us[m] > 0.0 ? group->overhead_us[m] : NAN;
    if (record->overhead_cold_us != 0.0)
        r->overhead_us[TIMING_COLD] = record->overhead_cold_us > 0.0 ? record->overhead_cold_us : NAN;
}

/* Asking git takes longer than timing a kernel does, where files are many: once for all results of a process. */
static void fill_commit(result *r, const workspace *ws)
{
    static char source[sizeof ws->source], commit[64];
    static int dirty;
    if (ws->source[0] == '\0' || strcmp(source, ws->source) != 0) {
        workspace_commit(ws, commit, &dirty);
        snprintf(source, sizeof source, "%s", ws->source);
    }
    memcpy(r->commit, commit, sizeof r->commit);
    r->dirty = dirty;
}

static void fill_outcome(result *r, const result_group *group, const bench_record *record)
{
    if (!result_status_parse(record->status, &r->status))
        r->status = RESULT_NOT_TIMED;
    r->reason = result_text(r, record->reason);
    fill_commit(r, group->ws);
    r->library_version = result_text(r, record->version);
    r->choice = result_text(r, record->choice);
    r->launches = result_text(r, record->launches);
    r->output_check = result_text(r, record->output_check);
    r->time = (int64_t)time(NULL);
    r->rerun = make_rerun(r, group, record);
    fill_others(r, group->interleaved_with, record->name);
    fill_resources(r, group, record->module);
    if (record->verdict)
        fill_verdict(r, record->verdict);
    fill_overheads(r, group, record);
    if (record->instructions > 0)
        result_add_fact(r, &r->counters, "instructions", record->instructions, NULL);
}

/* The roofline bound of a candidate. A copy moves the op's bytes and computes nothing, so bandwidth alone bounds it; the arrays of
 * the C reference do not rotate, so that they stay in the cache is no measuring error. */
static void find_bound(const result_group *group, const bench_record *record, result *r, roofline_bound *out)
{
    find_cost(group, &r->flops, &r->bytes);
    if (r->id.kind == RESULT_UNRANKED_BASELINE)
        r->flops = 0.0;
    roofline_bound_find(group->ws, group->op->spec, group->dtype, record->math_mode, r->flops, r->bytes, out);
    if (r->id.kind == RESULT_BASELINE && strcmp(r->id.name, "reference") == 0)
        out->possible_us = 0.0;
}

assay_status result_write(const result_group *group, const bench_record *record, assay_error *error)
{
    roofline_bound top;
    char path[4400];
    result *r = result_begin(group, record, error);
    if (!r)
        return ASSAY_ERR_NO_MEMORY;
    fill_outcome(r, group, record);
    find_bound(group, record, r, &top);
    assay_status status = times_fill(r, record, &top, error);
    r->benchmark_report = result_text(r, record->benchmark_report);
    result_path(group, record->name, path, sizeof path);
    if (status == ASSAY_OK)
        status = result_write_file(path, r, error);
    result_free(r);
    return status;
}

void result_describe(const bench_record *record, char *out, size_t out_bytes)
{
    if (record->mode_count == 0 || record->modes[0].count == 0) {
        snprintf(out, out_bytes, "%s: %s", record->status, record->reason);
        return;
    }
    out[0] = '\0';
    for (int m = 0; m < record->mode_count; m++) {
        const mode_record *one = &record->modes[m];
        double *means = malloc(sizeof *means * (size_t)(one->count ? one->count : 1));
        if (!means || one->count == 0) {
            free(means);
            continue;
        }
        record_means(one, means);
        const double mean = stats_mean(means, one->count);
        snprintf(out + strlen(out), out_bytes - strlen(out), "%s %.*f us +-%.1f%%  ",
                 timing_mode_name(one->mode),
                 mean < 10.0     ? 3
                 : mean < 1000.0 ? 2
                                 : 0,
                 mean, mean > 0.0 ? 100.0 * stats_stddev(means, one->count) / mean : 0.0);
        free(means);
    }
    snprintf(out + strlen(out), out_bytes - strlen(out), "%s%s%s", record->status,
             record->reason[0] ? ": " : "", record->reason);
}

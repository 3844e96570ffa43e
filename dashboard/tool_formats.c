/* Files for other tools; the header says which. Rows come ordered by op, dtype, size and variant, so the newest of each case are known when
 * one of these changes. */
#include "dashboard/tool_formats.h"
#include "core/json_file.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct entry {
    timing_mode mode;
    char math_mode[32], slug[128], method[METHOD_LABEL_BYTES];
    char card[128], driver[32], commit[64];
    int64_t time;
    double mean_us, low_us, high_us, tflops, gbs;
    int samples;
} entry;

typedef struct group {
    char op[128], variant[128], dtype[16], size[64];
    entry *entries; /* owned; modes x methods x math modes x card models of what is named above */
    int count, capacity;
} group;

typedef struct job {
    tool_format format;
    json_t *out; /* what is written in the end */
    group group;
    int64_t newest;
    long entries;
    int failed, no_memory;
} job;

int tool_format_parse(const char *name, tool_format *format)
{
    static const char *const names[] = {"github-action-benchmark", "google-benchmark", "bencher"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (tool_format)i;
            return 1;
        }
    }
    return 0;
}

static void entry_name(const group *g, const entry *e, char *out, size_t out_bytes)
{
    const int plain = strcmp(e->math_mode, "ieee") == 0 || e->math_mode[0] == '\0';
    const int usual = e->method[0] == '\0';
    snprintf(out, out_bytes, "%s.%s.%s.%s%s%s/%s%s%s%s@%s", g->op, g->variant, g->dtype, g->size,
             plain ? "" : ".", plain ? "" : e->math_mode, timing_mode_name(e->mode), usual ? "" : " (",
             e->method, usual ? "" : ")", e->slug);
}

static void add_to_github(job *j, const char *name, const entry *e)
{
    char range[64], extra[512];
    json_t *one = json_pack("{s:s, s:s, s:f}", "name", name, "unit", "us", "value", e->mean_us);
    if (isfinite(e->low_us) && isfinite(e->high_us)) {
        snprintf(range, sizeof range, "\u00b1 %.3g", 0.5 * (e->high_us - e->low_us));
        json_object_set_new(one, "range", json_string(range));
    }
    snprintf(extra, sizeof extra, "%s, driver %s\ncommit %s", e->card, e->driver, e->commit);
    if (e->tflops > 0.0)
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), "\n%.4g TFLOP/s", e->tflops);
    json_object_set_new(one, "extra", json_string(extra));
    j->failed |= json_array_append_new(j->out, one);
}

static void add_to_google(job *j, const char *name, const entry *e)
{
    json_t *one = json_pack("{s:s, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:s}", "name", name,
                            "family_index", (int)j->entries, "per_family_instance_index", 0, "run_name", name,
                            "run_type", "iteration", "repetitions", 1, "repetition_index", 0, "threads", 1,
                            "iterations", e->samples > 0 ? e->samples : 1, "real_time", e->mean_us,
                            "cpu_time", e->mean_us, "time_unit", "us");
    if (e->gbs > 0.0)
        json_object_set_new(one, "bytes_per_second", json_real(e->gbs * 1e9));
    if (e->tflops > 0.0)
        json_object_set_new(one, "flops_per_second", json_real(e->tflops * 1e12));
    j->failed |= json_array_append_new(json_object_get(j->out, "benchmarks"), one);
}

static void add_to_bencher(job *j, const char *name, const entry *e)
{
    json_t *latency = json_pack("{s:f}", "value", e->mean_us * 1e3);
    if (isfinite(e->low_us) && isfinite(e->high_us)) {
        json_object_set_new(latency, "lower_value", json_real(e->low_us * 1e3));
        json_object_set_new(latency, "upper_value", json_real(e->high_us * 1e3));
    }
    json_t *one = json_pack("{s:o}", "latency", latency);
    if (e->tflops > 0.0)
        json_object_set_new(one, "tflops", json_pack("{s:f}", "value", e->tflops));
    if (e->gbs > 0.0)
        json_object_set_new(one, "gbs", json_pack("{s:f}", "value", e->gbs));
    j->failed |= json_object_set_new(j->out, name, one);
}

static void finish_group(job *j)
{
    static void (*const add[])(job *, const char *, const entry *) = {add_to_github, add_to_google,
                                                                      add_to_bencher};
    char name[640];
    for (int i = 0; i < j->group.count; i++) {
        entry_name(&j->group, &j->group.entries[i], name, sizeof name);
        add[j->format](j, name, &j->group.entries[i]);
        j->entries++;
    }
    j->group.count = 0;
}

static int same_group(const group *g, const history_row *r)
{
    return strcmp(g->variant, r->variant) == 0 && strcmp(g->op, r->op) == 0 &&
           strcmp(g->dtype, r->dtype) == 0 && strcmp(g->size, r->size) == 0;
}

static entry *new_entry(job *j)
{
    group *g = &j->group;
    if (g->count == g->capacity) {
        const int capacity = g->capacity ? 2 * g->capacity : 16;
        entry *grown = realloc(g->entries, (size_t)capacity * sizeof *grown);
        j->no_memory |= grown == NULL;
        if (grown == NULL)
            return NULL;
        g->entries = grown;
        g->capacity = capacity;
    }
    return &g->entries[g->count++];
}

/* The group's entry for this row's math mode, timing mode, method and card model: an older one, or a new one. NULL if this row is older. */
static entry *entry_for(job *j, const history_row *r, const char *method)
{
    group *g = &j->group;
    for (int i = 0; i < g->count; i++) {
        entry *e = &g->entries[i];
        if (e->mode == r->mode && strcmp(e->slug, r->slug) == 0 && strcmp(e->method, method) == 0 &&
            strcmp(e->math_mode, r->math_mode) == 0)
            return e->time <= r->time ? e : NULL;
    }
    return new_entry(j);
}

static int add_row(void *context, const history_row *r)
{
    job *j = context;
    group *g = &j->group;
    if (!r->has_times || !(r->mean_us > 0.0))
        return 0;
    if (!same_group(g, r)) {
        finish_group(j);
        snprintf(g->op, sizeof g->op, "%s", r->op);
        snprintf(g->variant, sizeof g->variant, "%s", r->variant);
        snprintf(g->dtype, sizeof g->dtype, "%s", r->dtype);
        snprintf(g->size, sizeof g->size, "%s", r->size);
    }
    entry *e = entry_for(j, r, r->method_label);
    if (e == NULL)
        return j->no_memory;
    *e = (entry){.mode = r->mode,
                 .time = r->time,
                 .mean_us = r->mean_us,
                 .low_us = r->low_us,
                 .high_us = r->high_us,
                 .tflops = r->tflops,
                 .gbs = r->gbs,
                 .samples = r->samples};
    snprintf(e->math_mode, sizeof e->math_mode, "%s", r->math_mode);
    snprintf(e->slug, sizeof e->slug, "%s", r->slug);
    snprintf(e->method, sizeof e->method, "%s", r->method_label);
    snprintf(e->card, sizeof e->card, "%s", r->card_name);
    snprintf(e->driver, sizeof e->driver, "%s", r->driver);
    snprintf(e->commit, sizeof e->commit, "%s%s", r->commit, r->dirty ? " (uncommitted changes)" : "");
    j->newest = r->time > j->newest ? r->time : j->newest;
    return j->failed;
}

/* What Google Benchmark says of the machine; readers want the keys, and the history knows none of the values. */
static void finish_google(job *j)
{
    char date[32] = "1970-01-01T00:00:00+00:00";
    const time_t newest = (time_t)j->newest;
    struct tm utc;
    if (gmtime_r(&newest, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
    json_object_set_new(j->out, "context",
                        json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:[], s:[], s:s}", "date", date,
                                  "host_name", "", "executable", "assay", "num_cpus", 1, "mhz_per_cpu", 0,
                                  "cpu_scaling_enabled", 0, "caches", "load_avg", "library_build_type",
                                  "release"));
}

assay_status tool_format_write(history *h, const history_filter *filter, tool_format format, FILE *out,
                               long *entries, assay_error *error)
{
    job *j = calloc(1, sizeof *j);
    history_filter of_ok = filter ? *filter : (history_filter){0};
    if (j == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the export");
    if (of_ok.statuses == NULL)
        of_ok.statuses = "ok";
    j->format = format;
    j->out = format == TOOL_GITHUB_ACTION_BENCHMARK ? json_array()
             : format == TOOL_BENCHER               ? json_object()
                                                    : json_pack("{s:{}, s:[]}", "context", "benchmarks");
    assay_status status = history_each_row(h, &of_ok, add_row, j, error);
    finish_group(j);
    if (format == TOOL_GOOGLE_BENCHMARK)
        finish_google(j);
    if (status == ASSAY_OK && j->no_memory)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the export");
    if (status == ASSAY_OK && j->failed)
        status = assay_error_set(error, ASSAY_ERR_FORMAT,
                                 "a result holds a name that is not UTF-8 or a number that is not finite");
    if (status == ASSAY_OK && j->entries == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID, "no results with status %s match", of_ok.statuses);
    if (status == ASSAY_OK && (json_dumpf(j->out, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0 ||
                               fputc('\n', out) == EOF || fflush(out) != 0))
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write the export: %s", strerror(errno));
    if (entries != NULL)
        *entries = j->entries;
    json_decref(j->out);
    free(j->group.entries);
    free(j);
    return status;
}

/* The measured part of a result file: see result_figures.h. */
#include "bench/run/result_figures.h"
#include "bench/timing/gbench_shim.h"
#include "core/json_file.h"
#include "bench/timing/quality.h"
#include "statistics/bootstrap.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *figures_round(double us)
{
    return json_number(round(us * 1e3) * 1e-3);
}

static json_t *health_json(const assay_device_health *h)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", "sm_mhz", json_number(h->sm_mhz), "memory_mhz",
                     json_number(h->memory_mhz), "power_w", json_number(h->power_w), "temperature_c",
                     json_number(h->temperature_c), "reasons", (json_int_t)h->reasons);
}

static json_t *repetition_json(const repetition_record *r)
{
    json_t *samples = json_array();
    for (int i = 0; i < r->count; i++)
        json_array_append_new(samples, figures_round(r->us[i]));
    sample_quality quality;
    quality_of_samples(r->us, r->count, &quality);
    return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o}", "mean_us",
                     json_number(stats_mean(r->us, r->count)), "median_us",
                     json_number(stats_median(r->us, r->count)), "turn", r->turn, "launches_per_sample",
                     r->launches_per_sample, "samples_us", samples, "before", health_json(&r->before),
                     "after", health_json(&r->after), "quality", quality_samples_json(&quality));
}

static double sm_mhz_of(const assay_device_health *h)
{
    return h->sm_mhz;
}

static double memory_mhz_of(const assay_device_health *h)
{
    return h->memory_mhz;
}

static double power_of(const assay_device_health *h)
{
    return h->power_w;
}

static double temperature_of(const assay_device_health *h)
{
    return h->temperature_c;
}

static json_t *range_json(const health_log *log, double (*at)(const assay_device_health *))
{
    const health_summary s = health_log_summarise(log, at);
    return isfinite(s.median)
               ? json_pack("[o, o, o]", json_number(s.min), json_number(s.median), json_number(s.max))
               : json_null();
}

/* Each clock event reason that was seen, by its bit, and in which part of the samples. */
static json_t *reasons_json(const health_log *log)
{
    json_t *out = json_object();
    char name[32];
    for (int bit = 0; bit < 63; bit++) {
        int seen = 0;
        for (int i = 0; i < log->count; i++)
            seen += log->samples[i].reasons > 0 && (log->samples[i].reasons >> bit & 1);
        snprintf(name, sizeof name, "0x%llx", 1ull << bit);
        if (seen > 0)
            json_object_set_new(out, name, json_number(round(1e3 * seen / log->count) * 1e-3));
    }
    return out;
}

/* [min, median, max] of what was seen while the turns ran; null where the device tells nothing. */
static json_t *during_json(const health_log *log)
{
    if (log->count == 0)
        return json_null();
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "samples", log->count, "sm_mhz",
                     range_json(log, sm_mhz_of), "memory_mhz", range_json(log, memory_mhz_of), "power_w",
                     range_json(log, power_of), "temperature_c", range_json(log, temperature_of), "reasons",
                     reasons_json(log));
}

static json_t *launch_json(const figure_record *figure)
{
    return json_pack("{s:b, s:i, s:i}", "graph", figure->graph_nodes > 0, "graph_nodes", figure->graph_nodes,
                     "programmatic_dependencies", figure->programmatic);
}

/* What the samples' quality says of the figure, and how precise its median is. */
static void add_quality(json_t *out, const figure_record *figure)
{
    figure_quality quality;
    quality_of_figure(figure, &quality);
    json_object_set_new(
        out, "median_ci95_us",
        json_pack("[o, o]", json_number(quality.median_low), json_number(quality.median_high)));
    json_object_set_new(out, "precision_percent", json_number(quality.precision_percent));
    json_object_set_new(out, "stopped",
                        json_string(figure->precise ? "precise"
                                    : figure->cut   ? "time"
                                                    : "repetitions"));
    json_object_set_new(out, "launch", launch_json(figure));
    json_object_set_new(out, "during", during_json(&figure->during));
    json_object_set_new(out, "quality", quality_json(&quality));
}

/* All samples of all repetitions in one array; NULL if memory is short or there are none. */
static double *pool_samples(const figure_record *figure, int *count)
{
    *count = 0;
    for (int r = 0; r < figure->count; r++)
        *count += figure->repetitions[r].count;
    double *all = *count > 0 ? malloc(sizeof *all * (size_t)*count) : NULL;
    for (int r = 0, at = 0; all && r < figure->count; at += figure->repetitions[r++].count)
        memcpy(all + at, figure->repetitions[r].us, sizeof *all * (size_t)figure->repetitions[r].count);
    return all;
}

/* After a reading flush part of the output, and in host figures all data, may stay in the cache: memory's roof is no bound for these. */
static int has_bound(const char *figure)
{
    return strcmp(figure, "cold_read") != 0 && strcmp(figure, "host") != 0;
}

static void add_rates(json_t *out, const char *figure, double mean_us, const roof *top, double flops,
                      double bytes)
{
    json_object_set_new(out, "gbs", json_number(bytes / mean_us * 1e-3));
    json_object_set_new(out, "tflops", json_number(flops / mean_us * 1e-6));
    json_object_set_new(out, "percent_of_roof",
                        top->known ? json_number(100.0 * top->measured_us / mean_us) : json_null());
    json_object_set_new(out, "above_roof",
                        json_boolean(top->known && has_bound(figure) && mean_us < top->possible_us));
}

/* The mean is that of the repetitions' means, as is its interval; median, minimum, p95 and deviation are over
 * all samples. */
static json_t *figure_json(const figure_record *figure, const roof *top, double flops, double bytes)
{
    int count = 0;
    double *all = pool_samples(figure, &count), *means = malloc(sizeof *means * (size_t)(figure->count + 1));
    json_t *repetitions = json_array(), *out = NULL;
    if (all && means) {
        double low, high;
        record_means(figure, means);
        const double mean = stats_mean(means, figure->count);
        stats_bootstrap_mean95(means, figure->count, 1, &low, &high);
        for (int r = 0; r < figure->count; r++)
            json_array_append_new(repetitions, repetition_json(&figure->repetitions[r]));
        out =
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:[o, o]}", "mean_us", json_number(mean), "median_us",
                      json_number(stats_median(all, count)), "min_us", json_number(stats_min(all, count)),
                      "p95_us", json_number(stats_quantile(all, count, 0.95)), "stddev_us",
                      json_number(stats_stddev(all, count)), "ci95_us", json_number(low), json_number(high));
        add_rates(out, figure->name, mean, top, flops, bytes);
        json_object_set_new(out, "samples", json_integer(count));
        json_object_set_new(out, "blocked", json_boolean(!figure->unblocked));
        json_object_set_new(out, "repeated", json_integer(figure->repeated));
        json_object_set_new(out, "cut", json_boolean(figure->cut));
        add_quality(out, figure);
        json_object_set(out, "repetitions", repetitions);
    }
    json_decref(repetitions);
    free(all);
    free(means);
    return out ? out : json_null();
}

json_t *figures_json(const bench_record *record, const roof *top, double flops, double bytes)
{
    json_t *out = json_object();
    for (int f = 0; f < record->figure_count; f++)
        if (record->figures[f].count > 0)
            json_object_set_new(out, record->figures[f].name,
                                figure_json(&record->figures[f], top, flops, bytes));
    return out;
}

enum { COUNTERS = 3 };

typedef struct gbench_input {
    gbench_case cases[RECORD_MOST_FIGURES];
    char names[RECORD_MOST_FIGURES][512];
    gbench_counter counters[RECORD_MOST_FIGURES][COUNTERS];
    gbench_repetition *repetitions[RECORD_MOST_FIGURES];
    int count;
} gbench_input;

static void describe_repetitions(const figure_record *figure, gbench_repetition *out)
{
    for (int r = 0; r < figure->count; r++) {
        const repetition_record *from = &figure->repetitions[r];
        out[r].launches = (long long)from->count * from->launches_per_sample;
        out[r].total_us = stats_mean(from->us, from->count) * (double)out[r].launches;
    }
}

static void add_case(gbench_input *in, const result_group *group, const bench_record *record,
                     const figure_record *figure, const roof *top, double flops, double bytes)
{
    gbench_repetition *repetitions = calloc((size_t)figure->count, sizeof *repetitions);
    if (!repetitions)
        return;
    const int c = in->count++;
    describe_repetitions(figure, repetitions);
    in->repetitions[c] = repetitions;
    snprintf(in->names[c], sizeof in->names[c], "%s/%s/%s/%s/%s", group->op->spec->name, record->name,
             assay_dtype_name(group->dtype), group->size, figure->name);
    double total_us = 0.0;
    for (int r = 0; r < figure->count; r++)
        total_us += repetitions[r].total_us / (double)repetitions[r].launches;
    const double percent = top->known ? 100.0 * top->measured_us / (total_us / figure->count) : 0.0;
    in->counters[c][0] = (gbench_counter){"bytes_per_second", bytes, 1};
    in->counters[c][1] = (gbench_counter){"flops_per_second", flops, 1};
    in->counters[c][2] = (gbench_counter){"percent_of_roof", percent, 0};
    in->cases[c] = (gbench_case){in->names[c], repetitions, figure->count, in->counters[c], COUNTERS};
}

/* Google Benchmark appends "/iterations:N/repeats:N/manual_time" to names; N changes from run to run, and
 * names must not. */
static void shorten_name(json_t *benchmark, const char *key)
{
    char name[1024];
    snprintf(name, sizeof name, "%s", json_get_text(benchmark, key, ""));
    char *from = strstr(name, "/iterations:"), *last = strstr(name, "/manual_time");
    if (!from || !last)
        return;
    memmove(from, last + strlen("/manual_time"), strlen(last + strlen("/manual_time")) + 1);
    json_object_set_new(benchmark, key, json_string(name));
}

static assay_status parse_report(const char *text, json_t **out, assay_error *error)
{
    json_error_t where;
    /* A --benchmark_filter that matches nothing leaves no report at all. */
    *out = text[0] ? json_loads(text, 0, &where) : json_pack("{s:{}, s:[]}", "context", "benchmarks");
    if (!*out)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "Google Benchmark's report is not JSON: line %d: %s",
                               where.line, where.text);
    size_t i;
    json_t *benchmark;
    json_array_foreach(json_object_get(*out, "benchmarks"), i, benchmark)
    {
        shorten_name(benchmark, "name");
        shorten_name(benchmark, "run_name");
    }
    return ASSAY_OK;
}

assay_status figures_gbench_json(const result_group *group, const bench_record *record, const roof *top,
                                 double flops, double bytes, json_t **out, assay_error *error)
{
    gbench_input *in = calloc(1, sizeof *in);
    char *text = NULL;
    *out = NULL;
    if (!in)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a report");
    for (int f = 0; f < record->figure_count; f++)
        if (record->figures[f].count > 0)
            add_case(in, group, record, &record->figures[f], top, flops, bytes);
    const gbench_context_entry context[] = {
        {"assay_device", group->device->name},
        {"assay_device_kind", group->device->kind},
        {"assay_time_source", "device time, replayed as manual time; cpu_time is of the replay"}};
    assay_status status =
        gbench_report(in->cases, in->count, context, (int)(sizeof context / sizeof *context), &text, error);
    if (status == ASSAY_OK)
        status = parse_report(text, out, error);
    free(text);
    for (int c = 0; c < in->count; c++)
        free(in->repetitions[c]);
    free(in);
    return status;
}

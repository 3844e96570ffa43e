/* The measured part of a result: see result_figures.h. */
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

static result_sample_quality quality_of_values(const double *values, int count)
{
    sample_quality q;
    quality_of_samples(values, count, &q);
    return (result_sample_quality){.drift_z = q.drift_z,
                                   .drift_change = q.drift_change,
                                   .lag1 = q.lag1,
                                   .effective_samples = q.effective_samples,
                                   .outliers = q.outliers};
}

static void fill_repetition(result *r, const repetition_record *from, result_repetition *out)
{
    const size_t bytes = (size_t)from->count * sizeof *out->samples_us;
    *out = (result_repetition){.mean_us = stats_mean(from->us, from->count),
                               .median_us = stats_median(from->us, from->count),
                               .order = from->turn,
                               .launches_per_sample = from->launches_per_sample,
                               .sample_count = from->count,
                               .samples_us = result_alloc(r, bytes),
                               .before = from->before,
                               .after = from->after,
                               .quality = quality_of_values(from->us, from->count)};
    if (out->samples_us)
        memcpy(out->samples_us, from->us, bytes);
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

/* What was seen while the repetitions ran: ranges, and in which part of the samples each clock event reason stood. */
static void fill_during(const health_log *log, result_during *out)
{
    static double (*const values[RESULT_HEALTH_VALUES])(const assay_device_health *) = {
        sm_mhz_of, memory_mhz_of, power_of, temperature_of};
    out->samples = log->count;
    for (int v = 0; v < RESULT_HEALTH_VALUES && log->count > 0; v++) {
        const health_summary s = health_log_summarise(log, values[v]);
        out->low[v] = s.min;
        out->median[v] = s.median;
        out->high[v] = s.max;
    }
    for (int bit = 0; bit < RESULT_REASON_BITS; bit++) {
        int seen = 0;
        for (int i = 0; i < log->count; i++)
            seen += log->samples[i].reasons > 0 && (log->samples[i].reasons >> bit & 1);
        if (seen > 0)
            out->reason_share[bit] = round(1e3 * seen / log->count) * 1e-3;
    }
}

static void fill_quality(const figure_record *figure, result_times *out)
{
    figure_quality q;
    quality_of_figure(figure, &q);
    out->median_low_us = q.median_low;
    out->median_high_us = q.median_high;
    out->precision_percent = q.precision_percent;
    out->quality.flaws = (unsigned)q.flags;
    out->quality.outliers = q.outliers;
    out->quality.warming_repetitions = q.warming;
    out->quality.effective_samples = q.effective_samples;
    out->quality.lag1 = q.lag1;
    out->quality.between_repetitions =
        (result_sample_quality){.drift_z = q.between.drift_z,
                                .drift_change = q.between.drift_change,
                                .lag1 = q.between.lag1,
                                .effective_samples = q.between.effective_samples,
                                .outliers = q.between.outliers};
    if (q.modes.dip <= 0.0)
        return;
    out->quality.dip = q.modes.dip;
    out->quality.dip_critical = q.modes.dip_critical;
    out->quality.low_us = q.modes.low;
    out->quality.high_us = q.modes.high;
    out->quality.share_high = q.modes.share_high;
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

/* Rates, and the share of a roofline bound that is known; a bound that is not known is compared with nothing. */
static void fill_rates(const result *r, timing_mode mode, const roof *top, result_times *out)
{
    out->gbs = r->bytes / out->mean_us * 1e-3;
    out->tflops = r->flops / out->mean_us * 1e-6;
    out->percent_of_roofline = top->known ? 100.0 * top->measured_us / out->mean_us : NAN;
    out->above_roofline = top->known && timing_mode_get(mode)->has_bound && out->mean_us < top->possible_us;
}

/* The mean is that of the repetitions' means, as is its interval; median, minimum, p95 and deviation are over
 * all samples. 0 if memory is short. */
static int fill_statistics(const figure_record *figure, result_times *out)
{
    int count = 0;
    double *all = pool_samples(figure, &count), *means = malloc(sizeof *means * (size_t)(figure->count + 1));
    const int filled = all && means;
    if (filled) {
        record_means(figure, means);
        out->mean_us = stats_mean(means, figure->count);
        stats_bootstrap_mean95(means, figure->count, 1, &out->low_us, &out->high_us);
        out->median_us = stats_median(all, count);
        out->min_us = stats_min(all, count);
        out->p95_us = stats_quantile(all, count, 0.95);
        out->stddev_us = stats_stddev(all, count);
        out->sample_count = count;
    }
    free(all);
    free(means);
    return filled;
}

static int fill_times(result *r, timing_mode mode, const figure_record *figure, const roof *top)
{
    result_times *out = &r->times[mode];
    if (!fill_statistics(figure, out))
        return 0;
    out->present = 1;
    out->method_version = timing_mode_get(mode)->version;
    fill_rates(r, mode, top, out);
    out->blocked = !figure->unblocked;
    out->repeated = figure->repeated;
    out->stopped = figure->precise ? RESULT_STOP_PRECISE
                   : figure->cut   ? RESULT_STOP_TIME
                                   : RESULT_STOP_REPETITIONS;
    out->graph_nodes = figure->graph_nodes;
    out->programmatic = figure->programmatic;
    fill_during(&figure->during, &out->during);
    fill_quality(figure, out);
    out->repetitions = result_alloc(r, (size_t)figure->count * sizeof *out->repetitions);
    for (int i = 0; out->repetitions && i < figure->count; i++)
        fill_repetition(r, &figure->repetitions[i], &out->repetitions[out->repetition_count++]);
    return !r->no_memory;
}

assay_status figures_fill(result *r, const bench_record *record, const roof *top, assay_error *error)
{
    for (int f = 0; f < record->figure_count; f++) {
        const figure_record *figure = &record->figures[f];
        timing_mode mode;
        if (figure->count > 0 && timing_mode_parse(figure->name, &mode) && !fill_times(r, mode, figure, top))
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the times of a result");
    }
    return ASSAY_OK;
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

assay_status figures_gbench_report(result *r, const result_group *group, const bench_record *record,
                                   const roof *top, assay_error *error)
{
    gbench_input *in = calloc(1, sizeof *in);
    char *text = NULL, *short_names = NULL;
    json_t *report = NULL;
    if (!in)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a report");
    for (int f = 0; f < record->figure_count; f++)
        if (record->figures[f].count > 0)
            add_case(in, group, record, &record->figures[f], top, r->flops, r->bytes);
    const gbench_context_entry context[] = {
        {"assay_device", group->device->name},
        {"assay_device_kind", group->device->kind},
        {"assay_time_source", "device time, replayed as manual time; cpu_time is of the replay"}};
    assay_status status =
        gbench_report(in->cases, in->count, context, (int)(sizeof context / sizeof *context), &text, error);
    if (status == ASSAY_OK)
        status = parse_report(text, &report, error);
    if (status == ASSAY_OK)
        short_names = json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(15));
    r->benchmark_report = result_text(r, short_names);
    json_decref(report);
    free(short_names);
    free(text);
    for (int c = 0; c < in->count; c++)
        free(in->repetitions[c]);
    free(in);
    return status;
}

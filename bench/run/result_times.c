/* The measured part of a result: see result_times.h. */
#include "bench/run/result_times.h"
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
                               .position = from->position,
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

static void fill_quality(const mode_record *one, result_times *out)
{
    repetitions_quality q;
    quality_of_repetitions(one, &q);
    out->median_low_us = q.median_low;
    out->median_high_us = q.median_high;
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
static double *pool_samples(const mode_record *one, int *count)
{
    *count = 0;
    for (int r = 0; r < one->count; r++)
        *count += one->repetitions[r].count;
    double *all = *count > 0 ? malloc(sizeof *all * (size_t)*count) : NULL;
    for (int r = 0, at = 0; all && r < one->count; at += one->repetitions[r++].count)
        memcpy(all + at, one->repetitions[r].us, sizeof *all * (size_t)one->repetitions[r].count);
    return all;
}

/* Rates, and the share of a roofline bound that is known; a bound that is not known is compared with nothing. */
static void fill_rates(const result *r, timing_mode mode, const roofline_bound *top, result_times *out)
{
    out->gbs = r->bytes / out->mean_us * 1e-3;
    out->tflops = r->flops / out->mean_us * 1e-6;
    out->percent_of_roofline = top->known ? 100.0 * top->measured_us / out->mean_us : NAN;
    out->above_roofline = top->known && timing_mode_get(mode)->has_bound && out->mean_us < top->possible_us;
}

/* The mean is that of the repetitions' means, as is its interval; median, minimum, p95 and deviation are over
 * all samples. 0 if memory is short. */
static int fill_statistics(const mode_record *one, result_times *out)
{
    int count = 0;
    double *all = pool_samples(one, &count), *means = malloc(sizeof *means * (size_t)(one->count + 1));
    const int filled = all && means;
    if (filled) {
        record_means(one, means);
        out->mean_us = stats_mean(means, one->count);
        stats_bootstrap_mean95(means, one->count, 1, &out->low_us, &out->high_us);
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

static int fill_times(result *r, const mode_record *one, const roofline_bound *top)
{
    const timing_mode mode = one->mode;
    result_times *out = &r->times[mode];
    if (!fill_statistics(one, out))
        return 0;
    out->present = 1;
    out->method_version = timing_mode_get(mode)->version;
    fill_rates(r, mode, top, out);
    out->blocked = !one->unblocked;
    out->repeated = one->repeated;
    out->stopped = one->cut ? RESULT_STOP_TIME : RESULT_STOP_REPETITIONS;
    out->graph_nodes = one->graph_nodes;
    out->programmatic = one->programmatic;
    fill_during(&one->during, &out->during);
    fill_quality(one, out);
    out->repetitions = result_alloc(r, (size_t)one->count * sizeof *out->repetitions);
    for (int i = 0; out->repetitions && i < one->count; i++)
        fill_repetition(r, &one->repetitions[i], &out->repetitions[out->repetition_count++]);
    return !r->no_memory;
}

assay_status times_fill(result *r, const bench_record *record, const roofline_bound *top, assay_error *error)
{
    for (int m = 0; m < record->mode_count; m++) {
        const mode_record *one = &record->modes[m];
        if (one->count > 0 && !fill_times(r, one, top))
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the times of a result");
    }
    return ASSAY_OK;
}

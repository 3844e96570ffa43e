/* The times of one mode from JSON: see result_reader.h. */
#include "core/json_file.h"
#include "results/result_keys.h"
#include "results/result_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_US 1e12 /* eleven days */

static int is_time(double us)
{
    return us >= 0 && us < LONGEST_US;
}

/* Elements of an array as numbers; NAN where they are none. */
static double number_of(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void take_health(const json_t *object, assay_device_health *out)
{
    double *const values[RESULT_HEALTH_VALUES] = {&out->sm_mhz, &out->memory_mhz, &out->power_w,
                                                  &out->temperature_c};
    const json_t *reasons = json_object_get(object, "reasons");
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        *values[v] = json_get_number(object, result_health_keys[v], -1.0);
    out->reasons = json_is_integer(reasons) ? json_integer_value(reasons) : -1;
}

static void take_sample_quality(const json_t *object, result_sample_quality *out)
{
    const result_keys *keys = &result_numbers_of_sample_quality;
    for (size_t i = 0; i < keys->count; i++)
        *result_number_at(out, &keys->keys[i]) = json_get_number(object, keys->keys[i].key, 0);
    out->outliers = reader_count(object, "outliers", 0);
}

static void take_quality(const json_t *object, result_quality *out)
{
    const json_t *flags = json_object_get(object, "flags"), *clusters = json_object_get(object, "clusters"),
                 *centres = json_object_get(clusters, "centres_us");
    for (size_t i = 0; i < json_array_size(flags); i++)
        for (unsigned flaw = 1; result_flaw_name(flaw); flaw <<= 1) {
            const char *name = json_string_value(json_array_get(flags, i));
            out->flaws |= name && strcmp(name, result_flaw_name(flaw)) == 0 ? flaw : 0;
        }
    out->outliers = reader_count(object, "outliers", 0);
    out->warming_repetitions = reader_count(object, "warming_repetitions", 0);
    out->effective_samples = json_get_number(object, "effective_samples", 0);
    out->lag1 = json_get_number(object, "lag1", 0);
    take_sample_quality(json_object_get(object, "between_repetitions"), &out->between_repetitions);
    out->dip = json_get_number(clusters, "dip", NAN);
    out->dip_critical = json_get_number(clusters, "dip_critical", NAN);
    out->low_us = number_of(centres, 0);
    out->high_us = number_of(centres, 1);
    out->share_high = json_get_number(clusters, "share_high", NAN);
}

static void take_during(json_t *object, result_during *out)
{
    const char *name;
    json_t *share;
    out->samples = reader_count(object, "samples", 0);
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++) {
        const json_t *range = json_object_get(object, result_health_keys[v]);
        out->low[v] = number_of(range, 0);
        out->median[v] = number_of(range, 1);
        out->high[v] = number_of(range, 2);
    }
    json_object_foreach(json_object_get(object, "reasons"), name, share)
    {
        const unsigned long long mask = strtoull(name, NULL, 16);
        for (int bit = 0; bit < RESULT_REASON_BITS; bit++)
            if (mask == 1ull << bit)
                out->reason_share[bit] = json_number_value(share);
    }
}

/* The values of an array of times; NULL with *count 0 for none. 0 after a refusal. */
static int take_values(reader *in, const json_t *array, const char *key, double **out, int *count)
{
    const size_t size = json_array_size(array);
    *count = 0;
    *out = result_alloc(in->out, size * sizeof **out);
    for (size_t i = 0; *out && i < size; i++) {
        (*out)[i] = number_of(array, i);
        if (!is_time((*out)[i]))
            return reader_refuse(in, key, "holds a sample that is not a time in microseconds");
        ++*count;
    }
    return 1;
}

static int take_samples(reader *in, const json_t *object, const char *mode, result_repetition *out)
{
    char key[80];
    int count;
    snprintf(key, sizeof key, "modes.%s.repetitions.samples_us", mode);
    if (!take_values(in, json_object_get(object, "samples_us"), key, &out->samples_us, &count))
        return 0;
    if (count > 0)
        out->sample_count = count;
    snprintf(key, sizeof key, "modes.%s.repetitions.quantiles_us", mode);
    return take_values(in, json_object_get(object, "quantiles_us"), key, &out->quantiles_us,
                       &out->quantile_count);
}

static int take_repetition(reader *in, const json_t *object, const char *mode, result_repetition *out)
{
    out->mean_us = json_get_number(object, "mean_us", NAN);
    out->median_us = json_get_number(object, "median_us", NAN);
    out->position = reader_count(object, "position", -1);
    out->launches_per_sample = reader_count(object, "launches_per_sample", 0);
    out->sample_count = reader_count(object, "sample_count", 0);
    take_health(json_object_get(object, "before"), &out->before);
    take_health(json_object_get(object, "after"), &out->after);
    take_sample_quality(json_object_get(object, "quality"), &out->quality);
    return in->load != RESULT_LOAD_SAMPLES || take_samples(in, object, mode, out);
}

static int take_repetitions(reader *in, const json_t *list, const char *mode, result_times *out)
{
    const size_t count = json_array_size(list);
    out->repetitions = result_alloc(in->out, count * sizeof *out->repetitions);
    for (size_t i = 0; out->repetitions && i < count; i++) {
        out->repetition_count++;
        if (!take_repetition(in, json_array_get(list, i), mode, &out->repetitions[i]))
            return 0;
    }
    return 1;
}

static result_stop stop_of(const json_t *object)
{
    return strcmp(json_get_text(object, "stopped", ""), result_stop_names[RESULT_STOP_TIME]) == 0
               ? RESULT_STOP_TIME
               : RESULT_STOP_REPETITIONS;
}

static void take_pair(const json_t *pair, double *low, double *high)
{
    *low = number_of(pair, 0);
    *high = number_of(pair, 1);
}

int reader_take_times(reader *in, const json_t *object, timing_mode mode)
{
    result_times *t = &in->out->times[mode];
    const json_t *launch = json_object_get(object, "launch");
    char key[80];
    for (size_t i = 0; i < result_numbers_of_times.count; i++)
        *result_number_at(t, &result_numbers_of_times.keys[i]) =
            json_get_number(object, result_numbers_of_times.keys[i].key, NAN);
    snprintf(key, sizeof key, "modes.%s.mean_us", timing_mode_name(mode));
    if (!(t->mean_us > 0 && is_time(t->mean_us)))
        return reader_refuse(in, key, "is not a positive number of microseconds");
    t->present = 1;
    snprintf(key, sizeof key, "modes.%s.method_version", timing_mode_name(mode));
    if (!reader_take_version(in, object, "method_version", key, &t->method_version))
        return 0;
    take_pair(json_object_get(object, "ci95_us"), &t->low_us, &t->high_us);
    take_pair(json_object_get(object, "median_ci95_us"), &t->median_low_us, &t->median_high_us);
    t->above_roofline = json_is_true(json_object_get(object, "above_bound"));
    t->sample_count = reader_count(object, "samples", 0);
    t->blocked = json_is_true(json_object_get(object, "blocked"));
    t->repeated = reader_count(object, "repeated", 0);
    t->stopped = stop_of(object);
    t->graph_nodes = reader_count(launch, "graph_nodes", 0);
    t->programmatic = reader_count(launch, "programmatic_dependencies", 0);
    take_during(json_object_get(object, "during"), &t->during);
    take_quality(json_object_get(object, "quality"), &t->quality);
    return take_repetitions(in, json_object_get(object, "repetitions"), timing_mode_name(mode), t);
}

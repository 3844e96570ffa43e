/* Made-up results: see test.h. */
#include "test.h"
#include "core/json_file.h"
#include "core/list.h"

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

static json_t *make_repetition(const made_result *r, double us)
{
    json_t *values = json_array();
    const int count = r->exported ? 21 : r->samples > 0 ? r->samples : 9;
    for (int i = 0; i < count; i++) { /* whole nanoseconds, as in result files; symmetric around `us` */
        const int place = r->exported ? i : (i * 7) % count;
        const long long ns = (long long)(us * 1000 + 0.5) + place - (count - 1) / 2;
        json_array_append_new(values, json_real((double)ns * 1e-3));
    }
    json_t *health = json_pack("{s:f, s:f, s:f, s:f, s:i}", "sm_mhz", 1980.0, "memory_mhz", 2619.0, "power_w",
                               300.0, "temperature_c", 50.0, "reasons", r->reasons);
    return json_pack("{s:f, s:f, s:i, s:o, s:O, s:o}", "mean_us", us, "median_us", us, "launches_per_sample",
                     1, r->exported ? "quantiles_us" : "samples_us", values, "before", health, "after",
                     health);
}

static json_t *make_figures(const made_result *r)
{
    json_t *repetitions = json_array(), *figures = json_object();
    double mean = 0.0;
    for (int i = 0; i < r->count; i++) {
        mean += r->times[i] / r->count;
        json_t *repetition = make_repetition(r, r->times[i]);
        if (r->turns)
            json_object_set_new(repetition, "turn", json_integer(r->turns[i]));
        json_array_append_new(repetitions, repetition);
    }
    json_object_set_new(figures, or (r->figure, "cold"),
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:[f, f], s:f, s:f, s:n, s:b, s:i, s:i, s:o}",
                                  "mean_us", mean, "median_us", mean, "min_us", mean * 0.99, "p95_us",
                                  mean * 1.01, "stddev_us", 0.1, "ci95_us", mean * 0.995, mean * 1.005, "gbs",
                                  2000.0, "tflops", 1.5, "percent_of_roof", "above_roof", 0, "samples",
                                  9 * r->count, "repeated", 0, "repetitions", repetitions));
    return figures;
}

json_t *make_assay(const made_result *r)
{
    json_t *out = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:{s:i, s:i}, s:{s:f}, s:s, s:s, s:s, s:s, s:{s:s, s:i}}", "schema", 1,
        "op", or (r->op, "add"), "variant", or (r->variant, "v1_baseline"), "dtype", or (r->dtype, "f32"),
        "size", or (r->size, "large"), "dims", "M", 4096, "N", 4096, "params", "alpha", 1.0, "kind",
        or (r->kind, "variant"), "status", or (r->status, "ok"), "reason", or (r->reason, ""), "math_mode",
        or (r->math_mode, "ieee"), "inputs", "distribution", or (r->distribution, "normal"), "seed", 20260);
    json_t *more = json_pack("{s:{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s}, s:{s:s, s:b}, s:s, s:{s:s}, s:f, "
                             "s:f, s:{s:f, s:f}, s:s, s:s}",
                             "device", "kind", "cuda", "name", or (r->card, "Made-up 100"), "slug",
                             or (r->slug, "made-up-100"), "uuid", or (r->uuid, "GPU-1"), "sm_count", 132,
                             "driver", or (r->driver, "580.1"), "runtime", "13.0", "compute", "9.0", "git",
                             "commit", or (r->commit, "1111111111111111111111111111111111111111"), "dirty",
                             r->dirty, "source_sha256", or (r->source_sha256, "abcd"), "verdict", "status",
                             "pass", "flops", 1e6, "bytes", 2e8, "floor_us", "cold", 3.0, "hot", 0.8,
                             "output_check", "pass", "time", or (r->time, "2026-01-31T12:00:00Z"));
    json_t *method = json_pack("{s:i, s:f, s:f, s:s, s:[]}", "repetitions", 10, "warmup_ms", 25.0,
                               "sample_ms", 100.0, "flush", or (r->flush, "memset"), "interleaved_with");
    if (r->cold_rotation > 0)
        json_object_set_new(method, "cold_rotation", json_integer(r->cold_rotation));
    if (r->cold_batch > 0)
        json_object_set_new(method, "cold_batch", json_integer(r->cold_batch));
    if (r->locked_mhz > 0)
        json_object_set_new(method, "locked_mhz", json_integer(r->locked_mhz));
    for (list_item item = {0}; list_next(r->with, &item);)
        json_array_append_new(json_object_get(method, "interleaved_with"),
                              json_stringn(item.text, (size_t)item.length));
    assert_non_null(out);
    assert_non_null(more);
    json_object_update(out, more);
    json_decref(more);
    json_object_set_new(out, "method", method);
    if (r->floor_us != 0)
        json_object_set_new(json_object_get(out, "floor_us"), "cold",
                            r->floor_us > 0 ? json_real(r->floor_us) : json_null());
    json_object_set_new(out, "figures", r->count > 0 ? make_figures(r) : json_object());
    return out;
}

void write_result(const char *folder, const made_result *r)
{
    char path[700];
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/bench/%s.%s.%s.%s.json", folder, or (r->op, "add"),
             or (r->variant, "v1_baseline"), or (r->dtype, "f32"), or (r->size, "large"));
    json_t *root = json_pack("{s:{}, s:[], s:o}", "context", "benchmarks", "assay", make_assay(r));
    assert_non_null(root);
    assert_int_equal(json_file_write(path, root, 1, &error), ASSAY_OK);
    json_decref(root);
}

void make_folder(char out[256])
{
    const char *base = getenv("TMPDIR");
    snprintf(out, 256, "%s/assay-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(out));
}

void remove_folder(const char *folder)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

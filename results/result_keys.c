/* The keys that reader and writer share: see result_keys.h. */
#include "results/result_keys.h"

static const result_key of_result[] = {{"reason", offsetof(result, reason)},
                                       {"math_mode", offsetof(result, math_mode)},
                                       {"output_check", offsetof(result, output_check)},
                                       {"source_sha256", offsetof(result, hashes.kernel)},
                                       {"code_sha256", offsetof(result, hashes.code)},
                                       {"reference_sha256", offsetof(result, hashes.reference)},
                                       {"op_json_sha256", offsetof(result, hashes.op_json)},
                                       {"version", offsetof(result, library_version)},
                                       {"choice", offsetof(result, choice)},
                                       {"launches", offsetof(result, launches)},
                                       {"rerun", offsetof(result, rerun)}};
const result_keys result_texts_of_result = RESULT_KEYS(of_result);

static const result_key of_device[] = {
    {"kind", offsetof(result_device, kind)},     {"name", offsetof(result_device, name)},
    {"slug", offsetof(result_device, slug)},     {"uuid", offsetof(result_device, uuid)},
    {"driver", offsetof(result_device, driver)}, {"runtime", offsetof(result_device, runtime)}};
const result_keys result_texts_of_device = RESULT_KEYS(of_device);

static const result_key of_toolchain[] = {{"compiler", offsetof(result_toolchain, compiler)},
                                          {"flags", offsetof(result_toolchain, flags)},
                                          {"arch", offsetof(result_toolchain, arch)}};
const result_keys result_texts_of_toolchain = RESULT_KEYS(of_toolchain);

static const result_key method_numbers[] = {{"warmup_ms", offsetof(result_method, warmup_ms)},
                                            {"sample_ms", offsetof(result_method, sample_ms)},
                                            {"bound_s", offsetof(result_method, bound_s)}};
const result_keys result_numbers_of_method = RESULT_KEYS(method_numbers);

static const result_key method_counts[] = {{"repetitions", offsetof(result_method, repetitions)},
                                           {"min_samples", offsetof(result_method, min_samples)},
                                           {"max_samples", offsetof(result_method, max_samples)},
                                           {"locked_mhz", offsetof(result_method, locked_mhz)}};
const result_keys result_counts_of_method = RESULT_KEYS(method_counts);

static const result_key of_times[] = {{"mean_us", offsetof(result_times, mean_us)},
                                      {"median_us", offsetof(result_times, median_us)},
                                      {"min_us", offsetof(result_times, min_us)},
                                      {"p95_us", offsetof(result_times, p95_us)},
                                      {"stddev_us", offsetof(result_times, stddev_us)},
                                      {"gbs", offsetof(result_times, gbs)},
                                      {"tflops", offsetof(result_times, tflops)},
                                      {"percent_of_bound", offsetof(result_times, percent_of_roofline)}};
const result_keys result_numbers_of_times = RESULT_KEYS(of_times);

static const result_key of_sample_quality[] = {
    {"drift_z", offsetof(result_sample_quality, drift_z)},
    {"drift_change", offsetof(result_sample_quality, drift_change)},
    {"lag1", offsetof(result_sample_quality, lag1)},
    {"effective_samples", offsetof(result_sample_quality, effective_samples)}};
const result_keys result_numbers_of_sample_quality = RESULT_KEYS(of_sample_quality);

const char *const result_health_keys[RESULT_HEALTH_VALUES] = {"sm_mhz", "memory_mhz", "power_w",
                                                              "temperature_c"};
const char *const result_stop_names[2] = {"repetitions", "time"};
const char *const result_kind_keys[3] = {"variant", "baseline", "unranked"};

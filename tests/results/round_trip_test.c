/* What the writer writes the reader reads: every field, through a file and through a text. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "example_result.h"
#include "results/result_file.h"
#include <math.h>

static char *text_of(const result *r, result_load load)
{
    char *text = NULL;
    assert_int_equal(result_write_text(r, load, &text, NULL, NULL), ASSAY_OK);
    assert_null(strchr(text, '\n'));
    return text;
}

static result *read_text(const char *text, result_load load)
{
    result *r = NULL;
    assay_error error = {0};
    if (result_read_text(text, strlen(text), "example", load, &r, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return r;
}

/* The text holds every field that is written, so equal texts are equal results. */
static void test_text(void **state)
{
    result *(*const make[])(void) = {example_result};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        result *first = make[i]();
        char *text = text_of(first, RESULT_LOAD_SAMPLES);
        result *second = read_text(text, RESULT_LOAD_SAMPLES);
        char *again = text_of(second, RESULT_LOAD_SAMPLES);
        assert_string_equal(text, again);
        free(again);
        free(text);
        result_free(second);
        result_free(first);
    }
}

static void check_times(const result_times *t)
{
    assert_non_null(t);
    assert_true(t->mean_us == 12.5 && t->median_us == 12.25 && t->min_us == 11.5 && t->p95_us == 14.5);
    assert_true(t->low_us == 12.0 && t->high_us == 13.0);
    assert_true(t->median_low_us == 11.75 && t->median_high_us == 13.25);
    assert_int_equal(t->method_version, timing_mode_get(TIMING_COLD)->version);
    assert_int_equal(t->stopped, RESULT_STOP_TIME);
    assert_int_equal(t->repeated, 2);
    assert_true(t->blocked);
    assert_int_equal(t->quality.flaws, RESULT_FLAW_DRIFT | RESULT_FLAW_BIMODAL);
    assert_true(t->quality.dip == 0.125 && t->quality.high_us == 13.5);
    assert_true(t->during.median[RESULT_POWER_W] == 22 && t->during.reason_share[2] == 0.5);
    assert_int_equal(t->repetition_count, 2);
    const result_repetition *r = &t->repetitions[1];
    assert_true(r->mean_us == 13.0 && r->position == 4 && r->launches_per_sample == 20);
    assert_int_equal(r->sample_count, 3);
    assert_true(r->samples_us[2] == 13.5);
    assert_true(r->after.sm_mhz == 1710 && r->before.reasons == 4);
    assert_int_equal(result_reasons(t), 4);
}

static void test_file(void **state)
{
    char folder[256], path[600], name[256];
    make_folder(folder);
    result *first = example_result(), *r = NULL;
    result_file_name(&first->id, name, sizeof name);
    assert_string_equal(name, "softmax.v4_optimized.bf16.small.json");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    first->benchmark_report = "{\"context\":{\"x\":1},\"benchmarks\":[]}";
    assert_int_equal(result_write_file(path, first, NULL), ASSAY_OK);
    assert_int_equal(result_read_file(path, RESULT_LOAD_SAMPLES, &r, NULL), ASSAY_OK);
    assert_string_equal(r->id.op, "softmax");
    assert_string_equal(r->id.name, "v4_optimized");
    assert_int_equal(r->id.kind, RESULT_VARIANT);
    assert_int_equal(r->id.dtype, ASSAY_BF16);
    assert_int_equal(r->problem.dim_count, 2);
    assert_int_equal(r->problem.dims[0].value, 1024);
    assert_int_equal(r->problem.param_count, 4);
    assert_int_equal(r->problem.params[0].integer, -1);
    assert_string_equal(r->problem.params[3].text, "gelu");
    assert_int_equal(r->tunables[1].value, 4);
    assert_string_equal(r->device.uuid, "GPU-1");
    assert_int_equal(r->device.compute_major, 9);
    assert_string_equal(r->host.name, "node7");
    assert_true(r->host.load == 0.25);
    assert_string_equal(r->toolchain.arch, "sm_80 sm_90a");
    assert_string_equal(r->hashes.reference, first->hashes.reference);
    assert_int_equal(r->method.version, RESULT_METHOD_VERSION);
    assert_int_equal(r->method.modes, timing_mode_bit(TIMING_COLD) | timing_mode_bit(TIMING_HOT));
    assert_string_equal(r->method.others[1], "torch_eager");
    assert_true(r->overhead_us[TIMING_COLD] == 3.125 && isnan(r->overhead_us[TIMING_HOST]));
    assert_true(result_fact_number(&r->resources, "registers", 0) == 64);
    assert_string_equal(result_fact_text(&r->resources, "arch"), "sm_90a");
    assert_true(result_fact_number(&r->counters, "l2_bytes", -1) == -1);
    assert_int_equal(r->verdict.attempts, 2);
    assert_int_equal(r->time, first->time);
    assert_true(r->dirty);
    assert_true(result_is_timed(r) && !result_has(r, TIMING_BURST));
    check_times(result_get(r, TIMING_COLD));
    assert_int_equal(result_get(r, TIMING_HOT)->graph_nodes, 40);
    result_free(r);
    json_t *whole = NULL;
    assert_int_equal(json_file_read(path, &whole, NULL), ASSAY_OK);
    assert_non_null(json_object_get(whole, "benchmarks"));
    json_decref(whole);
    result_free(first);
    remove_folder(folder);
}

/* Counters come later, from a profiler, and nothing else of the file changes. */
static void test_counters(void **state)
{
    char folder[256], path[600];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/x.json", folder);
    result *first = example_result(), *r = NULL;
    first->counters = (result_facts){0};
    first->benchmark_report = "{\"context\":{\"x\":1},\"benchmarks\":[]}";
    assert_int_equal(result_write_file(path, first, NULL), ASSAY_OK);
    result_add_fact(first, &first->counters, "kernels", 3, NULL);
    assert_int_equal(result_write_counters(path, first, NULL), ASSAY_OK);
    assert_int_equal(result_read_file(path, RESULT_LOAD_SAMPLES, &r, NULL), ASSAY_OK);
    assert_true(result_fact_number(&r->counters, "kernels", 0) == 3);
    assert_true(r->times[TIMING_COLD].repetitions[1].samples_us[2] == 13.5);
    json_t *whole = NULL;
    assert_int_equal(json_file_read(path, &whole, NULL), ASSAY_OK);
    assert_non_null(json_object_get(whole, "context"));
    json_decref(whole);
    result_free(r);
    result_free(first);
    remove_folder(folder);
}

static void test_without_samples(void **state)
{
    result *first = example_result();
    char *text = text_of(first, RESULT_LOAD_SAMPLES), *brief = text_of(first, RESULT_LOAD_SUMMARY);
    result *r = read_text(brief, RESULT_LOAD_SAMPLES);
    assert_true(strlen(brief) < strlen(text));
    assert_null(r->times[TIMING_COLD].repetitions[0].samples_us);
    assert_int_equal(r->times[TIMING_COLD].repetitions[0].sample_count, 3);
    assert_true(r->times[TIMING_COLD].repetitions[0].mean_us == 12.0);
    result_free(r);
    r = read_text(text, RESULT_LOAD_SUMMARY);
    assert_null(r->times[TIMING_COLD].repetitions[0].samples_us);
    assert_int_equal(r->times[TIMING_COLD].repetitions[0].sample_count, 3);
    result_free(r);
    free(brief);
    free(text);
    result_free(first);
}

static void test_quantiles(void **state)
{
    result *first = example_result();
    result_repetition *rep = &first->times[TIMING_COLD].repetitions[0];
    rep->quantiles_us = rep->samples_us;
    rep->quantile_count = 3;
    rep->samples_us = NULL;
    rep->sample_count = 280;
    char *text = text_of(first, RESULT_LOAD_SAMPLES);
    result *r = read_text(text, RESULT_LOAD_SAMPLES);
    const result_repetition *got = &r->times[TIMING_COLD].repetitions[0];
    assert_int_equal(got->sample_count, 280);
    assert_int_equal(got->quantile_count, 3);
    assert_null(got->samples_us);
    assert_true(got->quantiles_us[0] == 11.5);
    result_free(r);
    free(text);
    result_free(first);
}

static void test_baselines(void **state)
{
    for (int unranked = 0; unranked < 2; unranked++) {
        result *first = example_baseline("torch_eager", unranked);
        char *text = text_of(first, RESULT_LOAD_SAMPLES), full[128];
        result *r = read_text(text, RESULT_LOAD_SAMPLES);
        assert_int_equal(r->id.kind, unranked ? RESULT_UNRANKED_BASELINE : RESULT_BASELINE);
        assert_string_equal(r->id.name, "torch_eager");
        assert_string_equal(r->choice, "algorithm 7 of 12");
        assert_string_equal(r->launches, "grid 8x1x1, block 256x1x1, 1024 B");
        assert_string_equal(r->library_version, "2.9.1");
        result_full_name(&r->id, full, sizeof full);
        result_case back = {0};
        result_split_name(full, unranked, &back);
        assert_string_equal(back.name, "torch_eager");
        assert_int_equal(back.kind, r->id.kind);
        result_free(r);
        free(text);
        result_free(first);
    }
}

static void test_untimed(void **state)
{
    result *first = example_result();
    first->status = RESULT_NOT_TIMED;
    first->reason = RESULT_TOO_LARGE "needs 81920 MiB";
    first->times[TIMING_COLD].present = first->times[TIMING_HOT].present = 0;
    char *text = text_of(first, RESULT_LOAD_SAMPLES);
    result *r = read_text(text, RESULT_LOAD_SAMPLES);
    assert_false(result_is_timed(r));
    assert_true(result_is_too_large(r) && !result_is_not_offered(r));
    assert_null(result_get(r, TIMING_COLD));
    assert_true(isnan(r->times[TIMING_COLD].mean_us));
    result_free(r);
    free(text);
    result_free(first);
}

static void test_method_text(void **state)
{
    result *r = example_result();
    char *text = NULL, *again = NULL;
    result_method back;
    assert_int_equal(result_method_text(&r->method, &text, NULL), ASSAY_OK);
    assert_null(strstr(text, "torch_eager"));
    assert_int_equal(result_method_parse(text, &back, NULL), ASSAY_OK);
    assert_int_equal(result_method_text(&back, &again, NULL), ASSAY_OK);
    assert_string_equal(text, again);
    assay_error error = {0};
    assert_int_equal(result_method_parse("[]", &back, &error), ASSAY_ERR_FORMAT);
    free(text);
    free(again);
    text = result_dims_text(&r->problem);
    assert_string_equal(text, "{\"M\":1024,\"N\":256}");
    free(text);
    text = result_params_text(&r->problem);
    assert_string_equal(text, "{\"act\":\"gelu\",\"alpha\":0.5,\"causal\":true,\"dim\":-1}");
    free(text);
    result_free(r);
}

static void test_time_text(void **state)
{
    char text[32];
    result_time_text(result_time_parse("2026-01-31T12:00:00Z"), text);
    assert_string_equal(text, "2026-01-31T12:00:00Z");
    assert_int_equal(result_time_parse("2026-02-31T12:00:00Z"), 0);
    assert_int_equal(result_time_parse("yesterday"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_counters),
                                       cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_quantiles),
                                       cmocka_unit_test(test_without_samples),
                                       cmocka_unit_test(test_baselines),
                                       cmocka_unit_test(test_untimed),
                                       cmocka_unit_test(test_time_text),
                                       cmocka_unit_test(test_method_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

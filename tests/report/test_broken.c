/* Files that cannot be used: each is named with its reason, skipped, and everything else is written. */
#include "tests/unit.h"
#include "fixture.h"
#include "report/report.h"

static const fixture_case good = {
    .op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 5};

/* A result whose end is `rest`. */
#define RESULT(op, variant, dtype, size, rest)                                                  \
    "{\"assay\":{\"schema\":2,\"op\":\"" op "\",\"variant\":\"" variant "\",\"dtype\":\"" dtype \
    "\",\"size\":\"" size "\",\"kind\":\"variant\",\"time\":\"2026-01-31T12:00:00Z\","          \
    "\"method\":{\"version\":1,\"modes\":[]}," rest "}}"

static const struct broken_file {
    const char *file, *text, *reason;
} broken[] = {
    {"bench/scale.v2_tiling.f32.small.json", "{\"assay\": {\"schema\": 2, \"op\": \"sca", "line 1:"},
    {"bench/scale.v2_tiling.f32.small.json", "", "line 1:"},
    {"bench/scale.v2_tiling.f32.small.json", "[1, 2]", "a JSON object is expected"},
    {"bench/scale.v2_tiling.f32.small.json", "{\"assay\": {\"schema\": 2, \"flops\": NaN}}",
     "not valid JSON"},
    {"bench/scale.v2_tiling.f32.small.json", "{\"assay\": {\"schema\": 2, \"flops\": 1e999}}",
     "not valid JSON"},
    {"bench/scale.v2_tiling.f32.small.json", "{\"assay\": {\"schema\": 1}}",
     "schema 1 is of an earlier version: measure again"},
    {"bench/scale.v2_tiling.f32.small.json", "{\"assay\": {\"schema\": \"2\"}}", "schema is not an integer"},
    {"bench/scale.v2_tiling.f32.small.json", "{\"benchmarks\": []}", "no object 'assay'"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v1_baseline", "f32", "small", "\"status\":\"not timed\""),
     "its content speaks of scale.v1_baseline.f32.small.json"},
    {"bench/other.v2_tiling.f32.small.json",
     RESULT("other", "v2_tiling", "f32", "small", "\"status\":\"not timed\""),
     "the workspace has no op 'other'"},
    {"bench/scale.v2_tiling.tf32.small.json",
     RESULT("scale", "v2_tiling", "tf32", "small", "\"status\":\"not timed\""),
     "op.json of 'scale' has no dtype 'tf32'"},
    {"bench/scale.v2_tiling.f64.small.json",
     RESULT("scale", "v2_tiling", "f64", "small", "\"status\":\"not timed\""), "dtype"},
    {"bench/scale.v2_tiling.f32.tiny.json",
     RESULT("scale", "v2_tiling", "f32", "tiny", "\"status\":\"not timed\""),
     "op.json of 'scale' has no size 'tiny'"},
    {"bench/scale.v2_tiling.f32.huge.json",
     RESULT("scale", "v2_tiling", "f32", "huge", "\"status\":\"not timed\""),
     "large-tensor checks are never timed"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v2_tiling", "f32", "small", "\"status\":\"fine\""), "fine"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v2_tiling", "f32", "small", "\"status\":\"ok\""), "there is no time"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v2_tiling", "f32", "small",
            "\"status\":\"ok\",\"modes\":{\"hot\":{\"mean_us\":5,\"method_version\":1}}"),
     "no time of the mode cold"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v2_tiling", "f32", "small",
            "\"status\":\"ok\",\"modes\":{\"cold\":{\"mean_us\":null}}"),
     "mean_us"},
    {"bench/scale.v2_tiling.f32.small.json",
     RESULT("scale", "v2_tiling", "f32", "small", "\"status\":\"ok\",\"modes\":{\"cold\":{\"mean_us\":-4}}"),
     "mean_us"},
    {"verify/scale.v2_tiling.f32.small.json", "{\"schema\": 1, \"op\": ", "line 1:"},
    {"verify/scale.v2_tiling.f32.small.json", "{\"schema\": 3}", "no verdict of schema 1"},
    {"verify/scale.v2_tiling.f32.small.json",
     "{\"schema\":1,\"op\":\"scale\",\"variant\":\"v2_tiling\",\"dtype\":\"f32\",\"size\":\"small\","
     "\"status\":\"fine\"}",
     "unknown status 'fine'"},
    {"ceilings.json", "{\"schema\": 1, \"ceilings\": [", "1:"},
    {"ceilings.json", "{\"schema\": 7}", "not schema 1"},
};

static void each_is_named_and_the_rest_is_written(void **state)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        fixture f;
        assay_error error = {0};
        report_summary summary;
        char *messages = NULL;
        size_t bytes;
        fixture_open(&f, NULL, "cuda");
        fixture_verdict(&f, &good, "pass", "", NULL);
        fixture_result(&f, &good);
        fixture_text(&f, broken[i].file, broken[i].text);
        FILE *stream = open_memstream(&messages, &bytes);
        const report_options options = {.no_plots = 1, .messages = stream};
        assert_int_equal(report_write(f.ws, NULL, &options, &summary, &error), ASSAY_ERR_FORMAT);
        fclose(stream);
        assert_int_equal(summary.unreadable_count, 1);
        assert_int_equal(summary.timed, 1);
        if (!strstr(messages, broken[i].file) || !strstr(messages, broken[i].reason))
            fail_msg("case %zu: %s is not named with '%s' in: %s", i, broken[i].file, broken[i].reason,
                     messages);
        assert_int_equal(strcspn(messages, "\n") + 1, strlen(messages)); /* one line */
        assert_string_equal(error.message, "1 file could not be read");
        char *log = fixture_read(&f, "logs/scale_log.md"), *text = fixture_read(&f, "logs/summary.md");
        assert_non_null(strstr(log, "| **v1_baseline** | 5.000 ± 0.005 |"));
        assert_non_null(strstr(text, "## Files that could not be read"));
        assert_non_null(strstr(text, broken[i].file));
        free(log);
        free(text);
        free(messages);
        report_summary_release(&summary);
        fixture_close(&f);
    }
}

static void nothing_but_broken_files_still_gives_a_summary(void **state)
{
    fixture f;
    assay_error error = {0};
    const report_options options = {.no_plots = 1};
    fixture_open(&f, NULL, "cuda");
    fixture_text(&f, "bench/scale.v1_baseline.f32.small.json", "");
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_ERR_FORMAT);
    assert_true(fixture_exists(&f, "logs/summary.md"));
    assert_false(fixture_exists(&f, "logs/scale_log.md"));
    fixture_close(&f);
}

static void no_files_at_all_are_wrong_use(void **state)
{
    fixture f;
    assay_error error = {0};
    fixture_open(&f, NULL, "cuda");
    assert_int_equal(report_write(f.ws, NULL, NULL, NULL, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "no results to report"));
    assert_false(fixture_exists(&f, "logs/summary.md"));
    error = (assay_error){0};
    assert_int_equal(report_table(f.ws, "/nonexistent", NULL, NULL, 0, stdout, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "/nonexistent"));
    fixture_close(&f);
}

static void files_of_other_kinds_are_left_alone(void **state)
{
    fixture f;
    assay_error error = {0};
    const report_options options = {.no_plots = 1};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &good, "pass", "", NULL);
    fixture_result(&f, &good);
    fixture_text(&f, "bench/scale.v2_tiling.f32.small.json.tmp.123", "{");
    fixture_text(&f, "bench/.hidden.json", "{");
    fixture_text(&f, "bench/notes.txt", "mine");
    fixture_text(&f, "verify/scale.v1_baseline.f32.huge.json",
                 "{\"schema\":1,\"op\":\"scale\",\"variant\":\"v1_baseline\",\"dtype\":\"f32\",\"size\":"
                 "\"huge\",\"status\":\"pass\"}");
    /* What a sweep, a kernel from outside and a watched run leave in the same folder. */
    fixture_text(&f, "configurations/verify/scale.v1_baseline.f32.M=7+N=9.json",
                 "{\"schema\":1,\"op\":\"scale\",\"variant\":\"v1_baseline\",\"dtype\":\"f32\",\"size\":"
                 "\"M=7+N=9\",\"status\":\"pass\"}");
    fixture_text(&f, "outside/verify/scale.mine.f32.small.json", "{");
    fixture_text(&f, "checked/verify/scale.v1_baseline.f32.small.json", "{");
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_OK);
    fixture_close(&f);
}

/* One failure for the folder, not one for each file in it. */
static void a_log_folder_that_is_a_file_is_named_once(void **state)
{
    fixture f;
    assay_error error = {0};
    char *messages = NULL;
    size_t bytes;
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &good, "pass", "", NULL);
    fixture_result(&f, &good);
    fixture_text(&f, "bench/scale.v2_tiling.f32.small.json", "");
    FILE *stream = open_memstream(&messages, &bytes);
    const report_options options = {.no_plots = 1, .messages = stream};
    snprintf(f.ws->logs, sizeof f.ws->logs, "%s/assay.json/logs", f.root);
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_ERR_IO);
    fclose(stream);
    assert_non_null(strstr(error.message, "assay.json"));
    assert_string_equal(messages, "");
    free(messages);
    fixture_close(&f);
}

/* The table names them only where nothing else has done so. */
static void unreadable_files_are_named_once(void **state)
{
    fixture f;
    report_summary summary;
    char *text = NULL;
    size_t bytes;
    assay_error error = {0};
    const report_options options = {.no_plots = 1};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &good);
    fixture_verdict(&f, &good, "pass", "", NULL);
    fixture_text(&f, "bench/scale.v2_tiling.f32.small.json", "");
    fixture_text(&f, "bench/scale.v3_coalesced.f32.small.json", "{");
    assert_int_equal(report_write(f.ws, NULL, &options, &summary, &error), ASSAY_ERR_FORMAT);
    assert_string_equal(error.message, "2 files could not be read");
    for (int with_summary = 0; with_summary < 2; with_summary++) {
        FILE *stream = open_memstream(&text, &bytes);
        error = (assay_error){0};
        assert_int_equal(report_table(f.ws, NULL, with_summary ? &summary : NULL, NULL, 0, stream, &error),
                         ASSAY_ERR_FORMAT);
        fclose(stream);
        assert_string_equal(error.message, "2 files could not be read");
        assert_int_equal(strstr(text, "v2_tiling.f32.small.json: skipped: ") == NULL, with_summary);
        free(text);
    }
    report_summary_release(&summary);
    fixture_close(&f);
}

static void a_wrong_template_breaks_its_own_file_only(void **state)
{
    fixture f;
    assay_error error = {0};
    const report_options options = {.no_plots = 1};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &good, "pass", "", NULL);
    fixture_result(&f, &good);
    snprintf(f.ws->templates, sizeof f.ws->templates, "%s/results/example-gpu", f.root);
    fixture_text(&f, "op_log.md", "# {{op}}\n{{speedupp}}\n");
    fixture_text(&f, "summary.md", "{{device}}: {{#rows}}{{kernel}}{{/rows}}\n");
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "op_log.md:2: unknown placeholder 'speedupp'"));
    assert_false(fixture_exists(&f, "logs/scale_log.md"));
    char *text = fixture_read(&f, "logs/summary.md");
    assert_string_equal(text, "Example GPU: v1_baseline\n");
    free(text);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_named_and_the_rest_is_written),
        cmocka_unit_test(nothing_but_broken_files_still_gives_a_summary),
        cmocka_unit_test(no_files_at_all_are_wrong_use),
        cmocka_unit_test(files_of_other_kinds_are_left_alone),
        cmocka_unit_test(a_log_folder_that_is_a_file_is_named_once),
        cmocka_unit_test(unreadable_files_are_named_once),
        cmocka_unit_test(a_wrong_template_breaks_its_own_file_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

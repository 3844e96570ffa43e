/* Files for other tools, read as those tools read them. Sources of the rules: github-action-benchmark's src/extract.ts
 * (extractCustomBenchmarkResult, extractGoogleCppResult, and that an empty list is an error), the JSON schema of Bencher Metric Format
 * (bencher.dev/bmf.json) with its limits on names, and Bencher's adapter cpp_google. */
#include "tests/unit.h"
#include "history/history.h"
#include "core/json_file.h"
#include "synthetic.h"
#include "dashboard/tool_formats.h"
#include <unistd.h>

enum { CASES = 2 * 84, UNSTABLE = 3, COMMITS = 6 };
static char folder[256], database[300];

static int make_history(void **unused)
{
    const synthetic_options options = {.commits = COMMITS, .ops = 2, .noise = 0.004, .plant = 1};
    assay_error error = {0};
    make_folder(folder);
    snprintf(database, sizeof database, "%s/history.db", folder);
    return synthetic_write(database, &options, &error) == ASSAY_OK ? 0 : -1;
}

static int remove_all(void **unused)
{
    remove_folder(folder);
    return 0;
}

static json_t *export(const history_filter *filter, tool_format format, assay_status expected)
{
    history *h = NULL;
    assay_error error = {0};
    FILE *file = tmpfile();
    long entries = -1;
    assert_int_equal(history_open(database, HISTORY_READ, &h, &error), ASSAY_OK);
    const assay_status status = tool_format_write(h, filter, format, file, &entries, &error);
    history_close(h);
    if (status != expected)
        fail_msg("%s", error.message);
    rewind(file);
    json_t *out = status == ASSAY_OK ? json_loadf(file, JSON_REJECT_DUPLICATES, NULL) : NULL;
    fclose(file);
    if (status == ASSAY_OK)
        assert_non_null(out);
    return out;
}

static void assert_unique(json_t *names, const char *name)
{
    assert_null(json_object_get(names, name));
    json_object_set_new(names, name, json_true());
}

/* extractCustomBenchmarkResult: an array of objects; name, value and unit are needed, range and extra are texts. */
static void github_action_benchmark_reads_it(void **unused)
{
    json_t *list = export(NULL, TOOL_GITHUB_ACTION_BENCHMARK, ASSAY_OK), *names = json_object();
    size_t i;
    const json_t *one;
    assert_true(json_is_array(list));
    assert_int_equal(json_array_size(list),
                     CASES); /* what has no result at the last commit has an older one */
    json_array_foreach(list, i, one)
    {
        assert_true(json_is_string(json_object_get(one, "name")));
        assert_true(json_is_string(json_object_get(one, "unit")));
        assert_true(json_is_number(json_object_get(one, "value")));
        assert_true(json_number_value(json_object_get(one, "value")) > 0.0);
        assert_true(json_is_string(json_object_get(one, "range")));
        assert_int_equal(strncmp(json_get_text(one, "range", ""), "\u00b1 ", 3), 0);
        assert_true(json_is_string(json_object_get(one, "extra")));
        assert_unique(names, json_get_text(one, "name", "")); /* alerts look for the name in the run before */
    }
    assert_non_null(json_object_get(names, "add.v4_optimized.bf16.large/cold@made-up-gpu"));
    json_decref(names);
    json_decref(list);
}

/* extractGoogleCppResult takes name, real_time, time_unit, iterations, cpu_time and threads of each of "benchmarks"; Bencher's cpp_google
 * also wants a list of caches, and its units are ns, us, ms and s. */
static void readers_of_google_benchmark_read_it(void **unused)
{
    json_t *file = export(NULL, TOOL_GOOGLE_BENCHMARK, ASSAY_OK), *names = json_object();
    const json_t *list = json_object_get(file, "benchmarks"), *one;
    size_t i;
    assert_true(json_is_array(json_object_get(json_object_get(file, "context"), "caches")));
    assert_true(json_is_string(json_object_get(json_object_get(file, "context"), "date")));
    assert_int_equal(json_array_size(list), CASES);
    json_array_foreach(list, i, one)
    {
        assert_true(json_is_string(json_object_get(one, "name")));
        assert_true(json_is_number(json_object_get(one, "real_time")));
        assert_true(json_is_number(json_object_get(one, "cpu_time")));
        assert_true(json_is_integer(json_object_get(one, "iterations")));
        assert_true(json_is_integer(json_object_get(one, "threads")));
        assert_string_equal(json_get_text(one, "time_unit", ""), "us");
        assert_string_equal(json_get_text(one, "run_type", ""), "iteration");
        assert_unique(names, json_get_text(one, "name", ""));
    }
    json_decref(names);
    json_decref(file);
}

static void assert_metric(const char *measure, const json_t *metric)
{
    const char *key;
    json_t *value;
    assert_in_range(strlen(measure), 1, 64);
    assert_true(json_is_number(json_object_get(metric, "value")));
    json_object_foreach((json_t *)metric, key, value)
    {
        assert_true(json_is_number(value));
        assert_true(strcmp(key, "value") == 0 || strcmp(key, "lower_value") == 0 ||
                    strcmp(key, "upper_value") == 0);
    }
    const double middle = json_get_number(metric, "value", 0);
    assert_true(json_get_number(metric, "lower_value", middle) <= middle);
    assert_true(json_get_number(metric, "upper_value", middle) >= middle);
}

/* bmf.json: objects by benchmark of objects by measure of value, lower_value and upper_value, of which value is needed. */
static void bencher_reads_it(void **unused)
{
    json_t *file = export(NULL, TOOL_BENCHER, ASSAY_OK);
    const char *name, *measure;
    json_t *measures, *metric;
    assert_true(json_is_object(file));
    assert_int_equal(json_object_size(file), CASES);
    json_object_foreach(file, name, measures)
    {
        assert_in_range(strlen(name), 1, 1024);
        assert_true(json_is_object(measures));
        assert_non_null(json_object_get(measures, "latency"));
        json_object_foreach(measures, measure, metric) assert_metric(measure, metric);
    }
    json_decref(file);
}

/* The same time in all three: microseconds and nanoseconds. */
static void all_formats_say_the_same(void **unused)
{
    const history_filter filter = {
        .ops = "add", .variants = "v4_optimized", .dtypes = "bf16", .sizes = "large"};
    json_t *github = export(&filter, TOOL_GITHUB_ACTION_BENCHMARK, ASSAY_OK);
    json_t *google = export(&filter, TOOL_GOOGLE_BENCHMARK, ASSAY_OK),
           *bencher = export(&filter, TOOL_BENCHER, ASSAY_OK);
    const double us = json_get_number(json_array_get(github, 0), "value", 0);
    const json_t *latency =
        json_object_get(json_object_get(bencher, "add.v4_optimized.bf16.large/cold@made-up-gpu"), "latency");
    assert_int_equal(json_array_size(github), 1);
    assert_true(us > 50.0 && us < 62.0); /* injected level: 55.2 us with 6% more from a commit on */
    assert_true(json_get_number(json_array_get(json_object_get(google, "benchmarks"), 0), "real_time", 0) ==
                us);
    assert_true(json_get_number(latency, "value", 0) > us * 999.999 &&
                json_get_number(latency, "value", 0) < us * 1000.001);
    json_decref(github);
    json_decref(google);
    json_decref(bencher);
}

/* The newest result is taken: an older one only if a filter says so. */
static void the_newest_result_is_taken(void **unused)
{
    history_filter filter = {.ops = "conv2d", .variants = "v4_optimized", .dtypes = "f16", .sizes = "medium"};
    json_t *now = export(&filter, TOOL_GITHUB_ACTION_BENCHMARK, ASSAY_OK);
    filter.until = 1767268800 + 86400LL * 3;
    json_t *before = export(&filter, TOOL_GITHUB_ACTION_BENCHMARK, ASSAY_OK);
    assert_string_not_equal(json_get_text(json_array_get(now, 0), "extra", ""),
                            json_get_text(json_array_get(before, 0), "extra", ""));
    json_decref(now);
    json_decref(before);
}

/* A tool takes entries of one name for one trend, so what was measured in another way has another name, and the usual way keeps its own. */
static void methods_have_names_of_their_own(void **unused)
{
    const synthetic_options options = {.commits = 20, .ops = 1, .noise = 0.004, .methods = 1};
    const history_filter filter = {.variants = "v1_baseline", .dtypes = "f32", .sizes = "small"};
    static const struct {
        timing_mode mode;
        const char *method; /* "?": the earlier one */
        double us;
    } wanted[] = {{TIMING_COLD, "", 8.0},
                  {TIMING_COLD, "?", 8.7},
                  {TIMING_COLD, "flush by reading", 7.2},
                  {TIMING_COLD, "clock locked at 1500 MHz", 10.4},
                  {TIMING_HOT, "", 6.0},
                  {TIMING_HOT, "?", 6.0},
                  {TIMING_HOT, "clock locked at 1500 MHz", 7.8}};
    char before[sizeof database];
    assay_error error = {0};
    snprintf(before, sizeof before, "%s", database);
    snprintf(database, sizeof database, "%s/methods.db", folder);
    assert_int_equal(synthetic_write(database, &options, &error), ASSAY_OK);
    json_t *file = export(&filter, TOOL_BENCHER, ASSAY_OK);
    assert_int_equal(json_object_size(file), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const result_method earlier = {.flush = "memset"};
        char method[METHOD_LABEL_BYTES], name[256];
        snprintf(method, sizeof method, "%s", wanted[i].method);
        if (strcmp(method, "?") == 0)
            timing_method_label(&earlier, 0, wanted[i].mode, method, sizeof method);
        snprintf(name, sizeof name, "add.v1_baseline.f32.small/%s%s%s%s@made-up-gpu",
                 timing_mode_name(wanted[i].mode), method[0] ? " (" : "", method, method[0] ? ")" : "");
        const json_t *latency = json_object_get(json_object_get(file, name), "latency");
        assert_float_equal(json_get_number(latency, "value", 0), wanted[i].us * 1e3,
                           0.02 * wanted[i].us * 1e3);
    }
    json_decref(file);
    snprintf(database, sizeof database, "%s", before);
}

/* Unstable results are not offered to tools that raise alarms, unless they are asked for; an empty file is an error, as it is there. */
static void unstable_and_empty(void **unused)
{
    history_filter filter = {.statuses = "unstable"};
    json_t *list = export(&filter, TOOL_GITHUB_ACTION_BENCHMARK, ASSAY_OK);
    assert_int_equal(json_array_size(list), UNSTABLE);
    json_decref(list);
    filter.ops = "no_such_op";
    for (int format = 0; format < 3; format++)
        assert_null(export(&filter, (tool_format)format, ASSAY_ERR_INVALID));
    tool_format format;
    assert_int_equal(tool_format_parse("bencher", &format), 1);
    assert_int_equal(format, TOOL_BENCHER);
    assert_int_equal(tool_format_parse("influx", &format), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(github_action_benchmark_reads_it),
        cmocka_unit_test(readers_of_google_benchmark_read_it),
        cmocka_unit_test(bencher_reads_it),
        cmocka_unit_test(all_formats_say_the_same),
        cmocka_unit_test(the_newest_result_is_taken),
        cmocka_unit_test(unstable_and_empty),
        cmocka_unit_test(methods_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, make_history, remove_all);
}

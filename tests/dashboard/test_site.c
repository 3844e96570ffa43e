/* The data files of the site, for a made-up history. */
#include "site_test.h"
#include <math.h>
#include <sqlite3.h>

enum { COMMITS = 50 };

static int make_history(void **unused)
{
    return make_site_history(&(synthetic_options){.commits = COMMITS, .ops = 4, .noise = 0.004, .plant = 1});
}

static void the_data_is_of_the_whole_history(void **unused)
{
    dashboard_summary summary;
    assay_error error = {0};
    assert_int_equal(write_site(out, NULL, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.ops, 4);
    assert_int_equal(summary.commits, COMMITS);
    assert_int_equal(summary.series, 4 * 84);
    assert_int_equal(summary.points, 4 * 84 * COMMITS);
    assert_int_equal(summary.pages, 3 + 4);
}

/* The object that a data script assigns: "assay.NAME = OBJECT;". */
static json_t *read_script(const char *name)
{
    char *text = read_file(out, name);
    char *value = strstr(text, " = "), *end = strrchr(text, ';');
    assert_non_null(value);
    assert_non_null(end);
    *end = '\0';
    json_error_t error;
    json_t *object = json_loads(value + 3, 0, &error);
    if (object == NULL)
        fail_msg("%s: %s", name, error.text);
    free(text);
    return object;
}

static const json_t *find_series(const json_t *op, const char *variant, const char *dtype, const char *size)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(op, "series"), i, one)
    {
        if (strcmp(json_get_text(one, "variant", ""), variant) == 0 &&
            strcmp(json_get_text(one, "dtype", ""), dtype) == 0 &&
            strcmp(json_get_text(one, "size", ""), size) == 0)
            return one;
    }
    fail_msg("no series %s %s %s", variant, dtype, size);
    return NULL;
}

/* The usual one is "", others are told by how they begin: an earlier one goes on with its versions. */
static int is_method(const char *said, const char *method)
{
    return method[0] ? strncmp(said, method, strlen(method)) == 0 : said[0] == '\0';
}

/* v1_baseline f32 small and its baseline take 8 us, by whatever method on top of that. */
static const json_t *find_trend(const json_t *op, const char *mode, const char *method)
{
    size_t i;
    const json_t *one, *found = NULL;
    json_array_foreach(json_object_get(op, "series"), i, one)
    {
        if (strcmp(json_get_text(one, "variant", ""), "v1_baseline") != 0 ||
            strcmp(json_get_text(one, "dtype", ""), "f32") != 0 ||
            strcmp(json_get_text(one, "size", ""), "small") != 0 ||
            strcmp(json_get_text(one, "mode", ""), mode) != 0 ||
            !is_method(json_get_text(one, "method", "?"), method))
            continue;
        assert_null(found);
        found = one;
    }
    if (found == NULL)
        fail_msg("no %s trend '%s'", mode, method);
    return found;
}

/* All injected changes that three runs confirm are in the data, at their commits, and nothing else is. */
static void injected_changes_are_in_the_data(void **unused)
{
    json_t *op = read_script("data/op-gelu.js");
    const json_t *changes = json_object_get(find_series(op, "v3_coalesced", "f32", "small"), "changes");
    assert_int_equal(json_array_size(changes), 2);
    const int expected[] = {15, 28}; /* 30 and 55 of a hundred: the first commits at or after 15 and 27.5 */
    for (int i = 0; i < 2; i++)
        assert_int_equal(json_integer_value(json_array_get(json_array_get(changes, (size_t)i), 0)),
                         expected[i]);
    json_decref(op);
    int count = 0;
    size_t i;
    const json_t *one;
    op = read_script("data/op-layernorm.js");
    json_array_foreach(json_object_get(op, "series"), i, one)
    {
        changes = json_object_get(one, "changes");
        const int injected = strcmp(json_get_text(one, "kind", ""), "variant") == 0;
        assert_int_equal(json_array_size(changes), injected);
        if (injected)
            assert_in_range(json_integer_value(json_array_get(json_array_get(changes, 0), 0)), 39, 41);
        count += injected;
    }
    assert_int_equal(count, 60);
    json_decref(op);
}

static void statuses_and_reasons_are_kept(void **unused)
{
    json_t *op = read_script("data/op-conv2d.js");
    const json_t *one = find_series(op, "v1_baseline", "f16", "xlarge");
    const char *statuses = json_get_text(one, "status", "");
    assert_int_equal(strlen(statuses), COMMITS);
    assert_int_equal(statuses[COMMITS - 1], 'n');
    assert_int_equal(statuses[COMMITS - 2], 'o');
    assert_true(json_is_null(json_array_get(json_object_get(one, "mean"), COMMITS - 1)));
    assert_string_equal(json_get_text(one, "reason", ""), "the verdict is <b>fail</b> & \"no\"");
    json_decref(op);
    op = read_script("data/op-gelu.js");
    one = find_series(op, "baseline_torch_eager", "bf16", "small");
    assert_int_equal(json_get_text(one, "status", "")[0], 'x');
    one = find_series(op, "v4_optimized", "bf16", "small"); /* its only baseline has no time */
    assert_true(json_is_null(json_object_get(one, "speedup")));
    one = find_series(op, "v4_optimized", "f32", "small");
    assert_true(json_get_number(one, "speedup", NAN) > 1.0);
    json_decref(op);
}

/* The kernels' process has a launch overhead of 4 us, that of the baselines one of `baseline_us`. Times of baselines are to be taken as `more_us`
 * more. */
static void check_correction(const char *baseline_us, double more_us)
{
    char overheads[400];
    snprintf(overheads, sizeof overheads,
             "UPDATE timing SET overhead_us = CASE (SELECT c.kind FROM result r JOIN test_case c"
             " ON c.id = r.case_id WHERE r.id = result_id) WHEN 'baseline' THEN %s ELSE 4.0 END",
             baseline_us);
    dashboard_summary summary;
    assay_error error = {0};
    sqlite3 *db = NULL;
    char before[sizeof out];
    json_t *op = read_script("data/op-gelu.js");
    const json_t *one = find_series(op, "v4_optimized", "f32", "small"),
                 *means = json_object_get(one, "mean");
    const double own_us = json_number_value(json_array_get(means, json_array_size(means) - 1));
    const double uncorrected = json_get_number(one, "speedup", NAN);
    assert_true(own_us > 0.0 && uncorrected > 0.0);
    json_decref(op);
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, overheads, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    snprintf(before, sizeof before, "%s", out);
    snprintf(out, sizeof out, "%s/corrected", folder);
    assert_int_equal(write_site(out, NULL, &summary, &error), ASSAY_OK);
    op = read_script("data/op-gelu.js");
    const double corrected = json_get_number(find_series(op, "v4_optimized", "f32", "small"), "speedup", NAN);
    assert_true(fabs(corrected - uncorrected - more_us / own_us) < 2e-3 * fmin(corrected, 2.0));
    json_decref(op);
    snprintf(out, sizeof out, "%s", before);
}

static void baselines_of_another_process_are_corrected(void **unused)
{
    check_correction("3.0", 1.0);
    check_correction("3.5", 0.5);
    check_correction("3.95", 0.0); /* what they differ by and mean nothing */
}

enum { METHOD_COMMITS = 40 };

static void check_trend(const json_t *op, const char *mode, const char *method, int first, double us,
                        double speedup)
{
    const json_t *one = find_trend(op, mode, method), *commits = json_object_get(one, "commit"), *value;
    size_t i;
    json_array_foreach(commits, i, value)
    {
        assert_int_equal(json_integer_value(value), first + (json_int_t)i);
        assert_true(fabs(json_number_value(json_array_get(json_object_get(one, "mean"), i)) / us - 1) < 0.02);
    }
    assert_int_equal(json_array_size(json_object_get(one, "changes")), 0);
    assert_true(fabs(json_get_number(one, "speedup", NAN) / speedup - 1) < 0.03);
}

static void check_trends_by_method(const json_t *op)
{
    for (int i = 0; i < SYNTHETIC_RUNS; i++) {
        const synthetic_run *run = &synthetic_runs[i];
        const int first = run->first * METHOD_COMMITS / 100, last = run->last * METHOD_COMMITS / 100;
        check_trend(op, "cold", run->label, first, 8.0 * run->cold + run->longer_us, run->baseline);
        assert_int_equal(json_array_size(json_object_get(find_trend(op, "cold", run->label), "commit")),
                         last - first);
    }
    /* A flush says nothing of hot times. */
    check_trend(op, "hot", "", 20, 6.0, 1.0);
    check_trend(op, "hot", "earlier method", 0, 6.0, 1.0);
    assert_int_equal(json_array_size(json_object_get(find_trend(op, "hot", ""), "commit")),
                     METHOD_COMMITS / 2);
    check_trend(op, "hot", "clock locked at 1500 MHz", 32, 6.0 * 1.3, 1.0);
}

static void check_overview_by_method(const json_t *overview)
{
    int rows[SYNTHETIC_RUNS] = {0};
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(json_array_get(overview, 0), "rows"), i, row)
    {
        assert_string_equal(json_string_value(json_array_get(row, 4)), "cold");
        for (int run = 0; run < SYNTHETIC_RUNS; run++)
            rows[run] += is_method(json_string_value(json_array_get(row, 6)), synthetic_runs[run].label);
    }
    assert_int_equal(i, 84 * SYNTHETIC_RUNS);
    for (int run = 0; run < SYNTHETIC_RUNS; run++)
        assert_int_equal(rows[run], 84);
}

/* Another mode stands for a case that has no cold time, by every method that is one for that mode. */
static void check_overview_without_cold(void)
{
    sqlite3 *db = NULL;
    assay_error error = {0};
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM timing WHERE mode = 'cold'", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(write_site(out, NULL, NULL, &error), ASSAY_OK);
    json_t *overview = read_script("data/overview.js");
    assert_int_equal(json_array_size(json_object_get(json_array_get(overview, 0), "rows")), 3 * 84);
    json_decref(overview);
}

/* Kernels that stay as they are, measured in four ways: a trend each, no change in or between them, and speedups over baselines that were
 * measured in the same way. */
static void methods_are_trends_of_their_own(void **unused)
{
    const synthetic_options options = {.commits = METHOD_COMMITS, .ops = 1, .noise = 0.004, .methods = 1};
    char before[2][sizeof out];
    dashboard_summary summary;
    assay_error error = {0};
    snprintf(before[0], sizeof before[0], "%s", database);
    snprintf(before[1], sizeof before[1], "%s", out);
    snprintf(database, sizeof database, "%s/methods.db", folder);
    snprintf(out, sizeof out, "%s/methods", folder);
    assert_int_equal(synthetic_write(database, &options, &error), ASSAY_OK);
    assert_int_equal(write_site(out, NULL, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.series, 84 * (SYNTHETIC_RUNS + 3));
    assert_int_equal(summary.points, 84 * (20 + 20 + 10 + 8 + METHOD_COMMITS + 8));
    assert_int_equal(summary.changes, 0);
    json_t *op = read_script("data/op-add.js"), *overview = read_script("data/overview.js");
    check_trends_by_method(op);
    check_overview_by_method(overview);
    json_decref(op);
    json_decref(overview);
    check_overview_without_cold();
    snprintf(database, sizeof database, "%s", before[0]);
    snprintf(out, sizeof out, "%s", before[1]);
}

/* A static metric has one value where it never changes, and two where kernels begin to spill. */
static void static_metrics_are_kept_where_they_change(void **unused)
{
    json_t *op = read_script("data/op-layernorm.js");
    const json_t *list = json_object_get(find_series(op, "v2_tiling", "f32", "large"), "static"), *one;
    size_t i;
    int seen = 0;
    assert_int_equal(json_array_size(list), 4);
    json_array_foreach(list, i, one)
    {
        const char *key = json_string_value(json_array_get(one, 0));
        const json_t *values = json_array_get(one, 1);
        if (strcmp(key, "resources.spill_bytes") == 0) {
            assert_int_equal(json_array_size(values), 2);
            assert_int_equal(json_integer_value(json_array_get(json_array_get(values, 0), 1)), 0);
            assert_int_equal(json_integer_value(json_array_get(json_array_get(values, 1), 0)), 40);
            assert_int_equal(json_integer_value(json_array_get(json_array_get(values, 1), 1)), 96);
            seen++;
        } else if (strcmp(key, "resources.arch") == 0) {
            assert_int_equal(json_array_size(values), 1);
            assert_string_equal(json_string_value(json_array_get(json_array_get(values, 0), 1)), "sm_90a");
            seen++;
        }
    }
    assert_int_equal(seen, 2);
    assert_int_equal(
        json_array_size(json_object_get(find_series(op, "baseline_copy", "f32", "large"), "static")), 0);
    json_decref(op);
}

static void the_overview_has_a_row_a_case_and_no_samples(void **unused)
{
    json_t *overview = read_script("data/overview.js"), *site = read_script("data/site.js");
    assert_int_equal(json_array_size(overview), 4);
    assert_int_equal(json_array_size(json_object_get(site, "commits")), COMMITS);
    assert_int_equal(json_array_size(json_object_get(site, "setups")), 2); /* the driver changed on the way */
    size_t i, j;
    const json_t *group, *row;
    json_array_foreach(overview, i, group)
    {
        assert_int_equal(json_array_size(json_object_get(group, "rows")), 84);
        json_array_foreach(json_object_get(group, "rows"), j, row)
        {
            assert_int_equal(json_array_size(row), 18);
            assert_string_equal(json_string_value(json_array_get(row, 6)), ""); /* the usual method */
            assert_int_equal(strlen(json_string_value(json_array_get(row, 16))), COMMITS);
        }
    }
    char *text = read_file(out, "data/overview.js");
    assert_true(strlen(text) < 4 * 84 * 300);
    free(text);
    json_decref(overview);
    json_decref(site);
}

static void the_same_history_gives_the_same_bytes(void **unused)
{
    static const char *const names[] = {"index.html", "environment.html", "data/site.js", "data/overview.js",
                                        "data/op-add.js"};
    char again[400];
    assay_error error = {0};
    snprintf(again, sizeof again, "%s/again", folder);
    assert_int_equal(write_site(again, NULL, NULL, &error), ASSAY_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *first = read_file(out, names[i]), *second = read_file(again, names[i]);
        assert_string_equal(first, second);
        free(first);
        free(second);
    }
}

static void filters_leave_results_out(void **unused)
{
    char few[400];
    const history_filter filter = {.ops = "add", .dtypes = "f32", .kinds = "variant"};
    const dashboard_options options = {.filter = &filter};
    dashboard_summary summary;
    assay_error error = {0};
    snprintf(few, sizeof few, "%s/few", folder);
    assert_int_equal(write_site(few, &options, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.ops, 1);
    assert_int_equal(summary.series, 5 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_is_of_the_whole_history),
        cmocka_unit_test(injected_changes_are_in_the_data),
        cmocka_unit_test(statuses_and_reasons_are_kept),
        cmocka_unit_test(static_metrics_are_kept_where_they_change),
        cmocka_unit_test(the_overview_has_a_row_a_case_and_no_samples),
        cmocka_unit_test(the_same_history_gives_the_same_bytes),
        cmocka_unit_test(filters_leave_results_out),
        cmocka_unit_test(baselines_of_another_process_are_corrected),
        cmocka_unit_test(methods_are_trends_of_their_own),
    };
    return cmocka_run_group_tests(tests, make_history, remove_site);
}

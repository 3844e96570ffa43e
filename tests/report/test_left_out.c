/* What may not stand in one table is not read into it, and is named with what differs. */
#include "tests/unit.h"
#include "fixture.h"
#include "report/report.h"
#include "report/report_rows.h"
#include "report/report_load.h"

static char *table_text(const fixture *f)
{
    assay_error error = {0};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (report_table(f->ws, NULL, NULL, NULL, 1, out, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fputs(text, stderr); /* cmocka cuts its messages */
        fail_msg("no '%s' there", part);
    }
}

/* v1 and a baseline of today beside v4, which differs from them as `other` says and would be the fastest by
 * far. */
static void check(const fixture_case *other, const char *expected)
{
    fixture f;
    report_model model;
    report_rows rows;
    assay_error error = {0};
    const report_options no_plots = {.no_plots = 1};
    const fixture_case
        v1 = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 8},
        baseline = {.op = "scale", .name = "baseline_a", .dtype = "f32", .size = "small", .cold_us = 9};
    fixture_case v4 = *other;
    v4.op = "scale", v4.name = "v4_optimized", v4.dtype = "f32", v4.size = "small", v4.cold_us = 2;
    v4.time = "2026-01-30T12:00:00Z"; /* older than the others */
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &v1);
    fixture_verdict(&f, &v1, "pass", "", NULL);
    fixture_result(&f, &baseline);
    fixture_result(&f, &v4);
    assert_int_equal(report_model_read(f.ws, NULL, &model, &error), ASSAY_OK);
    report_rows_build(&model, 0, 0, TIMING_COLD, &rows);
    assert_string_equal(rows.row[rows.best].name, "v1_baseline");
    assert_true(rows.row[rows.best].speedup > 1.12 && rows.row[rows.best].speedup < 1.13);
    assert_null(report_find(&model, 0, 0, RESULT_VARIANT, "v4_optimized", 0)->result);
    report_model_release(&model);
    char *text = table_text(&f);
    assert_has(text, expected);
    assert_has(text, "* v1_baseline");
    assert_int_equal(report_write(f.ws, NULL, &no_plots, NULL, &error), ASSAY_OK);
    char *log = fixture_read(&f, "logs/scale_log.md"), *summary = fixture_read(&f, "logs/summary.md");
    assert_has(log, expected);
    assert_has(summary, expected);
    free(text);
    free(log);
    free(summary);
    fixture_close(&f);
}

static void another_problem_is_left_out(void **state)
{
    check(&(fixture_case){.m = 1024},
          "1 result of scale at small not shown: dimensions M=1024 N=256 instead of M=256 N=256");
    check(&(fixture_case){.reference = "1234567890abcdef"},
          "1 result of scale at small not shown: reference.c 12345678 instead of ");
    check(&(fixture_case){.op_json = "fedcba0987654321"},
          "1 result of scale at small not shown: op.json fedcba09 instead of ");
}

/* What does not say of which op.json it is may be of any. */
static void what_names_no_problem_is_left_out(void **state)
{
    check(&(fixture_case){.op_json = ""},
          "1 result of scale at small not shown: op.json unknown instead of ");
}

static void another_machine_is_left_out(void **state)
{
    check(&(fixture_case){.host = "node2"},
          "1 result not shown: host node2, 16 x Example processor instead of node1");
    check(&(fixture_case){.uuid = "GPU-1111"}, "1 result not shown: card UUID GPU-1111 instead of GPU-0000");
    check(&(fixture_case){.driver = "570.9"},
          "1 result not shown: driver 570.9 runtime 13.0 instead of 580.1");
}

static void another_method_is_left_out(void **state)
{
    check(&(fixture_case){.flush = "read"}, "flush by read instead of ");
    check(&(fixture_case){.locked_mhz = 1500}, "clock locked at 1500 MHz instead of ");
    check(&(fixture_case){.method_version = -1}, "1 result not shown: method version 0");
}

/* Results of an earlier method are not read into tables, though all are of it and none is newer. */
static void an_earlier_method_alone_is_left_out_too(void **state)
{
    fixture f;
    const fixture_case old = {.op = "scale",
                              .name = "v1_baseline",
                              .dtype = "f32",
                              .size = "small",
                              .cold_us = 8,
                              .method_version = -1};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &old);
    fixture_verdict(&f, &old, "pass", "", NULL);
    char *text = table_text(&f);
    assert_has(text, "0 timed.");
    assert_has(text, "1 result not shown: method version 0");
    free(text);
    fixture_close(&f);
}

/* The reference or op.json changed after the verdict, or nobody knows which it was: it is no pass. */
static void expect_no_pass(const char *reference, const char *op_json, const char *says)
{
    fixture f;
    report_summary summary;
    assay_error error = {0};
    const report_options no_plots = {.no_plots = 1};
    const fixture_case c = {.op = "scale",
                            .name = "v1_baseline",
                            .dtype = "f32",
                            .size = "small",
                            .reference = reference,
                            .op_json = op_json};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &c, "pass", "", NULL);
    assert_int_equal(report_write(f.ws, NULL, &no_plots, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.verified, 0);
    char *text = fixture_read(&f, "logs/summary.md");
    assert_has(text, says);
    free(text);
    report_summary_release(&summary);
    fixture_close(&f);
}

static void a_verdict_of_another_problem_is_no_pass(void **state)
{
    expect_no_pass("1234567890abcdef", NULL,
                   "1 verdict of scale at small not shown: of another or an unknown reference.c; `assay");
    expect_no_pass(NULL, "",
                   "1 verdict of scale at small not shown: of another or an unknown op.json; `assay");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_problem_is_left_out),
        cmocka_unit_test(what_names_no_problem_is_left_out),
        cmocka_unit_test(another_machine_is_left_out),
        cmocka_unit_test(another_method_is_left_out),
        cmocka_unit_test(an_earlier_method_alone_is_left_out_too),
        cmocka_unit_test(a_verdict_of_another_problem_is_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

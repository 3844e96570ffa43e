/* What a run leaves behind: lines, exit statuses, verdict JSON. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "verify/summary.h"
#include "verify/verdict.h"
#include <math.h>

static void exit_statuses_do_not_overlap(void **state)
{
    assert_int_equal(verify_summary_exit(&(verify_summary){.passed = 3}), 0);
    assert_int_equal(verify_summary_exit(&(verify_summary){.passed = 3, .skipped = 1}), 0);
    assert_int_equal(verify_summary_exit(&(verify_summary){.skipped = 2}), 77);
    assert_int_equal(verify_summary_exit(&(verify_summary){.passed = 500, .failed = 256}), 1);
    assert_int_equal(verify_summary_exit(&(verify_summary){.passed = 1, .errors = 1, .error_exit = 3}), 3);
    assert_int_equal(verify_summary_exit(&(verify_summary){.failed = 1, .errors = 1, .error_exit = 2}), 1);
    assert_int_equal(verify_summary_exit(&(verify_summary){.failed = 1, .interrupted = 1}), 130);
}

static const assay_device_info device = {.kind = "cpu", .name = "test", .slug = "cpu-simt"};

/* A report of one item over a 3 x 4 output with a mismatch that JSON cannot hold as a number. */
static void make_report(check_report *report)
{
    *report = (check_report){
        .verdict = CHECK_FAIL, .reason = "first contents: wrong", .item_count = 1, .deterministic = -1};
    check_item *item = &report->items[0];
    item->name = "first contents";
    strcpy(item->reason, "wrong");
    item->elements = 12;
    item->shape = (assay_tensor){.rank = 2, .shape = {3, 4}};
    item->compared.mismatches = 1;
    item->compared.first[0] = (compare_mismatch){.index = 6, .got = NAN, .expected = 2.5};
    item->compared.worst_ratio = INFINITY;
    item->compared.tolerance = (opspec_tolerance){1e-5, 1e-5, 2e-6, 0};
}

static json_t *make_verdict(void)
{
    static opspec spec = {.name = "op", .input_count = 1, .output_count = 1};
    check_report report;
    strcpy(spec.inputs[0].name, "x");
    strcpy(spec.inputs[0].distribution, "normal");
    strcpy(spec.outputs[0].name, "out");
    const opspec_dims dims = {.count = 1, .dim = {{"M", 3}}};
    const verdict_subject about = {"op", "v1", "small", ASSAY_BF16, &device, "abc", 7};
    json_t *verdict = verdict_create(&about, NULL, &dims, &spec);
    make_report(&report);
    verdict_add_report(verdict, "", &report, 1, &spec);
    verdict_finish(verdict, "fail", report.reason, 0.5);
    return verdict;
}

static void verdicts_are_strict_json_with_every_key(void **state)
{
    static const char *const keys[] = {"schema",  "op",     "variant",       "dtype",        "size",
                                       "dims",    "device", "source_sha256", "status",       "reason",
                                       "seconds", "inputs", "checks",        "deterministic"};
    json_t *verdict = make_verdict();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(verdict, keys[i]));
    const json_t *check = json_array_get(json_object_get(verdict, "checks"), 0);
    assert_true(json_is_null(json_object_get(check, "worst_ratio")));
    const json_t *mismatch = json_array_get(json_object_get(check, "mismatches"), 0);
    assert_true(json_is_null(json_object_get(mismatch, "got")));
    assert_int_equal(json_integer_value(json_array_get(json_object_get(mismatch, "index"), 0)), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(mismatch, "index"), 1)), 2);
    assert_string_equal(json_get_text(verdict, "dtype", ""), "bf16");
    char *text = json_dumps(verdict, 0);
    assert_non_null(text);
    assert_null(strstr(text, "NaN"));
    free(text);
    json_decref(verdict);
}

static void one_problem_that_varies_makes_a_case_not_deterministic(void **state)
{
    static const opspec spec = {.output_count = 1};
    json_t *verdict = make_verdict();
    check_report report = {.deterministic = 1};
    (void)check_begin(&report, CHECK_REPEAT);
    verdict_add_report(verdict, "a", &report, 1, &spec);
    assert_true(json_is_true(json_object_get(verdict, "deterministic")));
    report.deterministic = 0;
    verdict_add_report(verdict, "b", &report, 1, &spec);
    report.deterministic = 1;
    verdict_add_report(verdict, "c", &report, 1, &spec);
    assert_true(json_is_false(json_object_get(verdict, "deterministic")));
    json_decref(verdict);
}

/* An extra that a kernel does not claim: what failed of it says so, is counted, and is in the line of a pass. */
static void extras_are_counted_apart(void **state)
{
    static const opspec spec = {.output_count = 1};
    json_t *verdict = make_verdict();
    check_report failed, passed = {.deterministic = -1};
    make_report(&failed);
    failed.items[0].compared.max_ulp = 1e9;
    check_begin(&passed, CHECK_FIRST_CONTENTS)->passed = 1;
    json_array_clear(json_object_get(verdict, "checks"));
    verdict_add_report(verdict, "huge", &failed, 0, &spec);
    verdict_add_extra(verdict, "overflowing_squares", 0, "huge", &failed);
    verdict_add_report(verdict, "huge_odd", &passed, 0, &spec);
    verdict_add_extra(verdict, "overflowing_squares", 0, "huge_odd", &passed);
    const json_t *checks = json_object_get(verdict, "checks"),
                 *extra = json_object_get(json_object_get(verdict, "extras"), "overflowing_squares");
    assert_true(json_is_false(json_object_get(json_array_get(checks, 0), "required")));
    assert_null(json_object_get(json_array_get(checks, 1), "required"));
    assert_true(json_is_false(json_object_get(extra, "claimed")));
    assert_int_equal(json_integer_value(json_object_get(extra, "failed")), 1);
    assert_int_equal(json_integer_value(json_object_get(extra, "passed")), 1);
    assert_string_equal(json_get_text(extra, "reason", ""), "edge case huge, first contents: wrong");
    char line[512];
    verdict_finish(verdict, "pass", "", 0.5);
    summary_format("op.v1.bf16.edge", verdict, line, sizeof line);
    assert_string_equal(line, "PASS op.v1.bf16.edge 12 elements, max ulp 0, 0.50 s; not met and not claimed: "
                              "overflowing_squares (1 case)");
    json_object_set_new((json_t *)extra, "claimed", json_true());
    summary_format("op.v1.bf16.edge", verdict, line, sizeof line);
    assert_null(strstr(line, "not claimed"));
    json_decref(verdict);
}

static void add_case(verify_summary *summary, const char *name, const char *status, int unsupported)
{
    json_t *verdict = json_pack("{s:s, s:s, s:f}", "status", status, "reason", "r", "seconds", 1.0);
    if (unsupported)
        json_object_set_new(verdict, "unsupported", json_true());
    summary_add_verdict(summary, name, verdict, 1);
    json_decref(verdict);
}

static void refusing_some_cases_fails_a_kernel(void **state)
{
    verify_summary summary = {.cases = json_array()};
    add_case(&summary, "op.v1.f32.small", "pass", 0);
    add_case(&summary, "op.v1.f32.large", "skipped", 0); /* not enough memory */
    add_case(&summary, "op.v1.f16.small", "skipped", 1); /* the whole dtype */
    add_case(&summary, "op.v10.f32.small", "skipped", 1);
    summary_fail_partly_refused(&summary, 1);
    assert_int_equal(summary.failed, 0);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_OK);
    add_case(&summary, "op.v1.f32.edge", "skipped", 1);
    add_case(&summary, "op.v1.f32.medium", "skipped", 1);
    summary_fail_partly_refused(&summary, 1);
    assert_int_equal(summary.failed, 1); /* once for the kernel */
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_CHECK);
    const json_t *last = json_array_get(summary.cases, json_array_size(summary.cases) - 1);
    assert_string_equal(json_get_text(last, "name", ""), "op.v1.f32");
    assert_string_equal(
        json_get_text(last, "reason", ""),
        "not verified: it refuses op.v1.f32.edge as unsupported and computes op.v1.f32.small");
    verify_summary_release(&summary);
}

/* A ninth check once wrote behind the items of a report. */
static void a_report_has_room_for_every_check(void **state)
{
    check_report report = {.item_count = 0};
    assert_int_equal(sizeof report.items / sizeof *report.items, CHECK_KINDS);
    for (int kind = 0; kind < CHECK_KINDS; kind++) {
        const check_item *item = check_begin(&report, (check_kind)kind);
        for (int other = 0; other < kind; other++)
            assert_string_not_equal(item->name, report.items[other].name);
    }
    assert_int_equal(report.item_count, CHECK_KINDS);
}

static void lines_say_what_happened(void **state)
{
    char line[512];
    json_t *verdict = make_verdict();
    summary_format("op.v1.bf16.small", verdict, line, sizeof line);
    assert_string_equal(line, "FAIL op.v1.bf16.small: first contents: wrong");
    verdict_finish(verdict, "pass", "", 0.42);
    json_object_set_new(json_array_get(json_object_get(verdict, "checks"), 0), "max_ulp", json_integer(1));
    summary_format("op.v1.bf16.small", verdict, line, sizeof line);
    assert_string_equal(line, "PASS op.v1.bf16.small 12 elements, max ulp 1, 0.42 s");
    verdict_finish(verdict, "skipped", "not enough memory", 0);
    summary_format("op.v1.bf16.small", verdict, line, sizeof line);
    assert_string_equal(line, "SKIP op.v1.bf16.small: not enough memory");
    verdict_finish(verdict, "timeout", "timed out after 120 s", 120);
    summary_format("op.v1.bf16.small", verdict, line, sizeof line);
    assert_string_equal(line, "FAIL op.v1.bf16.small (timeout): timed out after 120 s");
    json_decref(verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_statuses_do_not_overlap),
        cmocka_unit_test(verdicts_are_strict_json_with_every_key),
        cmocka_unit_test(one_problem_that_varies_makes_a_case_not_deterministic),
        cmocka_unit_test(extras_are_counted_apart),
        cmocka_unit_test(refusing_some_cases_fails_a_kernel),
        cmocka_unit_test(a_report_has_room_for_every_check),
        cmocka_unit_test(lines_say_what_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

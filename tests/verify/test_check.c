/* The sequence of runs, its guards and the sampled check, on kernels written in C: what each misdeed is called. */
#include "tests/unit.h"
#include "fake_op.h"
#include "verify/sampled.h"
#include <math.h>

static check_report judge(assay_status (*kernel)(const fake_args *, assay_stream), int64_t rows,
                          int64_t columns)
{
    check_subject subject;
    check_report report;
    assay_error error = {0};
    const assay_problem problem = fake_problem(rows, columns);
    const check_options options = {.seed = 3};
    fake_open(&subject, (assay_run_fn)(void (*)(void))kernel);
    assert_int_equal(check_problem(&subject, &problem, &options, &report, &error), ASSAY_OK);
    fake_close(&subject);
    return report;
}

static void fails_with(assay_status (*kernel)(const fake_args *, assay_stream), const char *fragment)
{
    const check_report report = judge(kernel, 7, 9);
    assert_int_equal(report.verdict, CHECK_FAIL);
    if (!strstr(report.reason, fragment))
        print_message("got: %s\n", report.reason);
    assert_non_null(strstr(report.reason, fragment));
    assert_false(report.items[report.item_count - 1].passed);
}

static assay_status right(const fake_args *args, assay_stream stream)
{
    return fake_double(args);
}

static void a_right_kernel_passes_every_run(void **state)
{
    const check_report report = judge(right, 7, 9);
    static const char *const names[] = {
        "first contents",         "other contents",      "repeat",
        "over its own result",    "over the old result", "a few elements changed",
        "at the start of a page", "whole device"};
    assert_int_equal(report.verdict, CHECK_PASS);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.deterministic, 1);
    assert_int_equal(report.item_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(report.items[i].name, names[i]);
        assert_true(report.items[i].passed);
        assert_int_equal(report.items[i].elements, i < 7 ? 63 : 0);
    }
}

static void an_empty_problem_passes(void **state)
{
    assert_int_equal(judge(right, 0, 9).verdict, CHECK_PASS);
}

static assay_status nothing(const fake_args *args, assay_stream stream)
{
    return ASSAY_OK;
}

static assay_status past_the_end(const fake_args *args, assay_stream stream)
{
    args->out[args->rows * args->columns] = 1; /* 252 bytes of 256: the last four are fence */
    return fake_double(args);
}

static assay_status before_the_start(const fake_args *args, assay_stream stream)
{
    args->out[-3] = 1;
    return fake_double(args);
}

static assay_status past_the_workspace(const fake_args *args, assay_stream stream)
{
    memset(args->workspace, 1, (size_t)args->workspace_bytes + 1);
    return fake_double(args);
}

static assay_status input_changed(const fake_args *args, assay_stream stream)
{
    const assay_status status = fake_double(args);
    ((float *)args->x)[11] = 0;
    return status;
}

static assay_status only_once(const fake_args *args, assay_stream stream)
{
    static int calls;
    return calls++ % 2 == 0 ? fake_double(args) : ASSAY_OK;
}

static assay_status always_the_same(const fake_args *args, assay_stream stream)
{
    static float kept[63];
    static int filled;
    if (!filled++) {
        fake_double(args);
        memcpy(kept, args->out, sizeof kept);
    }
    memcpy(args->out, kept, sizeof kept);
    return ASSAY_OK;
}

static assay_status refuses_wrongly(const fake_args *args, assay_stream stream)
{
    return ASSAY_ERR_DEVICE;
}

static assay_status copies_nan_from_the_zone(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    args->out[0] = args->x[-1];
    return ASSAY_OK;
}

static assay_status uses_the_workspace_as_it_is(const fake_args *args, assay_stream stream)
{
    float dirty;
    fake_double(args);
    memcpy(&dirty, args->workspace, sizeof dirty);
    args->out[5] += dirty;
    return ASSAY_OK;
}

/* Marks in the workspace what it has computed, by a look at one input. */
static assay_status trusts_its_mark(const fake_args *args, assay_stream stream)
{
    if (memcmp(args->workspace, args->x, sizeof *args->x) == 0)
        return ASSAY_OK;
    memcpy(args->workspace, args->x, sizeof *args->x);
    return fake_double(args);
}

/* The contents are those of the run before, whose output was right. */
static assay_status wrong_when_repeated(const fake_args *args, assay_stream stream)
{
    static int calls;
    fake_double(args);
    args->out[62] += ++calls == 3 ? 1.0f : 0.0f;
    return ASSAY_OK;
}

static void misdeeds_are_called_by_their_names(void **state)
{
    fails_with(nothing, "first contents: 63 of 63 elements of out were never written");
    fails_with(past_the_end,
               "out of bounds: wrote 4 bytes past the end of output out, the nearest 1 bytes away");
    fails_with(before_the_start,
               "out of bounds: wrote 4 bytes before the start of output out, the nearest 9 bytes away");
    fails_with(past_the_workspace, "out of bounds: wrote 1 bytes past the end of the workspace");
    fails_with(input_changed, "the kernel modified its input x, first at element 11");
    fails_with(only_once, "other contents: 63 of 63 elements of out were never written");
    fails_with(always_the_same, "other contents: ");
    fails_with(wrong_when_repeated, "repeat: 1 of 63 elements of out are out of tolerance, first at [6, 8]");
    fails_with(trusts_its_mark, "over its own result: ");
    fails_with(refuses_wrongly, "the kernel returned an error: ");
    fails_with(copies_nan_from_the_zone, "1 of them NaN or infinity out of place, first at [0, 0]");
    fails_with(uses_the_workspace_as_it_is, "1 of 63 elements of out are out of tolerance, first at [0, 5]");
}

static assay_status unsupported(const fake_args *args, assay_stream stream)
{
    return ASSAY_ERR_UNSUPPORTED;
}

static void unsupported_problems_are_skipped(void **state)
{
    const check_report report = judge(unsupported, 7, 9);
    assert_int_equal(report.verdict, CHECK_SKIPPED);
    assert_int_equal(report.unsupported, 1);
}

static assay_status varies_within_tolerance(const fake_args *args, assay_stream stream)
{
    static int calls;
    fake_double(args);
    args->out[0] += 1e-6f * (float)(calls++ % 3);
    return ASSAY_OK;
}

static void varying_results_are_reported_and_pass(void **state)
{
    const check_report report = judge(varies_within_tolerance, 7, 9);
    assert_int_equal(report.verdict, CHECK_PASS);
    assert_int_equal(report.deterministic, 0);
}

static void problems_beyond_memory_are_skipped_with_need_and_have(void **state)
{
    const check_report report = judge(right, INT64_C(1) << 22, INT64_C(1) << 22);
    assert_int_equal(report.verdict, CHECK_SKIPPED);
    assert_int_equal(report.unsupported, 0);
    assert_non_null(strstr(report.reason, "not enough memory: needs "));
    assert_non_null(strstr(report.reason, "MiB free"));
}

static assay_status one_row_is_zero(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    memset(args->out + 517 * args->columns, 0, (size_t)args->columns * sizeof *args->out);
    return ASSAY_OK;
}

static assay_status a_tile_is_missing(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    for (int64_t i = 512; i < 576; i++)
        memset(args->out + i * args->columns + 64, 0, 64 * sizeof *args->out);
    return ASSAY_OK;
}

static assay_status last_element_is_off(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    args->out[args->rows * args->columns - 1] += 1e-3f;
    return ASSAY_OK;
}

static assay_status one_is_unwritten(const fake_args *args, assay_stream stream)
{
    float kept = args->out[600 * args->columns + 7];
    fake_double(args);
    args->out[600 * args->columns + 7] = kept;
    return ASSAY_OK;
}

/* Copies the result it kept where every 500th element of the input is as it was. */
static assay_status knows_contents_again(const fake_args *args, assay_stream stream)
{
    static float looked_at[600], kept[300000];
    const int64_t count = args->rows * args->columns;
    int known = count <= 300000;
    for (int64_t i = 0; known && i < count; i += 500)
        known = looked_at[i / 500] == args->x[i];
    if (known) {
        memcpy(args->out, kept, sizeof *kept * (size_t)count);
        return ASSAY_OK;
    }
    const assay_status status = fake_double(args);
    for (int64_t i = 0; i < count; i += 500)
        looked_at[i / 500] = args->x[i];
    memcpy(kept, args->out, sizeof *kept * (size_t)count);
    return status;
}

static void costly_ops_are_sampled(void **state)
{
    static const struct {
        assay_status (*kernel)(const fake_args *, assay_stream);
        const char *fragment;
    } wrong[] = {
        {one_row_is_zero, "1 of 1000 rows of out fail Freivalds' check, first row 517"},
        {a_tile_is_missing, "sampled rows: 128 of "},
        {last_element_is_off, "sampled rows: 1 of "},
        {one_is_unwritten, "1 of 300000 elements of out were never written"},
        {knows_contents_again, "over the old result: sampled rows: 2 of "},
    };
    fake_is_costly = 1;
    fake_residuals = 0;
    const check_report passed = judge(right, 1000, 300);
    assert_int_equal(passed.verdict, CHECK_PASS);
    assert_int_equal(fake_residuals, 3); /* once for each contents: the other runs left the same bytes */
    assert_true(passed.items[0].elements >= 4 * 300 && passed.items[0].elements < 300000);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const check_report report = judge(wrong[i].kernel, 1000, 300);
        assert_int_equal(report.verdict, CHECK_FAIL);
        if (!strstr(report.reason, wrong[i].fragment))
            print_message("got: %s\n", report.reason);
        assert_non_null(strstr(report.reason, wrong[i].fragment));
    }
    assert_int_equal(judge(right, 0, 300).verdict, CHECK_PASS);
    fake_is_costly = 0;
}

static void sampled_rows_are_sorted_distinct_and_hold_both_ends(void **state)
{
    int64_t rows[64];
    for (int64_t count = 1; count < 200; count += 13) {
        const int64_t kept = sampled_pick_rows(count, 64, 5, rows);
        assert_true(kept >= (count < 3 ? count : 2) && kept <= 64);
        assert_int_equal(rows[0], 0);
        assert_int_equal(rows[kept - 1], count - 1);
        for (int64_t i = 1; i < kept; i++)
            assert_true(rows[i] > rows[i - 1]);
    }
    assert_int_equal(sampled_pick_rows(0, 64, 5, rows), 0);
}

static void the_threshold_is_as_derived(void **state)
{
    const opspec_tolerance tolerance = {1e-3, 0.5, 1e-2, 0};
    const double relative = 0.5 + 0x1p-8,
                 norm = (4 * 1e-3 + relative * 10 + 1e-2 * sqrt(2.0 / 16) * 30) / (1 - relative);
    assert_true(fabs(sampled_threshold(&tolerance, ASSAY_BF16, 16, 10, 30) / (8.9 * norm) - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_kernel_passes_every_run),
        cmocka_unit_test(an_empty_problem_passes),
        cmocka_unit_test(misdeeds_are_called_by_their_names),
        cmocka_unit_test(unsupported_problems_are_skipped),
        cmocka_unit_test(varying_results_are_reported_and_pass),
        cmocka_unit_test(problems_beyond_memory_are_skipped_with_need_and_have),
        cmocka_unit_test(costly_ops_are_sampled),
        cmocka_unit_test(sampled_rows_are_sorted_distinct_and_hold_both_ends),
        cmocka_unit_test(the_threshold_is_as_derived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

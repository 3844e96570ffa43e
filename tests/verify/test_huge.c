/* The judgement of huge problems, with marks at 2^20 and 2^21 in place of 2^31 and 2^32 and kernels written in C: a kernel whose
 * indices wrap there is found out although it is right everywhere else. */
#include "tests/unit.h"
#include "fake_op.h"
#include "verify/huge.h"
#include "verify/periodic.h"

enum { ROWS = 2111, COLUMNS = 1009 }; /* a little more than 2^21 elements */
static const int64_t first_mark = INT64_C(1) << 20, second_mark = INT64_C(1) << 21;

static check_report judge_shape(assay_status (*kernel)(const fake_args *, assay_stream), int64_t rows,
                                int64_t columns)
{
    check_subject subject;
    check_report report;
    assay_error error = {0};
    const assay_problem problem = fake_problem(rows, columns);
    const huge_options options = {.seed = 3, .period_pages = 7, .marks = {first_mark, second_mark}};
    fake_open(&subject, (assay_run_fn)(void (*)(void))kernel);
    const assay_status status = huge_check(&subject, &problem, &options, &report, &error);
    if (status != ASSAY_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, ASSAY_OK);
    fake_close(&subject);
    return report;
}

static check_report judge(assay_status (*kernel)(const fake_args *, assay_stream))
{
    return judge_shape(kernel, ROWS, COLUMNS);
}

static void fails_with(assay_status (*kernel)(const fake_args *, assay_stream), const char *fragment)
{
    const check_report report = judge(kernel);
    assert_int_equal(report.verdict, CHECK_FAIL);
    if (!strstr(report.reason, fragment))
        print_message("got: %s\n", report.reason);
    assert_non_null(strstr(report.reason, fragment));
}

static assay_status right(const fake_args *args, assay_stream stream)
{
    return fake_double(args);
}

static void a_right_kernel_passes(void **state)
{
    const check_report report = judge(right);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.verdict, CHECK_PASS);
    assert_int_equal(report.item_count, 1);
    assert_true(report.items[0].passed);
    assert_int_equal(report.items[0].elements, 64 * COLUMNS);
}

/* The index of what is read, kept in so many bits. */
static assay_status wraps(const fake_args *args, int64_t mark)
{
    for (int64_t i = 0; i < args->rows * args->columns; i++)
        args->out[i] = 2.0f * args->x[i % mark];
    return ASSAY_OK;
}

static assay_status wraps_first(const fake_args *args, assay_stream stream)
{
    return wraps(args, first_mark);
}

static assay_status wraps_second(const fake_args *args, assay_stream stream)
{
    return wraps(args, second_mark);
}

static assay_status one_row_wrong(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    args->out[second_mark - 1] += 1.0f;
    return ASSAY_OK;
}

static assay_status stops_at_mark(const fake_args *args, assay_stream stream)
{
    for (int64_t i = 0; i < first_mark; i++)
        args->out[i] = 2.0f * args->x[i];
    return ASSAY_OK;
}

static assay_status past_the_start(const fake_args *args, assay_stream stream)
{
    args->out[-3] = 1.0f;
    return fake_double(args);
}

static assay_status modifies_input(const fake_args *args, assay_stream stream)
{
    fake_double(args);
    ((float *)args->x)[0] = 7.0f;
    return ASSAY_OK;
}

static void wrapping_indices_are_found(void **state)
{
    fails_with(wraps_first, "sampled rows");
    fails_with(wraps_second, "sampled rows");
    fails_with(one_row_wrong, "sampled rows");
}

static void what_is_never_written_is_found(void **state)
{
    fails_with(stops_at_mark, "were never written");
}

static void fences_and_inputs_are_checked(void **state)
{
    fails_with(past_the_start, "out of bounds");
    fails_with(modifies_input, "modified its input");
}

static assay_status refuses(const fake_args *args, assay_stream stream)
{
    return ASSAY_ERR_UNSUPPORTED;
}

static void refusing_is_a_skip(void **state)
{
    const check_report report = judge(refuses);
    assert_int_equal(report.verdict, CHECK_SKIPPED);
    assert_true(report.unsupported);
}

static void short_memory_is_a_skip_with_need_and_have(void **state)
{
    const check_report report = judge_shape(right, INT64_C(1) << 24, INT64_C(1) << 24);
    assert_int_equal(report.verdict, CHECK_SKIPPED);
    assert_non_null(strstr(report.reason, "needs 2097152.0 GiB, the device has "));
    assert_int_equal(report.item_count, 0);
}

static int has(const int64_t *rows, int count, int64_t row)
{
    for (int i = 0; i < count; i++)
        if (rows[i] == row)
            return 1;
    return 0;
}

/* Rows around the marks of the output, or at the same share where only an input is that large. */
static void rows_lie_around_marks(void **state)
{
    int64_t rows[64];
    assay_problem problem = fake_problem(ROWS, COLUMNS);
    const huge_options options = {.seed = 3, .period_pages = 7, .marks = {first_mark, second_mark}};
    int count = huge_pick_rows(&problem, &options, 64, rows);
    assert_int_equal(count, 64);
    assert_true(has(rows, count, 0) && has(rows, count, ROWS - 1));
    assert_true(has(rows, count, first_mark / COLUMNS) && has(rows, count, second_mark / COLUMNS));
    for (int i = 1; i < count; i++)
        assert_true(rows[i] > rows[i - 1]);
    problem.outputs[0].shape[1] = 1;
    count = huge_pick_rows(&problem, &options, 9, rows);
    assert_int_equal(count, 9);
    assert_true(has(rows, count, second_mark / COLUMNS) && has(rows, count, first_mark / COLUMNS));
    problem.outputs[0].shape[0] = 1;
    assert_int_equal(huge_pick_rows(&problem, &options, 9, rows), 1);
}

static void content_repeats(void **state)
{
    periodic array;
    assert_int_equal(periodic_open(1000003, 3, &array, NULL), ASSAY_OK);
    float *values = array.data;
    for (int64_t i = 0; i < array.period; i++)
        values[i] = (float)i;
    assert_true(array.period % 1024 == 0 && array.period < 1000003);
    for (int64_t i = 0; i < 1000003; i++)
        assert_true(values[i] == (float)(i % array.period));
    periodic_close(&array);
    assert_int_equal(periodic_open(5, 3, &array, NULL), ASSAY_OK);
    assert_int_equal(array.period, 5);
    periodic_close(&array);
    assert_int_equal(periodic_open(0, 3, &array, NULL), ASSAY_OK);
    assert_non_null(array.data);
    periodic_close(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_kernel_passes),
        cmocka_unit_test(wrapping_indices_are_found),
        cmocka_unit_test(what_is_never_written_is_found),
        cmocka_unit_test(fences_and_inputs_are_checked),
        cmocka_unit_test(refusing_is_a_skip),
        cmocka_unit_test(short_memory_is_a_skip_with_need_and_have),
        cmocka_unit_test(rows_lie_around_marks),
        cmocka_unit_test(content_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A reference by rows on several threads: the same values, and left to the op where rows do not pay. */
#include "tests/unit.h"
#include "core/process.h"
#include "core/parallel_for.h"
#include "verify/expected_output.h"
#include "verify/expected_rows.h"
#include <stdatomic.h>

enum { ROWS = 1000, COLUMNS = 2000 };

static atomic_int rows_done, row_spins_ms, broken_row;

static double value_of(int64_t row, int64_t column)
{
    return (double)row * 7 + (double)column;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    for (int64_t i = 0; i < count; i++) {
        const double end_s = process_clock_s() + 1e-3 * row_spins_ms;
        while (process_clock_s() < end_s)
            ;
        if (rows[i] == broken_row)
            return ASSAY_ERR_NO_MEMORY;
        for (int64_t j = 0; j < COLUMNS; j++) {
            ref[i * COLUMNS + j] = value_of(rows[i], j);
            scale[i * COLUMNS + j] = value_of(rows[i], j) + 1;
        }
        rows_done++;
    }
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    return (double)assay_tensor_count(&problem->outputs[0]);
}

static const assay_op_impl impl = {.has_scale = 1, .flops = flops, .reference_rows = reference_rows};

static int compute(int64_t rows, expected_output *t, assay_status *status)
{
    const assay_tensor tensor = {.dtype = ASSAY_F32, .rank = 2, .shape = {rows, COLUMNS}};
    const assay_problem shapes = {
        .input_count = 1, .output_count = 1, .dtype = ASSAY_F32, .inputs = {tensor}, .outputs = {tensor}};
    assert_int_equal(expected_output_open(&impl, &shapes, t, NULL), ASSAY_OK);
    rows_done = 0;
    return expected_rows_compute(&impl, &t->host, t->scale, status);
}

static void every_row_is_computed_once(void **state)
{
    expected_output t;
    assay_status status = ASSAY_ERR_CHECK;
    broken_row = -1;
    assert_int_equal(compute(ROWS, &t, &status), 1);
    assert_int_equal(status, ASSAY_OK);
    assert_int_equal(rows_done, ROWS + 1); /* the first one also as a try */
    const double *ref = t.host.outputs[0].data;
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        assert_true(ref[i] == value_of(i / COLUMNS, i % COLUMNS) && t.scale[i] == ref[i] + 1);
    expected_output_close(&t);
}

static void a_part_that_fails_is_told(void **state)
{
    expected_output t;
    assay_status status = ASSAY_OK;
    broken_row = 777;
    assert_int_equal(compute(ROWS, &t, &status), 1);
    assert_int_equal(status, ASSAY_ERR_NO_MEMORY);
    broken_row = -1;
    expected_output_close(&t);
}

static void rows_that_do_not_pay_are_left_to_the_op(void **state)
{
    expected_output t;
    assay_status status;
    assert_int_equal(compute(3, &t, &status), 0); /* too little work */
    expected_output_close(&t);
    row_spins_ms = 5; /* each as much as all */
    assert_int_equal(compute(ROWS, &t, &status), 0);
    assert_int_equal(rows_done, 1);
    row_spins_ms = 0;
    expected_output_close(&t);
    parallel_for_limit(1);
    assert_int_equal(compute(ROWS, &t, &status), 0);
    expected_output_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_computed_once),
                                       cmocka_unit_test(a_part_that_fails_is_told),
                                       cmocka_unit_test(rows_that_do_not_pay_are_left_to_the_op)};
    if (parallel_for_threads() < 2)
        return 77; /* one processor: there is nothing to divide */
    return cmocka_run_group_tests(tests, NULL, NULL);
}

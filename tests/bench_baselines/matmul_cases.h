/* What every baseline of matmul must do, whatever its library. Include after the baseline's file and fake_cuda.h. */
#ifndef ASSAY_TESTS_MATMUL_CASES_H
#define ASSAY_TESTS_MATMUL_CASES_H

#include "tests/unit.h"
#include <math.h>

enum { CASE_MAX = 32 };

static float case_a[CASE_MAX * CASE_MAX], case_b[CASE_MAX * CASE_MAX], case_c[CASE_MAX * CASE_MAX];

/* Small integers: every product and sum is exact, so results are compared for equality. */
static matmul_args make_case(int m, int n, int k)
{
    for (int i = 0; i < CASE_MAX * CASE_MAX; i++) {
        case_a[i] = (float)(i * 7 % 11 - 5);
        case_b[i] = (float)(i * 5 % 13 - 6);
        case_c[i] = NAN;
    }
    return (matmul_args){.a = case_a, .b = case_b, .c = case_c, .m = m, .n = n, .k = k, .batch = 1};
}

static void check_one(const matmul_args *args, const float *a, const float *b, const float *c)
{
    for (int64_t i = 0; i < args->m; i++)
        for (int64_t j = 0; j < args->n; j++) {
            float expected = 0.0f;
            for (int64_t p = 0; p < args->k; p++)
                expected += a[args->transpose_a ? p * matmul_row_a(args) + i : i * matmul_row_a(args) + p] *
                            b[args->transpose_b ? j * matmul_row_b(args) + p : p * matmul_row_b(args) + j];
            assert_true(c[i * args->n + j] == expected);
        }
}

static void check_product(const matmul_args *args)
{
    for (int64_t i = 0; i < args->batch; i++)
        check_one(args, case_a + i * matmul_matrix_a(args), case_b + i * matmul_matrix_b(args),
                  case_c + i * args->m * args->n);
    for (int64_t i = args->batch * args->m * args->n; i < CASE_MAX * CASE_MAX; i++)
        assert_true(isnan(case_c[i]));
}

static void test_products(void **test_state)
{
    static const int shapes[][3] = {{1, 1, 1},   {3, 5, 7},  {16, 8, 4}, {8, 16, 32},
                                    {31, 2, 29}, {1, 32, 9}, {32, 1, 9}};
    for (size_t i = 0; i < 4 * (sizeof shapes / sizeof *shapes); i++) {
        const int *shape = shapes[i / 4];
        matmul_args args = make_case(shape[0], shape[1], shape[2]);
        args.transpose_a = i & 1, args.transpose_b = i >> 1 & 1;
        assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
        make_case(shape[0], shape[1], shape[2]); /* what prepare wrote does not count */
        assert_int_equal(matmul_run(&args, NULL), ASSAY_OK);
        check_product(&args);
        matmul_release();
        assert_int_equal(fake.allocations, 0);
    }
}

static void test_batches(void **test_state)
{
    static const int shapes[][4] = {{3, 4, 5, 6}, {7, 8, 2, 4}, {0, 4, 4, 4}, {2, 3, 5, 0}};
    for (size_t i = 0; i < 4 * (sizeof shapes / sizeof *shapes); i++) {
        const int *shape = shapes[i / 4];
        matmul_args args = make_case(shape[1], shape[2], shape[3]);
        args.batch = shape[0], args.transpose_a = i & 1, args.transpose_b = i >> 1 & 1;
        args.padding_a = shape[0] % 3, args.padding_b = shape[0] % 2;
        assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
        make_case(shape[1], shape[2], shape[3]);
        assert_int_equal(matmul_run(&args, NULL), ASSAY_OK);
        check_product(&args);
        matmul_release();
        assert_int_equal(fake.allocations, 0);
    }
}

static void test_empty(void **test_state)
{
    static const int shapes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 6, 0}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const matmul_args args = make_case(shapes[i][0], shapes[i][1], shapes[i][2]);
        assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
        assert_int_equal(matmul_run(&args, NULL), ASSAY_OK);
        check_product(&args); /* all zeros for k = 0, untouched for the others */
        matmul_release();
        assert_int_equal(fake.allocations, 0);
    }
}

static void test_not_prepared(void **test_state)
{
    const matmul_args args = make_case(2, 2, 2);
    assert_int_equal(matmul_run(&args, NULL), ASSAY_ERR_INVALID);
    matmul_release(); /* nothing to release is fine */
    assert_int_equal(fake.allocations, 0);
}

#endif

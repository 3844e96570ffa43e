/* The cuBLASLt baseline of matmul against a cuBLASLt of the test's own: operand order, empty products, and the choice of the
 * fastest algorithm among candidates of which some fail. */
#if ASSAY_DTYPE_TF32
#include "matmul_cublaslt_tf32.c"
#else
#include "matmul_cublaslt.c"
#endif
#include "fake_cuda.h"
#include "fake_cublaslt.h"
#include "matmul_cases.h"

static void test_fastest_is_kept(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&args, NULL), ASSAY_OK);
    assert_int_equal(fake_last_algorithm, FAKE_FASTEST);
    assert_int_equal(fake_compute, ASSAY_DTYPE_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F);
    assert_string_equal(matmul_notes()->version, "cuBLASLt 99.1.2");
    assert_non_null(
        strstr(matmul_notes()->choice, "algorithm 102, the heuristic's number 3; fastest of 3 that"));
    assert_int_equal(matmul_notes()->is_unranked, 0);
    assert_true(fake_workspace_limit >= (size_t)32 << 20);
    assert_int_equal(fake_reductions,
                     CUBLASLT_REDUCTION_SCHEME_MASK); /* any of them is in f32 for an f32 output */
    matmul_release();
}

static void test_no_algorithm(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    fake_algorithms = 0;
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_string_equal(matmul_notes()->reason, "heuristic: a failure");
    fake_algorithms = FAKE_ALGORITHMS;
    assert_int_equal(fake.allocations, 0);
    assert_int_equal(matmul_run(&args, NULL), ASSAY_ERR_INVALID);
}

static void test_another_shape_is_refused(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    matmul_args other = args, misaligned = args, transposed = args;
    other.k = 4;
    transposed.transpose_b = 1;
    misaligned.a = case_a + 1;
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&other, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(matmul_run(&misaligned, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(matmul_run(&transposed, NULL), ASSAY_ERR_INVALID);
    matmul_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_not_prepared),
        cmocka_unit_test(test_fastest_is_kept),
        cmocka_unit_test(test_no_algorithm),
        cmocka_unit_test(test_another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

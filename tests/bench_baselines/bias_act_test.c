/* The unranked cuBLASLt baseline of matmul_bias_act against a cuBLASLt of the test's own: which epilogue is asked for, that the bias
 * follows the arguments, and that it says of itself that it computes something else. */
#include "tests/unit.h"
#include "matmul_bias_act_cublaslt_tanh.c"
#include "fake_cuda.h"
#include "fake_cublaslt.h"

enum { M = 3, N = 5, K = 4 };

static float a[M * K], b[K * N], bias[2][N], out[M * N];

static matmul_bias_act_args make_args(const float *with_bias, int32_t activation)
{
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i * 7 % 11 - 5) / 8.0f;
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i * 5 % 13 - 6) / 8.0f;
    for (int i = 0; i < N; i++) {
        bias[0][i] = (float)i - 2.0f;
        bias[1][i] = 3.0f - (float)i;
    }
    return (matmul_bias_act_args){
        .a = a, .b = b, .bias = with_bias, .out = out, .m = M, .n = N, .k = K, .activation = activation};
}

static float expected(int row, int column, const float *with_bias)
{
    float x = with_bias[column];
    for (int i = 0; i < K; i++)
        x += a[row * K + i] * b[i * N + column];
    return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

static void check(const float *with_bias)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            assert_true(fabsf(out[i * N + j] - expected(i, j, with_bias)) <= 1e-5f);
}

static void test_gelu(void **state)
{
    const matmul_bias_act_args args = make_args(bias[0], MATMUL_BIAS_ACT_GELU);
    matmul_bias_act_args other = args;
    other.bias = bias[1];
    assert_int_equal(matmul_bias_act_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_bias_act_notes()->is_unranked, 1);
    assert_int_equal(fake_epilogue, CUBLASLT_EPILOGUE_GELU_BIAS);
    assert_int_equal(matmul_bias_act_run(&args, NULL), ASSAY_OK);
    check(bias[0]);
    assert_int_equal(matmul_bias_act_run(&other, NULL), ASSAY_OK);
    check(bias[1]);
    matmul_bias_act_release();
    assert_int_equal(fake.allocations, 0);
}

static void test_other_activations(void **state)
{
    const matmul_bias_act_args args = make_args(bias[0], MATMUL_BIAS_ACT_RELU);
    assert_int_equal(matmul_bias_act_prepare(&args, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(matmul_bias_act_notes()->reason, "gelu alone"));
    assert_int_equal(fake.allocations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gelu), cmocka_unit_test(test_other_activations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

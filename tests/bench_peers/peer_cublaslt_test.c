/* The cuBLASLt peer of matmul against a cuBLASLt of the test's own: operand order, empty products, and the choice of the
 * fastest algorithm among candidates of which some fail. */
#include "matmul_cublaslt.c"
#include "fake_cuda.h"
#include "matmul_cases.h"

enum { FAKE_ALGORITHMS = 4, FAKE_FASTEST = 2, FAKE_FAILING = 1 };

/* Milliseconds a product takes with each algorithm; the failing one would be the fastest. */
static const float fake_ms[FAKE_ALGORITHMS] = {0.030f, 0.001f, 0.020f, 0.050f};
static int fake_algorithms = FAKE_ALGORITHMS, fake_last_algorithm;
static size_t fake_workspace_limit;
static uint32_t fake_reductions;

struct fake_layout {
    uint64_t rows, columns;
    int64_t leading;
};

static void *fake_object(void)
{
    fake.allocations++;
    return calloc(1, sizeof(struct fake_layout));
}

static cublasStatus_t fake_free(void *object)
{
    fake.allocations--;
    free(object);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = fake_object();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtDestroy(cublasLtHandle_t handle)
{
    return fake_free(handle);
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *operation,
                                                     cublasComputeType_t compute, cudaDataType_t scale)
{
    *operation = fake_object();
    return compute == CUBLAS_COMPUTE_32F && scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS
                                                                : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation)
{
    return fake_free(operation);
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                                       uint64_t rows, uint64_t columns, int64_t leading)
{
    struct fake_layout *made = fake_object();
    *made = (struct fake_layout){rows, columns, leading};
    *layout = (cublasLtMatrixLayout_t)(void *)made;
    return type == CUDA_R_32F && leading >= (int64_t)rows ? CUBLAS_STATUS_SUCCESS
                                                          : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return fake_free((void *)layout);
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    *preference = fake_object();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return fake_free(preference);
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes)
{
    (void)preference;
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof fake_workspace_limit)
        memcpy(&fake_workspace_limit, value, bytes);
    if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK && bytes == sizeof fake_reductions)
        memcpy(&fake_reductions, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                               cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int requested,
                               cublasLtMatmulHeuristicResult_t results[], int *count)
{
    (void)handle, (void)operation, (void)a, (void)b, (void)c, (void)d, (void)preference;
    for (int i = 0; i < fake_algorithms && i < requested; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].algo.data[0] = (uint64_t)i;
        results[i].state = CUBLAS_STATUS_SUCCESS;
    }
    *count = fake_algorithms;
    return fake_algorithms > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

const char *CUBLASWINAPI cublasLtGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "a failure";
}

cublasStatus_t CUBLASWINAPI cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                           const void *alpha, const void *a, cublasLtMatrixLayout_t a_layout,
                                           const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                                           const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                                           cublasLtMatrixLayout_t d_layout,
                                           const cublasLtMatmulAlgo_t *algorithm, void *workspace,
                                           size_t workspace_bytes, cudaStream_t stream)
{
    (void)handle, (void)operation, (void)workspace, (void)workspace_bytes, (void)stream, (void)c_layout;
    const struct fake_layout *left = (const void *)a_layout, *right = (const void *)b_layout,
                             *out = (const void *)d_layout;
    fake_last_algorithm = (int)algorithm->data[0];
    if (fake_last_algorithm == FAKE_FAILING)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (c != d || left->columns != right->rows || out->rows != left->rows || out->columns != right->columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    fake.clock_ms += fake_ms[fake_last_algorithm];
    column_major_product((int64_t)left->rows, (int64_t)right->columns, (int64_t)left->columns,
                         *(const float *)alpha, a, left->leading, b, right->leading, *(const float *)beta, d,
                         out->leading);
    return CUBLAS_STATUS_SUCCESS;
}

static void test_fastest_is_kept(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&args, NULL), ASSAY_OK);
    assert_int_equal(fake_last_algorithm, FAKE_FASTEST);
    assert_true(fake_workspace_limit >= (size_t)32 << 20);
    assert_int_equal(fake_reductions, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    matmul_release();
}

static void test_no_algorithm(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    fake_algorithms = 0;
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_ERR_UNSUPPORTED);
    fake_algorithms = FAKE_ALGORITHMS;
    assert_int_equal(fake.allocations, 0);
    assert_int_equal(matmul_run(&args, NULL), ASSAY_ERR_INVALID);
}

static void test_another_shape_is_refused(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(8, 8, 8);
    matmul_args other = args, misaligned = args;
    other.k = 4;
    misaligned.a = case_a + 1;
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&other, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(matmul_run(&misaligned, NULL), ASSAY_ERR_INVALID);
    matmul_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),     cmocka_unit_test(test_empty),
        cmocka_unit_test(test_not_prepared), cmocka_unit_test(test_fastest_is_kept),
        cmocka_unit_test(test_no_algorithm), cmocka_unit_test(test_another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

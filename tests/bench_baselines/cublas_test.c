/* The cuBLAS baseline of matmul against a cuBLAS of the test's own: operand order, empty products, state. */
#include "matmul_cublas.c"
#include "fake_cuda.h"
#include "matmul_cases.h"

static cudaStream_t fake_stream;
static void *fake_workspace;
static size_t fake_workspace_bytes;

cublasStatus_t CUBLASWINAPI cublasCreate(cublasHandle_t *handle)
{
    *handle = malloc(1);
    fake.allocations++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasDestroy(cublasHandle_t handle)
{
    free(handle);
    fake.allocations--;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasGetVersion(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = 990102;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    (void)handle;
    fake_stream = stream;
    fake_workspace = NULL; /* as cuBLAS does */
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)handle;
    fake_workspace = workspace;
    fake_workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    (void)handle;
    return mode & CUBLAS_TF32_TENSOR_OP_MATH ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

const char *CUBLASWINAPI cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "a failure";
}

cublasStatus_t CUBLASWINAPI cublasGemmEx(cublasHandle_t handle, cublasOperation_t left,
                                         cublasOperation_t right, int m, int n, int k, const void *alpha,
                                         const void *a, cudaDataType a_type, int lda, const void *b,
                                         cudaDataType b_type, int ldb, const void *beta, void *c,
                                         cudaDataType c_type, int ldc, cublasComputeType_t compute,
                                         cublasGemmAlgo_t algorithm)
{
    (void)handle;
    (void)algorithm;
    const int transpose_a = left == CUBLAS_OP_T, transpose_b = right == CUBLAS_OP_T;
    if (a_type != CUDA_R_32F || b_type != CUDA_R_32F || c_type != CUDA_R_32F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (lda < (transpose_a ? k : m) || ldb < (transpose_b ? n : k) || ldc < m ||
        compute != CUBLAS_COMPUTE_32F)
        return CUBLAS_STATUS_INVALID_VALUE;
    column_major_product(m, n, k, *(const float *)alpha, a, lda, transpose_a, b, ldb, transpose_b,
                         *(const float *)beta, c, ldc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t left, cublasOperation_t right, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType a_type, int lda, long long step_a, const void *b,
    cudaDataType b_type, int ldb, long long step_b, const void *beta, void *c, cudaDataType c_type, int ldc,
    long long step_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; i++)
        status = cublasGemmEx(handle, left, right, m, n, k, alpha, (const float *)a + i * step_a, a_type, lda,
                              (const float *)b + i * step_b, b_type, ldb, beta, (float *)c + i * step_c,
                              c_type, ldc, compute, algorithm);
    return status;
}

static void test_another_stream(void **test_state)
{
    (void)test_state;
    const matmul_args args = make_case(2, 3, 4);
    int other;
    assert_int_equal(matmul_prepare(&args, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&args, (assay_stream)(void *)&other), ASSAY_OK);
    assert_ptr_equal(fake_stream, &other);
    assert_non_null(fake_workspace);
    assert_true(fake_workspace_bytes >= (size_t)32 << 20);
    matmul_release();
}

static void test_too_large(void **test_state)
{
    (void)test_state;
    const matmul_args small = make_case(2, 2, 2);
    matmul_args large = small;
    large.m = (int64_t)1 << 31;
    assert_int_equal(matmul_prepare(&small, NULL), ASSAY_OK);
    assert_int_equal(matmul_run(&large, NULL), ASSAY_ERR_UNSUPPORTED);
    matmul_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),       cmocka_unit_test(test_batches),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_not_prepared),
        cmocka_unit_test(test_another_stream), cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

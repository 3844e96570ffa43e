/* A stand-in for cuBLASLt on host memory, f32: products by column_major_product(), the bias and tanh-GELU epilogues, and four
 * algorithms of which one fails. Include once, after the baseline's file and fake_cuda.h. */
#ifndef ASSAY_TESTS_FAKE_CUBLASLT_H
#define ASSAY_TESTS_FAKE_CUBLASLT_H

#include <cublasLt.h>
#include <math.h>

enum { FAKE_ALGORITHMS = 4, FAKE_FASTEST = 2, FAKE_FAILING = 1 };

/* Milliseconds a product takes with each algorithm; the failing one would be the fastest. */
static const float fake_ms[FAKE_ALGORITHMS] = {0.030f, 0.001f, 0.020f, 0.050f};
static int fake_algorithms = FAKE_ALGORITHMS, fake_last_algorithm;
static size_t fake_workspace_limit;
static uint32_t fake_reductions;
static cublasLtEpilogue_t fake_epilogue = CUBLASLT_EPILOGUE_DEFAULT;
static const float *fake_bias;
static cublasComputeType_t fake_compute;
static int32_t fake_transpose_a = CUBLAS_OP_N, fake_transpose_b = CUBLAS_OP_N;

struct fake_layout {
    uint64_t rows, columns;
    int64_t leading;
    int32_t batch;
    int64_t step; /* elements from one matrix of a batch to the next */
};

/* The bias lies along the rows of the column-major output, one element each. */
static void fake_apply_epilogue(float *d, const struct fake_layout *out)
{
    const int gelu = fake_epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
    for (uint64_t column = 0; column < out->columns; column++)
        for (uint64_t row = 0; row < out->rows; row++) {
            float *x = &d[row + column * (uint64_t)out->leading];
            *x += fake_epilogue == CUBLASLT_EPILOGUE_DEFAULT ? 0.0f : fake_bias[row];
            *x = gelu ? 0.5f * *x * (1.0f + tanhf(0.79788456f * (*x + 0.044715f * *x * *x * *x))) : *x;
        }
}

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

size_t CUBLASWINAPI cublasLtGetVersion(void)
{
    return 990102;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                                           cublasLtMatmulDescAttributes_t attribute,
                                                           const void *value, size_t bytes)
{
    (void)operation;
    if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE)
        memcpy(&fake_epilogue, value, bytes);
    else if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER)
        memcpy(&fake_bias, value, bytes);
    else if (attribute == CUBLASLT_MATMUL_DESC_TRANSA && bytes == sizeof fake_transpose_a)
        memcpy(&fake_transpose_a, value, bytes);
    else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB && bytes == sizeof fake_transpose_b)
        memcpy(&fake_transpose_b, value, bytes);
    else if (attribute != CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute, void *value,
    size_t bytes, size_t *written)
{
    if (attribute != CUBLASLT_ALGO_CONFIG_ID)
        return CUBLAS_STATUS_INVALID_VALUE;
    const int number = 100 + (int)algorithm->data[0];
    memcpy(value, &number, bytes);
    *written = bytes;
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
    fake_compute = compute;
    fake_transpose_a = fake_transpose_b = CUBLAS_OP_N;
    return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation)
{
    return fake_free(operation);
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                                       uint64_t rows, uint64_t columns, int64_t leading)
{
    struct fake_layout *made = fake_object();
    *made = (struct fake_layout){rows, columns, leading, 1, 0};
    *layout = (cublasLtMatrixLayout_t)(void *)made;
    return type == CUDA_R_32F && leading >= (int64_t)rows ? CUBLAS_STATUS_SUCCESS
                                                          : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                             cublasLtMatrixLayoutAttribute_t attribute,
                                                             const void *value, size_t bytes)
{
    struct fake_layout *made = (void *)layout;
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof made->batch)
        memcpy(&made->batch, value, bytes);
    else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof made->step)
        memcpy(&made->step, value, bytes);
    else
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
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
    const int transpose_a = fake_transpose_a == CUBLAS_OP_T, transpose_b = fake_transpose_b == CUBLAS_OP_T;
    const uint64_t rows = transpose_a ? left->columns : left->rows,
                   inner = transpose_a ? left->rows : left->columns;
    const uint64_t inner_b = transpose_b ? right->columns : right->rows,
                   columns = transpose_b ? right->rows : right->columns;
    if (c != d || inner != inner_b || out->rows != rows || out->columns != columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    fake.clock_ms += fake_ms[fake_last_algorithm];
    if (left->batch != out->batch || right->batch != out->batch)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int64_t i = 0; i < out->batch; i++)
        column_major_product((int64_t)rows, (int64_t)columns, (int64_t)inner, *(const float *)alpha,
                             (const float *)a + i * left->step, left->leading, transpose_a,
                             (const float *)b + i * right->step, right->leading, transpose_b,
                             *(const float *)beta, (float *)d + i * out->step, out->leading);
    fake_apply_epilogue(d, out);
    return CUBLAS_STATUS_SUCCESS;
}

#endif

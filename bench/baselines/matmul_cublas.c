/* Baseline of `matmul`: plain cublasGemmEx, or cublasGemmStridedBatchedEx for a batch, cuBLAS choosing its algorithm, as most programs call it.
 *
 * Row-major C = A B is the column-major product C^T = B^T A^T, so the operands are swapped; one that lies transposed is
 * transposed by cuBLAS. Math mode: products
 * accumulate in f32, f32 inputs are not rounded to tf32, and partial sums stay in f32 (the math mode below says so for the
 * 2-byte types). State is static: one problem at a time, as module.h says.
 *
 * assay-baseline-links: cublas */
#include "bench/baselines/baseline_common.h"
#include "matmul.h"
#include <cublas_v2.h>
#include <limits.h>
#include <string.h>

BASELINE_DECLARE(matmul);

static struct {
    cublasHandle_t handle;
    void *workspace;
    size_t workspace_bytes;
    assay_stream stream; /* the one the handle is set to */
    int ready;
} state;

static assay_status check(cublasStatus_t code, const char *what)
{
    if (code == CUBLAS_STATUS_SUCCESS)
        return ASSAY_OK;
    const assay_status status = code == CUBLAS_STATUS_NOT_SUPPORTED     ? ASSAY_ERR_UNSUPPORTED
                                : code == CUBLAS_STATUS_ALLOC_FAILED    ? ASSAY_ERR_NO_MEMORY
                                : code == CUBLAS_STATUS_NOT_INITIALIZED ? ASSAY_ERR_ENVIRONMENT
                                                                        : ASSAY_ERR_DEVICE;
    return baseline_fail(status, what, cublasGetStatusString(code));
}

void matmul_release(void)
{
    if (state.handle)
        cublasDestroy(state.handle);
    cudaFree(state.workspace); /* NULL is fine */
    memset(&state, 0, sizeof state);
}

/* Setting the stream resets the workspace to cuBLAS's own pool, so the two go together, in this order. */
static assay_status use_stream(assay_stream stream)
{
    assay_status status = check(cublasSetStream(state.handle, stream), "stream");
    if (status == ASSAY_OK)
        status = check(cublasSetWorkspace(state.handle, state.workspace, state.workspace_bytes), "workspace");
    state.stream = stream;
    return status;
}

static void note_version(void)
{
    int version = 0; /* 130100 is 13.1.0 */
    if (cublasGetVersion(state.handle, &version) == CUBLAS_STATUS_SUCCESS)
        snprintf(baseline_notes.version, sizeof baseline_notes.version, "cuBLAS %d.%d.%d", version / 10000,
                 version / 100 % 100, version % 100);
}

static assay_status prepare_handle(assay_stream stream)
{
    assay_status status = check(cublasCreate(&state.handle), "handle");
    if (status == ASSAY_OK)
        note_version();
    if (status == ASSAY_OK)
        status = baseline_gemm_workspace_bytes(&state.workspace_bytes);
    if (status == ASSAY_OK)
        status = baseline_check_cuda(cudaMalloc(&state.workspace, state.workspace_bytes), "workspace");
    if (status == ASSAY_OK)
        status = use_stream(stream);
    if (status == ASSAY_OK)
        status = check(cublasSetMathMode(state.handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
                       "math mode");
    return status;
}

static assay_status launch(const matmul_args *args)
{
    if (args->batch > INT_MAX || args->m > INT_MAX || matmul_row_a(args) > INT_MAX ||
        matmul_row_b(args) > INT_MAX || args->n > INT_MAX || args->k > INT_MAX)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "launch", "a dimension above 2^31 - 1");
    const float one = 1.0f, zero = 0.0f;
    const int m = (int)args->m, n = (int)args->n, k = (int)args->k;
    const cublasOperation_t left = args->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                            right = args->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int row_b = (int)matmul_row_b(args), row_a = (int)matmul_row_a(args);
    if (args->batch == 1)
        return check(cublasGemmEx(state.handle, left, right, n, m, k, &one, args->b, BASELINE_DATA_TYPE,
                                  row_b, args->a, BASELINE_DATA_TYPE, row_a, &zero, args->c,
                                  BASELINE_DATA_TYPE, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                     "launch");
    return check(cublasGemmStridedBatchedEx(
                     state.handle, left, right, n, m, k, &one, args->b, BASELINE_DATA_TYPE, row_b,
                     (long long)matmul_matrix_b(args), args->a, BASELINE_DATA_TYPE, row_a,
                     (long long)matmul_matrix_a(args), &zero, args->c, BASELINE_DATA_TYPE, n,
                     (long long)m * n, (int)args->batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "launch of a batch");
}

assay_status matmul_run(const matmul_args *problem, assay_stream stream)
{
    if (!state.ready)
        return baseline_fail(ASSAY_ERR_INVALID, "run", "not prepared");
    if (problem->batch == 0 || problem->m == 0 || problem->n == 0)
        return ASSAY_OK;
    if (problem->k == 0)
        return baseline_zero_output(problem->c, problem->batch * problem->m, problem->n, stream);
    const assay_status status = stream == state.stream ? ASSAY_OK : use_stream(stream);
    return status == ASSAY_OK ? launch(problem) : status;
}

/* One product runs here, so that kernels are loaded before anything is timed or captured into a graph. */
assay_status matmul_prepare(const matmul_args *problem, assay_stream stream)
{
    matmul_release();
    memset(&baseline_notes, 0, sizeof baseline_notes);
    assay_status status = prepare_handle(stream);
    if (status == ASSAY_OK) {
        state.ready = 1;
        status = matmul_run(problem, stream);
    }
    if (status == ASSAY_OK)
        status = baseline_check_cuda(cudaStreamSynchronize(stream), "first product");
    if (status != ASSAY_OK)
        matmul_release();
    return status;
}

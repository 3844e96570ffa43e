/* A row-major product through cuBLASLt, with a bias and an activation where cuBLASLt fuses them: what the baselines of `matmul` and
 * `matmul_bias_act` share. A baseline includes this once and adds its op's entry points.
 *
 * lt_prepare() asks the heuristic for candidates and keeps the fastest (baseline_search.h); lt_run() then only enqueues it.
 * Row-major C = A B is computed as the column-major product C^T = B^T A^T, which needs no transposition, only the operands
 * swapped; an operand that lies transposed becomes one that cuBLASLt transposes. The bias of length n then lies along the rows of C^T, as cuBLASLt wants it.
 *
 * Math mode: products accumulate in f32, and partial sums of a split inner dimension stay in f32. f32 inputs are rounded to
 * tf32 only where the case's math mode is tf32. State is static: one problem at a time, as module.h says. */
#ifndef ASSAY_BENCH_LT_GEMM_H
#define ASSAY_BENCH_LT_GEMM_H

#include "bench/baselines/baseline_common.h"
#include "bench/baselines/baseline_search.h"
#include <cublasLt.h>

#if ASSAY_DTYPE_TF32
#define LT_COMPUTE CUBLAS_COMPUTE_32F_FAST_TF32
#else
#define LT_COMPUTE CUBLAS_COMPUTE_32F
#endif

typedef struct lt_problem {
    const void *a, *b, *bias; /* bias NULL: none */
    void *c;
    int64_t m, n, k;
    int transpose_a, transpose_b; /* a lies as [k, m], b as [n, k] */
    cublasLtEpilogue_t epilogue;
    int64_t batch;                /* products, whose matrices lie one behind the other */
    int64_t padding_a, padding_b; /* elements behind each row of a, of b, as they lie */
} lt_problem;

static struct {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t left, right, out; /* of the column-major product: B^T, A^T, C^T */
    cublasLtMatmulHeuristicResult_t candidates[BASELINE_MOST_CANDIDATES];
    int count, chosen;
    void *workspace;
    size_t workspace_bytes;
    const void *bias; /* the one that `operation` holds */
    int64_t m, n, k, batch, padding_a, padding_b;
    int transpose_a, transpose_b;
    uint32_t alignment;
    int ready;
} lt;

static assay_status lt_check(cublasStatus_t code, const char *what)
{
    if (code == CUBLAS_STATUS_SUCCESS)
        return ASSAY_OK;
    const assay_status status = code == CUBLAS_STATUS_NOT_SUPPORTED     ? ASSAY_ERR_UNSUPPORTED
                                : code == CUBLAS_STATUS_ALLOC_FAILED    ? ASSAY_ERR_NO_MEMORY
                                : code == CUBLAS_STATUS_NOT_INITIALIZED ? ASSAY_ERR_ENVIRONMENT
                                                                        : ASSAY_ERR_DEVICE;
    return baseline_fail(status, what, cublasLtGetStatusString(code));
}

/* The bias is an attribute of the operation, read when a product is enqueued: it changes with the buffers. */
static cublasStatus_t lt_use_bias(const void *bias)
{
    if (bias == lt.bias)
        return CUBLAS_STATUS_SUCCESS;
    lt.bias = bias;
    return cublasLtMatmulDescSetAttribute(lt.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                          sizeof bias);
}

static cublasStatus_t lt_enqueue(const lt_problem *p, int candidate, assay_stream stream)
{
    const float one = 1.0f, zero = 0.0f;
    const cublasStatus_t code = lt_use_bias(p->bias);
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    return cublasLtMatmul(lt.handle, lt.operation, &one, p->b, lt.left, p->a, lt.right, &zero, p->c, lt.out,
                          p->c, lt.out, &lt.candidates[candidate].algo, lt.workspace, lt.workspace_bytes,
                          stream);
}

/* A factor of the column-major product, rows x columns, or as it lies when cuBLASLt is to transpose it. */
static assay_status lt_describe_operand(cublasLtMatrixLayout_t *layout, uint64_t rows, uint64_t columns,
                                        int transposed, int64_t padding, const char *what)
{
    const uint64_t down = transposed ? columns : rows, across = transposed ? rows : columns;
    return lt_check(
        cublasLtMatrixLayoutCreate(layout, BASELINE_DATA_TYPE, down, across, (int64_t)down + padding), what);
}

/* Elements of a matrix as it lies. */
static int64_t lt_matrix_a(const lt_problem *p)
{
    return p->transpose_a ? p->k * (p->m + p->padding_a) : p->m * (p->k + p->padding_a);
}
static int64_t lt_matrix_b(const lt_problem *p)
{
    return p->transpose_b ? p->n * (p->k + p->padding_b) : p->k * (p->n + p->padding_b);
}

/* So many matrices one behind the other, of `elements` each. */
static assay_status lt_repeat(cublasLtMatrixLayout_t layout, int64_t batch, int64_t elements)
{
    const int32_t count = (int32_t)batch;
    assay_status status = lt_check(
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "batch");
    if (status == ASSAY_OK)
        status =
            lt_check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                      &elements, sizeof elements),
                     "batch");
    return status;
}

static assay_status lt_describe_batch(const lt_problem *p)
{
    if (p->batch > INT32_MAX)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "batch", "more than 2^31 - 1 products");
    assay_status status = lt_repeat(lt.left, p->batch, lt_matrix_b(p));
    if (status == ASSAY_OK)
        status = lt_repeat(lt.right, p->batch, lt_matrix_a(p));
    return status == ASSAY_OK ? lt_repeat(lt.out, p->batch, p->m * p->n) : status;
}

static assay_status lt_describe_layouts(const lt_problem *p)
{
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    assay_status status = lt_describe_operand(&lt.left, n, k, p->transpose_b, p->padding_b, "layout of B");
    if (status == ASSAY_OK)
        status = lt_describe_operand(&lt.right, k, m, p->transpose_a, p->padding_a, "layout of A");
    if (status == ASSAY_OK)
        status = lt_check(cublasLtMatrixLayoutCreate(&lt.out, BASELINE_DATA_TYPE, n, m, p->n), "layout of C");
    if (status == ASSAY_OK && p->batch != 1)
        status = lt_describe_batch(p);
    return status;
}

/* `which`: of the factors of the column-major product. */
static assay_status lt_transpose(cublasLtMatmulDescAttributes_t which)
{
    const int32_t operation = CUBLAS_OP_T;
    return lt_check(cublasLtMatmulDescSetAttribute(lt.operation, which, &operation, sizeof operation),
                    "transposition");
}

static assay_status lt_describe_operation(const lt_problem *p)
{
    const cudaDataType_t bias_type = BASELINE_DATA_TYPE;
    assay_status status =
        lt_check(cublasLtMatmulDescCreate(&lt.operation, LT_COMPUTE, CUDA_R_32F), "operation");
    if (status == ASSAY_OK && p->transpose_b)
        status = lt_transpose(CUBLASLT_MATMUL_DESC_TRANSA);
    if (status == ASSAY_OK && p->transpose_a)
        status = lt_transpose(CUBLASLT_MATMUL_DESC_TRANSB);
    if (status == ASSAY_OK && p->epilogue != CUBLASLT_EPILOGUE_DEFAULT)
        status = lt_check(cublasLtMatmulDescSetAttribute(lt.operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                         &p->epilogue, sizeof p->epilogue),
                          "epilogue");
    if (status == ASSAY_OK && p->bias)
        status = lt_check(cublasLtMatmulDescSetAttribute(lt.operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                                                         &bias_type, sizeof bias_type),
                          "type of the bias");
    if (status == ASSAY_OK)
        status = lt_check(lt_use_bias(p->bias), "bias");
    return status;
}

static assay_status lt_describe_problem(const lt_problem *p)
{
    assay_status status = lt_check(cublasLtCreate(&lt.handle), "handle");
    if (status == ASSAY_OK)
        status = lt_describe_operation(p);
    if (status == ASSAY_OK)
        status = lt_describe_layouts(p);
    if (status == ASSAY_OK)
        status = baseline_gemm_workspace_bytes(&lt.workspace_bytes);
    if (status == ASSAY_OK)
        status = baseline_check_cuda(cudaMalloc(&lt.workspace, lt.workspace_bytes), "workspace");
    return status;
}

static cublasStatus_t lt_set_preferences(cublasLtMatmulPreference_t preference)
{
    static const cublasLtMatmulPreferenceAttributes_t alignments[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    /* Partial sums in the output's type are f32 only where the output is. */
    const uint32_t reductions =
        ASSAY_DTYPE_F32 ? CUBLASLT_REDUCTION_SCHEME_MASK : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasStatus_t code = cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &lt.workspace_bytes, sizeof lt.workspace_bytes);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                    &reductions, sizeof reductions);
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments && code == CUBLAS_STATUS_SUCCESS; i++)
        code = cublasLtMatmulPreferenceSetAttribute(preference, alignments[i], &lt.alignment,
                                                    sizeof lt.alignment);
    return code;
}

static assay_status lt_list_candidates(void)
{
    cublasLtMatmulPreference_t preference = NULL;
    assay_status status = lt_check(cublasLtMatmulPreferenceCreate(&preference), "preference");
    if (status != ASSAY_OK)
        return status;
    status = lt_check(lt_set_preferences(preference), "preference");
    if (status == ASSAY_OK)
        status = lt_check(cublasLtMatmulAlgoGetHeuristic(lt.handle, lt.operation, lt.left, lt.right, lt.out,
                                                         lt.out, preference, BASELINE_MOST_CANDIDATES,
                                                         lt.candidates, &lt.count),
                          "heuristic");
    cublasLtMatmulPreferenceDestroy(preference);
    if (status == ASSAY_OK && lt.count == 0)
        status = baseline_fail(ASSAY_ERR_UNSUPPORTED, "heuristic", "no algorithm for this problem");
    return status;
}

static int lt_try(void *context, int candidate, assay_stream stream)
{
    return lt.candidates[candidate].state == CUBLAS_STATUS_SUCCESS &&
           lt_enqueue((const lt_problem *)context, candidate, stream) == CUBLAS_STATUS_SUCCESS;
}

static int lt_algorithm_number(int candidate)
{
    int number = -1;
    size_t written = 0;
    (void)cublasLtMatmulAlgoConfigGetAttribute(&lt.candidates[candidate].algo, CUBLASLT_ALGO_CONFIG_ID,
                                               &number, sizeof number, &written);
    return number;
}

static assay_status lt_choose(lt_problem *p, assay_stream stream)
{
    assay_status status = lt_list_candidates();
    if (status != ASSAY_OK)
        return status;
    baseline_search search;
    memset(&search, 0, sizeof search);
    search.enqueue = lt_try;
    search.context = p;
    search.stream = stream;
    lt.chosen = baseline_search_fastest(&search, lt.count);
    if (lt.chosen < 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "algorithms", "none of the candidates ran");
    snprintf(
        baseline_notes.choice, sizeof baseline_notes.choice,
        "algorithm %d, the heuristic's number %d; fastest of %d that ran, of %d; workspace %zu of %zu KiB",
        lt_algorithm_number(lt.chosen), lt.chosen + 1, search.ran, lt.count,
        lt.candidates[lt.chosen].workspaceSize >> 10, lt.workspace_bytes >> 10);
    return ASSAY_OK;
}

static void lt_release(void)
{
    cudaFree(lt.workspace); /* NULL is fine */
    if (lt.out)
        cublasLtMatrixLayoutDestroy(lt.out);
    if (lt.right)
        cublasLtMatrixLayoutDestroy(lt.right);
    if (lt.left)
        cublasLtMatrixLayoutDestroy(lt.left);
    if (lt.operation)
        cublasLtMatmulDescDestroy(lt.operation);
    if (lt.handle)
        cublasLtDestroy(lt.handle);
    memset(&lt, 0, sizeof lt);
}

static void lt_note_version(void)
{
    const size_t version = cublasLtGetVersion(); /* 130100 is 13.1.0 */
    snprintf(baseline_notes.version, sizeof baseline_notes.version, "cuBLASLt %zu.%zu.%zu", version / 10000,
             version / 100 % 100, version % 100);
}

/* What an algorithm may rely on for all products of the batch. */
static uint32_t lt_alignment(const lt_problem *p)
{
    const int64_t steps = lt_matrix_a(p) | lt_matrix_b(p) | p->m * p->n;
    const int64_t bytes = p->batch > 1 ? steps * BASELINE_ELEMENT_BYTES : 0;
    const uint32_t of_first = baseline_alignment(p->a, p->b, p->c),
                   of_steps = (uint32_t)(bytes & -bytes & 255);
    return of_steps != 0 && of_steps < of_first ? of_steps : of_first;
}

/* `p` is used during the call only. Nothing is described for an empty problem. */
static assay_status lt_prepare(lt_problem *p, assay_stream stream)
{
    lt_release();
    memset(&baseline_notes, 0, sizeof baseline_notes);
    lt_note_version();
    lt.m = p->m;
    lt.n = p->n;
    lt.k = p->k;
    lt.batch = p->batch;
    lt.padding_a = p->padding_a;
    lt.padding_b = p->padding_b;
    lt.transpose_a = p->transpose_a;
    lt.transpose_b = p->transpose_b;
    lt.alignment = lt_alignment(p);
    if (p->batch > 0 && p->m > 0 && p->n > 0 && p->k > 0) {
        assay_status status = lt_describe_problem(p);
        if (status == ASSAY_OK)
            status = lt_choose(p, stream);
        if (status != ASSAY_OK) {
            lt_release();
            return status;
        }
    }
    lt.ready = 1;
    return ASSAY_OK;
}

/* The caller deals with empty problems. */
static assay_status lt_run(const lt_problem *p, assay_stream stream)
{
    if (!lt.ready || p->m != lt.m || p->n != lt.n || p->k != lt.k || p->batch != lt.batch ||
        p->padding_a != lt.padding_a || p->padding_b != lt.padding_b || p->transpose_a != lt.transpose_a ||
        p->transpose_b != lt.transpose_b || lt_alignment(p) < lt.alignment)
        return baseline_fail(ASSAY_ERR_INVALID, "run", "not prepared for this shape and alignment");
    if (p->batch == 0 || p->m == 0 || p->n == 0 || p->k == 0)
        return ASSAY_OK;
    return lt_check(lt_enqueue(p, lt.chosen, stream), "launch");
}

#endif

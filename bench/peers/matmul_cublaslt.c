/* Peer of `matmul`: cuBLASLt with the best of its algorithms for the problem at hand.
 *
 * matmul_prepare() asks the heuristic for candidates and times each on the caller's own buffers, in alternating rounds so
 * that all see the same clock and heat; matmul_run() then only enqueues the winner. Row-major C = A B is computed as the
 * column-major product C^T = B^T A^T, which needs no transposition, only the operands swapped.
 *
 * Math mode: products accumulate in f32 and f32 inputs are not rounded to tf32; partial sums of a split inner dimension
 * stay in f32 too, as the kernels it is compared with do. State is static: one problem at a time, as module.h says.
 *
 * assay-peer-links: cublasLt */
#include "peer_common.h"
#include "matmul.h"
#include <cublasLt.h>
#include <string.h>

#define PEER "matmul.cublaslt"

PEER_DECLARE(matmul);

enum { MAX_CANDIDATES = 16, TIMING_ROUNDS = 5 };

static struct {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t left, right, out; /* of the column-major product: B^T, A^T, C^T */
    cublasLtMatmulAlgo_t algorithm;
    void *workspace;
    size_t workspace_bytes;
    int64_t m, n, k;
    uint32_t alignment;
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
    return peer_fail(status, PEER, what, cublasLtGetStatusString(code));
}

static cublasStatus_t enqueue(const matmul_args *args, const cublasLtMatmulAlgo_t *algorithm,
                              assay_stream stream)
{
    const float one = 1.0f, zero = 0.0f;
    return cublasLtMatmul(state.handle, state.operation, &one, args->b, state.left, args->a, state.right,
                          &zero, args->c, state.out, args->c, state.out, algorithm, state.workspace,
                          state.workspace_bytes, stream);
}

static assay_status describe_problem(const matmul_args *args)
{
    const uint64_t m = (uint64_t)args->m, n = (uint64_t)args->n, k = (uint64_t)args->k;
    assay_status status = check(cublasLtCreate(&state.handle), "handle");
    if (status == ASSAY_OK)
        status =
            check(cublasLtMatmulDescCreate(&state.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "operation");
    if (status == ASSAY_OK)
        status = check(cublasLtMatrixLayoutCreate(&state.left, PEER_DATA_TYPE, n, k, args->n), "layout of B");
    if (status == ASSAY_OK)
        status =
            check(cublasLtMatrixLayoutCreate(&state.right, PEER_DATA_TYPE, k, m, args->k), "layout of A");
    if (status == ASSAY_OK)
        status = check(cublasLtMatrixLayoutCreate(&state.out, PEER_DATA_TYPE, n, m, args->n), "layout of C");
    if (status == ASSAY_OK)
        status = peer_gemm_workspace_bytes(&state.workspace_bytes, PEER);
    if (status == ASSAY_OK)
        status = peer_check_cuda(cudaMalloc(&state.workspace, state.workspace_bytes), PEER, "workspace");
    return status;
}

static cublasStatus_t set_preferences(cublasLtMatmulPreference_t preference)
{
    static const cublasLtMatmulPreferenceAttributes_t alignments[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasStatus_t code =
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &state.workspace_bytes, sizeof state.workspace_bytes);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                    &reductions, sizeof reductions);
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments && code == CUBLAS_STATUS_SUCCESS; i++)
        code = cublasLtMatmulPreferenceSetAttribute(preference, alignments[i], &state.alignment,
                                                    sizeof state.alignment);
    return code;
}

static assay_status list_candidates(cublasLtMatmulHeuristicResult_t *candidates, int *count)
{
    cublasLtMatmulPreference_t preference = NULL;
    assay_status status = check(cublasLtMatmulPreferenceCreate(&preference), "preference");
    if (status != ASSAY_OK)
        return status;
    status = check(set_preferences(preference), "preference");
    if (status == ASSAY_OK)
        status = check(cublasLtMatmulAlgoGetHeuristic(state.handle, state.operation, state.left, state.right,
                                                      state.out, state.out, preference, MAX_CANDIDATES,
                                                      candidates, count),
                       "heuristic");
    cublasLtMatmulPreferenceDestroy(preference);
    if (status == ASSAY_OK && *count == 0)
        status = peer_fail(ASSAY_ERR_UNSUPPORTED, PEER, "heuristic", "no algorithm for this problem");
    return status;
}

/* Microseconds per launch of `launches` back-to-back launches; negative if the algorithm does not run here. */
static float time_launches(const matmul_args *args, const cublasLtMatmulAlgo_t *algorithm, int launches,
                           cudaEvent_t from, cudaEvent_t to, assay_stream stream)
{
    float ms = -1.0f;
    if (cudaEventRecord(from, stream) != cudaSuccess)
        return -1.0f;
    for (int i = 0; i < launches; i++)
        if (enqueue(args, algorithm, stream) != CUBLAS_STATUS_SUCCESS)
            return -1.0f;
    if (cudaEventRecord(to, stream) != cudaSuccess || cudaEventSynchronize(to) != cudaSuccess ||
        cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
        return -1.0f;
    return ms * 1000.0f / (float)launches;
}

/* The least time of each candidate over the rounds decides. Short problems are launched several times a turn (up to about
 * 0.3 ms), so that the events' resolution of 0.5 us does not. */
static int fastest(const matmul_args *args, const cublasLtMatmulHeuristicResult_t *candidates, int count,
                   cudaEvent_t from, cudaEvent_t to, assay_stream stream)
{
    float best_us[MAX_CANDIDATES];
    int launches[MAX_CANDIDATES], best = -1;
    for (int i = 0; i < count;
         i++) { /* the first launch loads the kernel; the second says how long it takes */
        const int runs = candidates[i].state == CUBLAS_STATUS_SUCCESS &&
                         time_launches(args, &candidates[i].algo, 1, from, to, stream) >= 0.0f;
        best_us[i] = runs ? time_launches(args, &candidates[i].algo, 1, from, to, stream) : -1.0f;
        launches[i] = best_us[i] > 0.0f && best_us[i] < 300.0f ? 1 + (int)(300.0f / (best_us[i] + 3.0f)) : 1;
    }
    for (int round = 0; round < TIMING_ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            const float us = best_us[i] < 0.0f
                                 ? -1.0f
                                 : time_launches(args, &candidates[i].algo, launches[i], from, to, stream);
            best_us[i] = us < 0.0f ? -1.0f : round == 0 || us < best_us[i] ? us : best_us[i];
        }
    for (int i = 0; i < count; i++)
        if (best_us[i] >= 0.0f && (best < 0 || best_us[i] < best_us[best]))
            best = i;
    return best;
}

static assay_status choose_algorithm(const matmul_args *args, assay_stream stream)
{
    cublasLtMatmulHeuristicResult_t candidates[MAX_CANDIDATES];
    memset(candidates, 0, sizeof candidates);
    int count = 0, best = -1;
    cudaEvent_t from = NULL, to = NULL;
    assay_status status = list_candidates(candidates, &count);
    if (status == ASSAY_OK)
        status = peer_check_cuda(cudaEventCreate(&from), PEER, "event");
    if (status == ASSAY_OK)
        status = peer_check_cuda(cudaEventCreate(&to), PEER, "event");
    if (status == ASSAY_OK) {
        best = fastest(args, candidates, count, from, to, stream);
        if (best < 0)
            status = peer_fail(ASSAY_ERR_UNSUPPORTED, PEER, "algorithms", "none of the candidates ran");
        else
            state.algorithm = candidates[best].algo;
    }
    if (from)
        cudaEventDestroy(from);
    if (to)
        cudaEventDestroy(to);
    return status;
}

void matmul_release(void)
{
    cudaFree(state.workspace); /* NULL is fine */
    if (state.out)
        cublasLtMatrixLayoutDestroy(state.out);
    if (state.right)
        cublasLtMatrixLayoutDestroy(state.right);
    if (state.left)
        cublasLtMatrixLayoutDestroy(state.left);
    if (state.operation)
        cublasLtMatmulDescDestroy(state.operation);
    if (state.handle)
        cublasLtDestroy(state.handle);
    memset(&state, 0, sizeof state);
}

assay_status matmul_prepare(const matmul_args *problem, assay_stream stream)
{
    matmul_release();
    state.m = problem->m;
    state.n = problem->n;
    state.k = problem->k;
    state.alignment = peer_alignment(problem->a, problem->b, problem->c);
    if (problem->m > 0 && problem->n > 0 && problem->k > 0) {
        assay_status status = describe_problem(problem);
        if (status == ASSAY_OK)
            status = choose_algorithm(problem, stream);
        if (status != ASSAY_OK) {
            matmul_release();
            return status;
        }
    }
    state.ready = 1;
    return ASSAY_OK;
}

assay_status matmul_run(const matmul_args *problem, assay_stream stream)
{
    if (!state.ready || problem->m != state.m || problem->n != state.n || problem->k != state.k ||
        peer_alignment(problem->a, problem->b, problem->c) < state.alignment)
        return peer_fail(ASSAY_ERR_INVALID, PEER, "run", "not prepared for this shape and alignment");
    if (problem->m == 0 || problem->n == 0)
        return ASSAY_OK;
    if (problem->k == 0)
        return peer_zero_output(problem->c, problem->m, problem->n, stream, PEER);
    return check(enqueue(problem, &state.algorithm, stream), "launch");
}

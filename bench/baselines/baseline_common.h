/* What every library baseline shares: the module's element type in the CUDA libraries' terms, checked calls, and the notes in
 * which a baseline says what it is, what it chose and why it failed. Header-only, because a baseline is one file and one shared
 * object; fit for C and C++, because some baselines need nvcc. */
#ifndef ASSAY_BENCH_BASELINE_COMMON_H
#define ASSAY_BENCH_BASELINE_COMMON_H

#include <assay/module.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if ASSAY_DTYPE_F32
#define BASELINE_DATA_TYPE     CUDA_R_32F
#define BASELINE_ELEMENT_BYTES 4
#elif ASSAY_DTYPE_F16
#define BASELINE_DATA_TYPE     CUDA_R_16F
#define BASELINE_ELEMENT_BYTES 2
#elif ASSAY_DTYPE_BF16
#define BASELINE_DATA_TYPE     CUDA_R_16BF
#define BASELINE_ELEMENT_BYTES 2
#else
#error "compile with one of -DASSAY_DTYPE_F32=1, -DASSAY_DTYPE_F16=1, -DASSAY_DTYPE_BF16=1"
#endif
#ifndef ASSAY_DTYPE_TF32 /* 1 beside ASSAY_DTYPE_F32 where the math mode is tf32 */
#define ASSAY_DTYPE_TF32 0
#endif

#ifdef __cplusplus
#define BASELINE_EXTERN_C extern "C"
#else
#define BASELINE_EXTERN_C extern
#endif

static assay_baseline_notes baseline_notes;

/* What a baseline of `op` has beside the <op>_run that the op's header declares. Typed, so that the definitions are checked; the
 * harness calls them with the same pointer as assay_prepare_fn, assay_release_fn and assay_notes_fn. */
#define BASELINE_DECLARE(op)                                                                              \
    BASELINE_EXTERN_C ASSAY_EXPORT assay_status op##_prepare(const op##_args *args, assay_stream stream); \
    BASELINE_EXTERN_C ASSAY_EXPORT void op##_release(void);                                               \
    BASELINE_EXTERN_C ASSAY_EXPORT const assay_baseline_notes *op##_notes(void);                          \
    const assay_baseline_notes *op##_notes(void)                                                          \
    {                                                                                                     \
        return &baseline_notes;                                                                           \
    }                                                                                                     \
    struct op##_args

static inline assay_status baseline_fail(assay_status status, const char *what, const char *why)
{
    snprintf(baseline_notes.reason, sizeof baseline_notes.reason, "%.80s: %.160s", what, why);
    return status;
}

static inline assay_status baseline_check_cuda(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return ASSAY_OK;
    return baseline_fail(code == cudaErrorMemoryAllocation ? ASSAY_ERR_NO_MEMORY : ASSAY_ERR_DEVICE, what,
                         cudaGetErrorString(code));
}

/* Workspace that NVIDIA recommends for cuBLAS: 32 MiB on Hopper, 4 MiB before it; doubled for the first and raised to 32
 * for the second, so that no algorithm is ruled out for want of it. Source: cuBLAS documentation, cublasSetWorkspace. */
static inline assay_status baseline_gemm_workspace_bytes(size_t *bytes)
{
    int device = 0, major = 0;
    assay_status status = baseline_check_cuda(cudaGetDevice(&device), "current device");
    if (status == ASSAY_OK)
        status = baseline_check_cuda(
            cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "compute capability");
    *bytes = (size_t)(major >= 9 ? 64 : 32) << 20;
    return status;
}

/* Largest power of two, up to 256, that divides all three addresses: what an algorithm may rely on. */
static inline uint32_t baseline_alignment(const void *a, const void *b, const void *c)
{
    const uintptr_t bits = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c | 256u;
    return (uint32_t)(bits & (~bits + 1u));
}

/* A product over an empty inner dimension is all zeros: the libraries reject or skip it, the definition does not. */
static inline assay_status baseline_zero_output(void *c, int64_t m, int64_t n, assay_stream stream)
{
    const size_t bytes = (size_t)m * (size_t)n * BASELINE_ELEMENT_BYTES;
    return baseline_check_cuda(cudaMemsetAsync(c, 0, bytes, stream), "fill of the output");
}

#endif

/* Stand-ins for the few CUDA calls of a library baseline, on host memory, so that a baseline's logic is tested without a GPU.
 * Include once, after the baseline's own file. */
#ifndef ASSAY_TESTS_FAKE_CUDA_H
#define ASSAY_TESTS_FAKE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int allocations; /* not freed yet: memory, events, handles */
    float clock_ms;  /* advances by what each product is said to take */
} fake;

cudaError_t CUDARTAPI cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMalloc(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    fake.allocations++;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFree(void *pointer)
{
    fake.allocations -= pointer != NULL;
    free(pointer);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    memset(pointer, value, bytes);
    return cudaSuccess;
}

const char *CUDARTAPI cudaGetErrorString(cudaError_t code)
{
    return code == cudaSuccess ? "no error" : "an error";
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *event)
{
    *event = malloc(sizeof(float));
    fake.allocations++;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    fake.allocations--;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    memcpy(event, &fake.clock_ms, sizeof fake.clock_ms);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    float start, end;
    memcpy(&start, from, sizeof start);
    memcpy(&end, to, sizeof end);
    *ms = end - start;
    return cudaSuccess;
}

/* c = alpha a b + beta c, column-major with leading dimensions, as BLAS defines it. */
static inline void column_major_product(int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                                        int64_t lda, int transpose_a, const float *b, int64_t ldb,
                                        int transpose_b, float beta, float *c, int64_t ldc)
{
    for (int64_t column = 0; column < n; column++)
        for (int64_t row = 0; row < m; row++) {
            float sum = 0.0f;
            for (int64_t i = 0; i < k; i++)
                sum += a[transpose_a ? i + row * lda : row + i * lda] *
                       b[transpose_b ? column + i * ldb : i + column * ldb];
            float *out = &c[row + column * ldc];
            *out = alpha * sum + (beta == 0.0f ? 0.0f : beta * *out);
        }
}

#endif

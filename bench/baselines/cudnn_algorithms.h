/* The convolution calls that cuDNN had before its graphs: one candidate an algorithm, Winograd and FFT among them. torch's convolutions still come
 * from these algorithms or from graphs, whichever its own search finds faster, so a baseline without them may be slower than torch.
 *
 * Every algorithm with a workspace within the limit is a candidate: this is what cudnnFindConvolutionForwardAlgorithmEx tries, timed by
 * baseline_search.h like all other candidates. Math mode: f32 operands are not rounded to tf32. Source: cuDNN API reference, cudnn_cnn library. */
#ifndef ASSAY_BENCH_CUDNN_ALGORITHMS_H
#define ASSAY_BENCH_CUDNN_ALGORITHMS_H

#include "bench/baselines/cudnn_graph.h"
#include "bench/baselines/cudnn_limits.h"

typedef struct cudnn_algorithms {
    cudnn_descriptor x, w, y, bias, how;
    int described; /* 1: the descriptors are set, so cudnn_add_bias() works */
    int count;
    int algorithm[CUDNN_ALGORITHMS];
    int64_t workspace_bytes[CUDNN_ALGORITHMS];
} cudnn_algorithms;

static inline const char *cudnn_algorithm_name(int algorithm)
{
    static const char *const names[CUDNN_ALGORITHMS] = {
        "implicit GEMM", "implicit precomputed GEMM",  "GEMM", "direct", "FFT", "FFT in tiles",
        "Winograd",      "Winograd in several kernels"};
    return names[algorithm];
}

/* Algorithms that transform their operands round other values than a sum of products does. */
static inline int cudnn_algorithm_transforms(int algorithm)
{
    return algorithm >= CUDNN_ALGORITHM_FFT;
}

static inline void cudnn_algorithms_release(cudnn_algorithms *a)
{
    if (a->x)
        cudnn.destroy_tensor(a->x);
    if (a->w)
        cudnn.destroy_filter(a->w);
    if (a->y)
        cudnn.destroy_tensor(a->y);
    if (a->bias)
        cudnn.destroy_tensor(a->bias);
    if (a->how)
        cudnn.destroy_convolution(a->how);
    memset(a, 0, sizeof *a);
}

static inline int cudnn_fits_int(const cudnn_shape *s)
{
    for (int i = 0; i < 4; i++)
        if (s->dim[i] > INT32_MAX || s->stride[i] > INT32_MAX)
            return 0;
    return 1;
}

static inline int cudnn_set_tensor(cudnn_descriptor d, const cudnn_shape *s)
{
    return cudnn.set_tensor(d, CUDNN_IO_TYPE, (int)s->dim[0], (int)s->dim[1], (int)s->dim[2], (int)s->dim[3],
                            (int)s->stride[0], (int)s->stride[1], (int)s->stride[2],
                            (int)s->stride[3]) == CUDNN_OK;
}

static inline int cudnn_describe_algorithms(cudnn_algorithms *a, const cudnn_shape *x, const cudnn_shape *w,
                                            const cudnn_shape *y, const cudnn_shape *bias, int channels_last,
                                            const cudnn_convolution_how *how)
{
    return cudnn.create_tensor(&a->x) == CUDNN_OK && cudnn.create_tensor(&a->y) == CUDNN_OK &&
           cudnn.create_filter(&a->w) == CUDNN_OK && cudnn.create_tensor(&a->bias) == CUDNN_OK &&
           cudnn.create_convolution(&a->how) == CUDNN_OK && cudnn_set_tensor(a->x, x) &&
           cudnn_set_tensor(a->y, y) && cudnn_set_tensor(a->bias, bias) &&
           cudnn.set_filter(a->w, CUDNN_IO_TYPE, channels_last, (int)w->dim[0], (int)w->dim[1],
                            (int)w->dim[2], (int)w->dim[3]) == CUDNN_OK &&
           cudnn.set_convolution(a->how, (int)how->padding[0], (int)how->padding[1], (int)how->stride[0],
                                 (int)how->stride[1], (int)how->dilation[0], (int)how->dilation[1],
                                 CUDNN_MODE_CROSS_CORRELATION, CUDNN_FLOAT) == CUDNN_OK &&
           cudnn.set_groups(a->how, (int)how->groups) == CUDNN_OK &&
           cudnn.set_math(a->how, CUDNN_IO_TYPE == CUDNN_FLOAT ? CUDNN_MATH_FMA : CUDNN_MATH_TENSOR_OP) ==
               CUDNN_OK;
}

/* List what this cuDNN has for the problem; none where it lacks these calls or a dimension does not fit their ints. */
static inline void cudnn_list_algorithms(cudnn_algorithms *a, cudnn_handle handle, const cudnn_shape *x,
                                         const cudnn_shape *w, const cudnn_shape *y, const cudnn_shape *bias,
                                         int channels_last, const cudnn_convolution_how *how)
{
    a->count = 0;
    if (!cudnn_found.has_algorithms || !cudnn_fits_int(x) || !cudnn_fits_int(w) || !cudnn_fits_int(y) ||
        !cudnn_describe_algorithms(a, x, w, y, bias, channels_last, how))
        return;
    a->described = 1;
    for (int algorithm = 0; algorithm < CUDNN_ALGORITHMS; algorithm++) {
        size_t bytes = 0;
        if (cudnn.get_workspace_size(handle, a->x, a->w, a->how, a->y, algorithm, &bytes) != CUDNN_OK ||
            bytes > (size_t)CUDNN_WORKSPACE_LIMIT)
            continue;
        a->algorithm[a->count] = algorithm;
        a->workspace_bytes[a->count++] = (int64_t)bytes;
    }
}

/* Enqueue one on the handle's stream: y is overwritten. */
static inline int cudnn_run_algorithm(const cudnn_algorithms *a, cudnn_handle handle, int index,
                                      const void *x, const void *w, void *y, void *workspace)
{
    const float one = 1.0f, zero = 0.0f;
    return cudnn.convolution_forward(handle, &one, a->x, x, a->w, w, a->how, a->algorithm[index], workspace,
                                     (size_t)a->workspace_bytes[index], &zero, a->y, y);
}

/* y += bias, one value an output channel. Graphs that add a bias have no plan in some layouts; this call has one in each. */
static inline int cudnn_add_bias(const cudnn_algorithms *a, cudnn_handle handle, const void *bias, void *y)
{
    const float one = 1.0f;
    return cudnn.add_tensor(handle, &one, a->bias, bias, &one, a->y, y);
}

#endif

/* Operation graphs of cuDNN's backend API, in as few words as the cuDNN baselines need: tensors, operations, the plans that the
 * heuristics offer for a graph, and running one.
 *
 * A graph keeps every descriptor it made and the first failure; functions on a failed graph do nothing, so that a graph is
 * written down without a check after each line and cudnn_graph_finish() reports. Names follow the API reference. */
#ifndef ASSAY_BENCH_CUDNN_GRAPH_H
#define ASSAY_BENCH_CUDNN_GRAPH_H

#include "bench/baselines/cudnn_load.h"

enum { CUDNN_MOST_DESCRIPTORS = 1024, CUDNN_MOST_OPERATIONS = 32, CUDNN_MOST_PLANS = 96 };

#if ASSAY_DTYPE_F32
#define CUDNN_IO_TYPE CUDNN_FLOAT
#elif ASSAY_DTYPE_F16
#define CUDNN_IO_TYPE CUDNN_HALF
#else
#define CUDNN_IO_TYPE CUDNN_BFLOAT16
#endif

typedef struct cudnn_plan {
    cudnn_descriptor plan; /* owned by its graph */
    int64_t engine, workspace_bytes;
    int transforms; /* Winograd or FFT */
} cudnn_plan;

typedef struct cudnn_graph {
    cudnn_handle handle;                /* NULL with device_properties: plans that cannot run here */
    cudnn_descriptor device_properties; /* borrowed; NULL: those of the handle's device */
    cudnn_descriptor owned[CUDNN_MOST_DESCRIPTORS];
    cudnn_descriptor operations[CUDNN_MOST_OPERATIONS];
    cudnn_descriptor graph;
    int owned_count, operation_count, failed;
    char why[200];
    int plan_count, offered; /* plans that could be made, of the configurations offered */
    cudnn_plan plans[CUDNN_MOST_PLANS];
} cudnn_graph;

static inline void cudnn_graph_release(cudnn_graph *g)
{
    for (int i = g->owned_count - 1; i >= 0; i--)
        cudnn.destroy_descriptor(g->owned[i]);
    memset(g, 0, sizeof *g);
}

/* cuDNN's own words have several lines with file names of its sources; the first says what is wrong. */
static inline void cudnn_graph_fail(cudnn_graph *g, int status, const char *what)
{
    char words[160] = "";
    if (g->failed)
        return;
    g->failed = status ? status : -1;
    cudnn.get_last_error_string(words, sizeof words);
    words[strcspn(words, "\n")] = '\0';
    snprintf(g->why, sizeof g->why, "%.40s: %.150s", what, words[0] ? words : cudnn.get_error_string(status));
}

static inline cudnn_descriptor cudnn_make(cudnn_graph *g, int type, const char *what)
{
    cudnn_descriptor made = NULL;
    if (g->failed)
        return NULL;
    if (g->owned_count == CUDNN_MOST_DESCRIPTORS) {
        cudnn_graph_fail(g, -1, "too many descriptors");
        return NULL;
    }
    const int status = cudnn.create_descriptor(type, &made);
    if (status != CUDNN_OK)
        cudnn_graph_fail(g, status, what);
    else
        g->owned[g->owned_count++] = made;
    return made;
}

static inline void cudnn_set(cudnn_graph *g, cudnn_descriptor d, int name, int type, int64_t count,
                             const void *values)
{
    if (g->failed)
        return;
    const int status = cudnn.set_attribute(d, name, type, count, values);
    char what[40];
    snprintf(what, sizeof what, "attribute %d", name);
    if (status != CUDNN_OK)
        cudnn_graph_fail(g, status, what);
}

static inline void cudnn_set_int(cudnn_graph *g, cudnn_descriptor d, int name, int type, int value)
{
    cudnn_set(g, d, name, type, 1, &value);
}

static inline void cudnn_set_descriptor(cudnn_graph *g, cudnn_descriptor d, int name, cudnn_descriptor value)
{
    cudnn_set(g, d, name, CUDNN_T_DESCRIPTOR, 1, &value);
}

static inline void cudnn_finish(cudnn_graph *g, cudnn_descriptor d, const char *what)
{
    if (g->failed)
        return;
    const int status = cudnn.finalize(d);
    if (status != CUDNN_OK)
        cudnn_graph_fail(g, status, what);
}

/* ---- tensors: 4 dimensions, strides in elements ---- */

typedef struct cudnn_shape {
    int64_t dim[4], stride[4];
} cudnn_shape;

static inline cudnn_shape cudnn_packed(int64_t a, int64_t b, int64_t c, int64_t d)
{
    const cudnn_shape shape = {{a, b, c, d}, {b * c * d, c * d, d, 1}};
    return shape;
}

/* Channels last: dimensions are named in the order N, C, H, W, in memory C is innermost. */
static inline cudnn_shape cudnn_channels_last(int64_t n, int64_t c, int64_t h, int64_t w)
{
    const cudnn_shape shape = {{n, c, h, w}, {c * h * w, 1, c * w, c}};
    return shape;
}

enum cudnn_tensor_kind { CUDNN_IN_MEMORY, CUDNN_BETWEEN, CUDNN_BY_VALUE };

/* `uid` names the tensor within its graph and in cudnn_run(). BETWEEN: handed from one operation to the next without memory
 * of the caller's. BY_VALUE: one number that cudnn_run() reads from host memory. */
static inline cudnn_descriptor cudnn_tensor(cudnn_graph *g, int64_t uid, int data_type, cudnn_shape shape,
                                            enum cudnn_tensor_kind kind)
{
    const int64_t alignment = 16;
    const unsigned char yes = 1;
    cudnn_descriptor t = cudnn_make(g, CUDNN_D_TENSOR, "tensor");
    cudnn_set_int(g, t, CUDNN_A_TENSOR_DATA_TYPE, CUDNN_T_DATA_TYPE, data_type);
    cudnn_set(g, t, CUDNN_A_TENSOR_DIMENSIONS, CUDNN_T_INT64, 4, shape.dim);
    cudnn_set(g, t, CUDNN_A_TENSOR_STRIDES, CUDNN_T_INT64, 4, shape.stride);
    cudnn_set(g, t, CUDNN_A_TENSOR_UNIQUE_ID, CUDNN_T_INT64, 1, &uid);
    cudnn_set(g, t, CUDNN_A_TENSOR_BYTE_ALIGNMENT, CUDNN_T_INT64, 1, &alignment);
    if (kind == CUDNN_BETWEEN)
        cudnn_set(g, t, CUDNN_A_TENSOR_IS_VIRTUAL, CUDNN_T_BOOLEAN, 1, &yes);
    if (kind == CUDNN_BY_VALUE)
        cudnn_set(g, t, CUDNN_A_TENSOR_IS_BY_VALUE, CUDNN_T_BOOLEAN, 1, &yes);
    cudnn_finish(g, t, "tensor");
    return t;
}

/* ---- operations ---- */

static inline void cudnn_add_operation(cudnn_graph *g, cudnn_descriptor operation, const char *what)
{
    cudnn_finish(g, operation, what);
    if (!g->failed && g->operation_count < CUDNN_MOST_OPERATIONS)
        g->operations[g->operation_count++] = operation;
}

/* y = mode(x, b), or mode(x, b, t) for a selection; b and t may be NULL. `axis` is for GEN_INDEX, else -1. */
static inline void cudnn_pointwise(cudnn_graph *g, int mode, int math_type, int64_t axis, cudnn_descriptor x,
                                   cudnn_descriptor b, cudnn_descriptor t, cudnn_descriptor y)
{
    cudnn_descriptor how = cudnn_make(g, CUDNN_D_POINTWISE, "pointwise");
    cudnn_set_int(g, how, CUDNN_A_POINTWISE_MODE, CUDNN_T_POINTWISE_MODE, mode);
    cudnn_set_int(g, how, CUDNN_A_POINTWISE_MATH_PREC, CUDNN_T_DATA_TYPE, math_type);
    if (axis >= 0)
        cudnn_set(g, how, CUDNN_A_POINTWISE_AXIS, CUDNN_T_INT64, 1, &axis);
    cudnn_finish(g, how, "pointwise");
    cudnn_descriptor operation = cudnn_make(g, CUDNN_D_OPERATION_POINTWISE, "pointwise operation");
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_POINTWISE_DESC, how);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_POINTWISE_X, x);
    if (b)
        cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_POINTWISE_B, b);
    if (t)
        cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_POINTWISE_T, t);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_POINTWISE_Y, y);
    cudnn_add_operation(g, operation, "pointwise operation");
}

static inline void cudnn_matmul(cudnn_graph *g, cudnn_descriptor a, cudnn_descriptor b, cudnn_descriptor c)
{
    cudnn_descriptor how = cudnn_make(g, CUDNN_D_MATMUL, "matmul");
    cudnn_set_int(g, how, CUDNN_A_MATMUL_COMP_TYPE, CUDNN_T_DATA_TYPE, CUDNN_FLOAT);
    cudnn_finish(g, how, "matmul");
    cudnn_descriptor operation = cudnn_make(g, CUDNN_D_OPERATION_MATMUL, "matmul operation");
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_MATMUL_A, a);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_MATMUL_B, b);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_MATMUL_C, c);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_MATMUL_DESC, how);
    cudnn_add_operation(g, operation, "matmul operation");
}

/* `reduce` is CUDNN_REDUCE_ADD or _MAX, over the dimensions that are 1 in y. */
static inline void cudnn_reduction(cudnn_graph *g, int reduce, cudnn_descriptor x, cudnn_descriptor y)
{
    cudnn_descriptor how = cudnn_make(g, CUDNN_D_REDUCTION, "reduction");
    cudnn_set_int(g, how, CUDNN_A_REDUCTION_OPERATOR, CUDNN_T_REDUCTION_OPERATOR, reduce);
    cudnn_set_int(g, how, CUDNN_A_REDUCTION_COMP_TYPE, CUDNN_T_DATA_TYPE, CUDNN_FLOAT);
    cudnn_finish(g, how, "reduction");
    cudnn_descriptor operation = cudnn_make(g, CUDNN_D_OPERATION_REDUCTION, "reduction operation");
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_REDUCTION_X, x);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_REDUCTION_Y, y);
    cudnn_set_descriptor(g, operation, CUDNN_A_OPERATION_REDUCTION_DESC, how);
    cudnn_add_operation(g, operation, "reduction operation");
}

/* Along h, then along w. A graph takes the groups from the shapes. */
typedef struct cudnn_convolution_how {
    int64_t stride[2], padding[2], dilation[2], groups;
} cudnn_convolution_how;

/* y = convolution of x with w (cross-correlation, as deep learning calls it), sums in f32. */
static inline void cudnn_convolution(cudnn_graph *g, const cudnn_convolution_how *how_to, cudnn_descriptor x,
                                     cudnn_descriptor w, cudnn_descriptor y)
{
    const int64_t two = 2;
    const float one = 1.0f, zero = 0.0f;
    cudnn_descriptor how = cudnn_make(g, CUDNN_D_CONVOLUTION, "convolution");
    cudnn_set_int(g, how, CUDNN_A_CONVOLUTION_COMP_TYPE, CUDNN_T_DATA_TYPE, CUDNN_FLOAT);
    cudnn_set_int(g, how, CUDNN_A_CONVOLUTION_CONV_MODE, CUDNN_T_CONVOLUTION_MODE,
                  CUDNN_MODE_CROSS_CORRELATION);
    cudnn_set(g, how, CUDNN_A_CONVOLUTION_SPATIAL_DIMS, CUDNN_T_INT64, 1, &two);
    cudnn_set(g, how, CUDNN_A_CONVOLUTION_PRE_PADDINGS, CUDNN_T_INT64, 2, how_to->padding);
    cudnn_set(g, how, CUDNN_A_CONVOLUTION_POST_PADDINGS, CUDNN_T_INT64, 2, how_to->padding);
    cudnn_set(g, how, CUDNN_A_CONVOLUTION_DILATIONS, CUDNN_T_INT64, 2, how_to->dilation);
    cudnn_set(g, how, CUDNN_A_CONVOLUTION_FILTER_STRIDES, CUDNN_T_INT64, 2, how_to->stride);
    cudnn_finish(g, how, "convolution");
    cudnn_descriptor operation =
        cudnn_make(g, CUDNN_D_OPERATION_CONVOLUTION_FORWARD, "convolution operation");
    cudnn_set(g, operation, CUDNN_A_CONVOLUTION_FORWARD_ALPHA, CUDNN_T_FLOAT, 1, &one);
    cudnn_set(g, operation, CUDNN_A_CONVOLUTION_FORWARD_BETA, CUDNN_T_FLOAT, 1, &zero);
    cudnn_set_descriptor(g, operation, CUDNN_A_CONVOLUTION_FORWARD_CONV_DESC, how);
    cudnn_set_descriptor(g, operation, CUDNN_A_CONVOLUTION_FORWARD_X, x);
    cudnn_set_descriptor(g, operation, CUDNN_A_CONVOLUTION_FORWARD_W, w);
    cudnn_set_descriptor(g, operation, CUDNN_A_CONVOLUTION_FORWARD_Y, y);
    cudnn_add_operation(g, operation, "convolution operation");
}

/* The graph of all operations added so far. 1 if it could be made. */
static inline int cudnn_graph_finish(cudnn_graph *g)
{
    g->graph = cudnn_make(g, CUDNN_D_OPERATIONGRAPH, "graph");
    cudnn_set(g, g->graph, CUDNN_A_OPERATIONGRAPH_OPS, CUDNN_T_DESCRIPTOR, g->operation_count, g->operations);
    if (g->handle)
        cudnn_set(g, g->graph, CUDNN_A_OPERATIONGRAPH_HANDLE, CUDNN_T_HANDLE, 1, &g->handle);
    cudnn_finish(g, g->graph, "graph");
    return !g->failed;
}

#endif

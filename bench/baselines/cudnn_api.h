/* The few functions, types and numbers of cuDNN that its baselines use: the backend API, and the convolution calls before it.
 *
 * Declared here and not taken from cudnn.h, because the library is found at run time (cudnn_load.h) and its headers are on few
 * building machines. Source: NVIDIA's cuDNN API reference, "cudnn_graph Library", version 9; the numbers are part of its binary
 * interface and do not change within a major version. tests/bench_baselines/cudnn_numbers_test.c holds them against cudnn.h where
 * that is installed. */
#ifndef ASSAY_BENCH_CUDNN_API_H
#define ASSAY_BENCH_CUDNN_API_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cudnn_handle_s *cudnn_handle;
typedef void *cudnn_descriptor;

enum { CUDNN_OK = 0, CUDNN_MAJOR_USED = 9 };

enum cudnn_data_type {
    CUDNN_FLOAT = 0,
    CUDNN_HALF = 2,
    CUDNN_INT32 = 4,
    CUDNN_BFLOAT16 = 9,
    CUDNN_BOOLEAN = 11
};

enum cudnn_descriptor_type {
    CUDNN_D_POINTWISE = 0,
    CUDNN_D_CONVOLUTION = 1,
    CUDNN_D_ENGINE = 2,
    CUDNN_D_ENGINECFG = 3,
    CUDNN_D_ENGINEHEUR = 4,
    CUDNN_D_EXECUTION_PLAN = 5,
    CUDNN_D_OPERATION_CONVOLUTION_FORWARD = 10,
    CUDNN_D_OPERATION_POINTWISE = 13,
    CUDNN_D_OPERATIONGRAPH = 15,
    CUDNN_D_VARIANT_PACK = 16,
    CUDNN_D_TENSOR = 17,
    CUDNN_D_MATMUL = 18,
    CUDNN_D_OPERATION_MATMUL = 19,
    CUDNN_D_REDUCTION = 21,
    CUDNN_D_OPERATION_REDUCTION = 22,
    CUDNN_D_DEVICEPROP = 38
};

enum cudnn_attribute {
    CUDNN_A_POINTWISE_MODE = 0,
    CUDNN_A_POINTWISE_MATH_PREC = 1,
    CUDNN_A_POINTWISE_AXIS = 9,
    CUDNN_A_CONVOLUTION_COMP_TYPE = 100,
    CUDNN_A_CONVOLUTION_CONV_MODE = 101,
    CUDNN_A_CONVOLUTION_DILATIONS = 102,
    CUDNN_A_CONVOLUTION_FILTER_STRIDES = 103,
    CUDNN_A_CONVOLUTION_POST_PADDINGS = 104,
    CUDNN_A_CONVOLUTION_PRE_PADDINGS = 105,
    CUDNN_A_CONVOLUTION_SPATIAL_DIMS = 106,
    CUDNN_A_ENGINEHEUR_MODE = 200,
    CUDNN_A_ENGINEHEUR_OPERATION_GRAPH = 201,
    CUDNN_A_ENGINEHEUR_RESULTS = 202,
    CUDNN_A_ENGINEHEUR_DEVICEPROP = 204,
    CUDNN_A_ENGINECFG_ENGINE = 300,
    CUDNN_A_EXECUTION_PLAN_HANDLE = 400,
    CUDNN_A_EXECUTION_PLAN_ENGINE_CONFIG = 401,
    CUDNN_A_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
    CUDNN_A_EXECUTION_PLAN_DEVICEPROP = 407,
    CUDNN_A_CONVOLUTION_FORWARD_ALPHA = 700,
    CUDNN_A_CONVOLUTION_FORWARD_BETA = 701,
    CUDNN_A_CONVOLUTION_FORWARD_CONV_DESC = 702,
    CUDNN_A_CONVOLUTION_FORWARD_W = 703,
    CUDNN_A_CONVOLUTION_FORWARD_X = 704,
    CUDNN_A_CONVOLUTION_FORWARD_Y = 705,
    CUDNN_A_OPERATION_POINTWISE_DESC = 750,
    CUDNN_A_OPERATION_POINTWISE_X = 751,
    CUDNN_A_OPERATION_POINTWISE_B = 752,
    CUDNN_A_OPERATION_POINTWISE_Y = 753,
    CUDNN_A_OPERATION_POINTWISE_T = 758,
    CUDNN_A_OPERATIONGRAPH_HANDLE = 800,
    CUDNN_A_OPERATIONGRAPH_OPS = 801,
    CUDNN_A_OPERATIONGRAPH_ENGINE_COUNT = 802,
    CUDNN_A_TENSOR_BYTE_ALIGNMENT = 900,
    CUDNN_A_TENSOR_DATA_TYPE = 901,
    CUDNN_A_TENSOR_DIMENSIONS = 902,
    CUDNN_A_TENSOR_STRIDES = 903,
    CUDNN_A_TENSOR_UNIQUE_ID = 906,
    CUDNN_A_TENSOR_IS_VIRTUAL = 907,
    CUDNN_A_TENSOR_IS_BY_VALUE = 908,
    CUDNN_A_VARIANT_PACK_UNIQUE_IDS = 1000,
    CUDNN_A_VARIANT_PACK_DATA_POINTERS = 1001,
    CUDNN_A_VARIANT_PACK_WORKSPACE = 1003,
    CUDNN_A_ENGINE_OPERATION_GRAPH = 1300,
    CUDNN_A_ENGINE_GLOBAL_INDEX = 1301,
    CUDNN_A_ENGINE_NUMERICAL_NOTE = 1303,
    CUDNN_A_MATMUL_COMP_TYPE = 1500,
    CUDNN_A_OPERATION_MATMUL_A = 1520,
    CUDNN_A_OPERATION_MATMUL_B = 1521,
    CUDNN_A_OPERATION_MATMUL_C = 1522,
    CUDNN_A_OPERATION_MATMUL_DESC = 1523,
    CUDNN_A_REDUCTION_OPERATOR = 1600,
    CUDNN_A_REDUCTION_COMP_TYPE = 1601,
    CUDNN_A_OPERATION_REDUCTION_X = 1610,
    CUDNN_A_OPERATION_REDUCTION_Y = 1611,
    CUDNN_A_OPERATION_REDUCTION_DESC = 1612,
    CUDNN_A_DEVICEPROP_JSON = 2702
};

enum cudnn_attribute_type {
    CUDNN_T_HANDLE = 0,
    CUDNN_T_DATA_TYPE = 1,
    CUDNN_T_BOOLEAN = 2,
    CUDNN_T_INT64 = 3,
    CUDNN_T_FLOAT = 4,
    CUDNN_T_VOID_PTR = 6,
    CUDNN_T_CONVOLUTION_MODE = 7,
    CUDNN_T_HEUR_MODE = 8,
    CUDNN_T_NUMERICAL_NOTE = 11,
    CUDNN_T_POINTWISE_MODE = 14,
    CUDNN_T_DESCRIPTOR = 15,
    CUDNN_T_REDUCTION_OPERATOR = 18,
    CUDNN_T_CHAR = 24
};

enum cudnn_pointwise_mode {
    CUDNN_P_ADD = 0,
    CUDNN_P_MUL = 1,
    CUDNN_P_DIV = 6,
    CUDNN_P_SUB = 9,
    CUDNN_P_EXP = 13,
    CUDNN_P_LOG = 15,
    CUDNN_P_CMP_GE = 303,
    CUDNN_P_GEN_INDEX = 501,
    CUDNN_P_BINARY_SELECT = 601
};

enum { CUDNN_REDUCE_ADD = 0, CUDNN_REDUCE_MAX = 3 };
enum { CUDNN_MODE_CROSS_CORRELATION = 1 };
enum { CUDNN_HEUR_B = 1, CUDNN_HEUR_FALLBACK = 2, CUDNN_HEUR_A = 3 };
enum { CUDNN_MATH_TENSOR_OP = 1, CUDNN_MATH_FMA = 3 };
enum {
    CUDNN_ALGORITHM_IMPLICIT_GEMM = 0,
    CUDNN_ALGORITHM_FFT = 4,
    CUDNN_ALGORITHM_WINOGRAD = 6,
    CUDNN_ALGORITHMS = 8
};

/* What an engine says of its arithmetic. */
enum cudnn_numerical_note {
    CUDNN_NOTE_TENSOR_CORE = 0,
    CUDNN_NOTE_DOWN_CONVERT_INPUTS = 1,
    CUDNN_NOTE_REDUCED_PRECISION_REDUCTION = 2,
    CUDNN_NOTE_FFT = 3,
    CUDNN_NOTE_WINOGRAD = 5,
    CUDNN_NOTE_WINOGRAD_TILE_6x6 = 7,
    CUDNN_NOTE_WINOGRAD_TILE_13x13 = 8,
    CUDNN_NOTE_COUNT = 10
};

/* All of these return 0 (CUDNN_OK) or a status; C enumerations are ints here. */
typedef struct cudnn_functions {
    size_t (*get_version)(void);
    const char *(*get_error_string)(int status);
    void (*get_last_error_string)(char *message, size_t bytes);
    int (*create)(cudnn_handle *handle);
    int (*destroy)(cudnn_handle handle);
    int (*set_stream)(cudnn_handle handle, cudaStream_t stream);
    int (*create_descriptor)(int type, cudnn_descriptor *descriptor);
    int (*destroy_descriptor)(cudnn_descriptor descriptor);
    int (*set_attribute)(cudnn_descriptor descriptor, int name, int type, int64_t count, const void *values);
    int (*get_attribute)(cudnn_descriptor descriptor, int name, int type, int64_t wanted, int64_t *count,
                         void *values);
    int (*finalize)(cudnn_descriptor descriptor);
    int (*execute)(cudnn_handle handle, cudnn_descriptor plan, cudnn_descriptor variant_pack);

    /* The calls before graphs. Their descriptors are other types, pointers as well. */
    int (*create_tensor)(cudnn_descriptor *tensor);
    int (*destroy_tensor)(cudnn_descriptor tensor);
    int (*set_tensor)(cudnn_descriptor tensor, int data_type, int n, int c, int h, int w, int n_stride,
                      int c_stride, int h_stride, int w_stride);
    int (*create_filter)(cudnn_descriptor *filter);
    int (*destroy_filter)(cudnn_descriptor filter);
    int (*set_filter)(cudnn_descriptor filter, int data_type, int channels_last, int k, int c, int h, int w);
    int (*create_convolution)(cudnn_descriptor *how);
    int (*destroy_convolution)(cudnn_descriptor how);
    int (*set_convolution)(cudnn_descriptor how, int pad_h, int pad_w, int stride_h, int stride_w,
                           int dilation_h, int dilation_w, int mode, int compute_type);
    int (*set_groups)(cudnn_descriptor how, int groups);
    int (*set_math)(cudnn_descriptor how, int math);
    int (*get_workspace_size)(cudnn_handle handle, cudnn_descriptor x, cudnn_descriptor w,
                              cudnn_descriptor how, cudnn_descriptor y, int algorithm, size_t *bytes);
    int (*convolution_forward)(cudnn_handle handle, const void *alpha, cudnn_descriptor x, const void *x_data,
                               cudnn_descriptor w, const void *w_data, cudnn_descriptor how, int algorithm,
                               void *workspace, size_t workspace_bytes, const void *beta, cudnn_descriptor y,
                               void *y_data);
    int (*add_tensor)(cudnn_handle handle, const void *alpha, cudnn_descriptor a, const void *a_data,
                      const void *beta, cudnn_descriptor c, void *c_data);
} cudnn_functions;

#endif

/* The stand-in's calls from before graphs: convolutions by an algorithm of a list, and adding a bias. */
#include "fake_cudnn_tensor.h"

/* Milliseconds of each algorithm of the calls before graphs; 0: there is none. A negative one computes sums that are off by 1%. */
float fake_cudnn_algorithm_ms[CUDNN_ALGORITHMS];

typedef struct old_descriptor {
    int values[16];
    int channels_last, math;
} old_descriptor;

static int make_old(cudnn_descriptor *out)
{
    fake_cudnn_live++;
    *out = calloc(1, sizeof(old_descriptor));
    return CUDNN_OK;
}

static int free_old(cudnn_descriptor which)
{
    fake_cudnn_live--;
    free(which);
    return CUDNN_OK;
}

#define OLD_DESCRIPTOR(Name)                                   \
    int cudnnCreate##Name##Descriptor(cudnn_descriptor *out)   \
    {                                                          \
        return make_old(out);                                  \
    }                                                          \
    int cudnnDestroy##Name##Descriptor(cudnn_descriptor which) \
    {                                                          \
        return free_old(which);                                \
    }
OLD_DESCRIPTOR(Tensor)
OLD_DESCRIPTOR(Filter)
OLD_DESCRIPTOR(Convolution)

int cudnnSetTensor4dDescriptorEx(cudnn_descriptor which, int type, int n, int c, int h, int w, int sn, int sc,
                                 int sh, int sw)
{
    const int values[] = {n, c, h, w, sn, sc, sh, sw};
    memcpy(((old_descriptor *)which)->values, values, sizeof values);
    return type == CUDNN_FLOAT ? CUDNN_OK : BAD;
}

int cudnnSetFilter4dDescriptor(cudnn_descriptor which, int type, int channels_last, int k, int c, int h,
                               int w)
{
    return channels_last ? cudnnSetTensor4dDescriptorEx(which, type, k, c, h, w, h * w * c, 1, w * c, c)
                         : cudnnSetTensor4dDescriptorEx(which, type, k, c, h, w, c * h * w, h * w, w, 1);
}

int cudnnSetConvolution2dDescriptor(cudnn_descriptor which, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type)
{
    const int values[] = {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w};
    memcpy(((old_descriptor *)which)->values, values, sizeof values);
    return mode == CUDNN_MODE_CROSS_CORRELATION && compute_type == CUDNN_FLOAT ? CUDNN_OK : BAD;
}

int cudnnSetConvolutionGroupCount(cudnn_descriptor which, int groups)
{
    ((old_descriptor *)which)->values[6] = groups;
    return CUDNN_OK;
}

int cudnnSetConvolutionMathType(cudnn_descriptor which, int math)
{
    ((old_descriptor *)which)->math = math;
    return CUDNN_OK;
}

int cudnnGetConvolutionForwardWorkspaceSize(cudnn_handle handle, cudnn_descriptor x, cudnn_descriptor w,
                                            cudnn_descriptor how, cudnn_descriptor y, int algorithm,
                                            size_t *bytes)
{
    *bytes = 8192;
    return handle && x && w && how && y && fake_cudnn_algorithm_ms[algorithm] != 0.0f ? CUDNN_OK : BAD;
}

static tensor old_view(cudnn_descriptor which, void *memory, int64_t dims[8])
{
    for (int i = 0; i < 8; i++)
        dims[i] = ((old_descriptor *)which)->values[i];
    return (tensor){.dim = dims, .stride = dims + 4, .data_type = CUDNN_FLOAT, .memory = memory};
}

int cudnnConvolutionForward(cudnn_handle handle, const void *alpha, cudnn_descriptor x, const void *x_data,
                            cudnn_descriptor w, const void *w_data, cudnn_descriptor how, int algorithm,
                            void *workspace, size_t workspace_bytes, const void *beta, cudnn_descriptor y,
                            void *y_data)
{
    int64_t dims[3][8], at[4];
    const old_descriptor *o = how;
    const int64_t pads[2] = {o->values[0], o->values[1]}, strides[2] = {o->values[2], o->values[3]},
                  dilations[2] = {o->values[4], o->values[5]};
    void *x_memory, *w_memory;
    memcpy(&x_memory, &x_data, sizeof x_memory);
    memcpy(&w_memory, &w_data, sizeof w_memory);
    const tensor in = old_view(x, x_memory, dims[0]), taps = old_view(w, w_memory, dims[1]);
    const tensor out = old_view(y, y_data, dims[2]);
    const float ms = fake_cudnn_algorithm_ms[algorithm];
    if (!handle || !workspace || workspace_bytes < 8192 || o->math != CUDNN_MATH_FMA ||
        *(const float *)alpha != 1.0f || *(const float *)beta != 0.0f || ms == 0.0f)
        return BAD;
    FOR_EACH(at, &out)
    store(&out, at,
          convolve(&in, &taps, at, strides, pads, dilations, at[1] / (out.dim[1] / o->values[6])) *
              (ms < 0.0f ? 1.01 : 1.0));
    if (fake_cudnn_clock)
        *fake_cudnn_clock += fabsf(ms);
    return CUDNN_OK;
}

int cudnnAddTensor(cudnn_handle handle, const void *alpha, cudnn_descriptor a, const void *a_data,
                   const void *beta, cudnn_descriptor c, void *c_data)
{
    int64_t dims[2][8], at[4];
    void *memory;
    memcpy(&memory, &a_data, sizeof memory);
    const tensor bias = old_view(a, memory, dims[0]), out = old_view(c, c_data, dims[1]);
    if (!handle || *(const float *)alpha != 1.0f || *(const float *)beta != 1.0f)
        return BAD;
    FOR_EACH(at, &out)
    store(&out, at, load(&out, at) + load(&bias, at));
    if (fake_cudnn_clock)
        *fake_cudnn_clock += 0.004f;
    return CUDNN_OK;
}

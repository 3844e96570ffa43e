/* A stand-in for cuDNN as a shared library: descriptors are lists of attributes, and executing a plan computes its operation
 * graph element by element on host memory. So what the cuDNN baselines describe is checked by what comes out.
 *
 * The heuristics offer four engines: 0 rounds its inputs, 1 is right and slow, 2 is right and fast, 3 fails to run. A fifth, right and slower, is
 * found by its number alone. The clock that plans
 * advance is the test's own (fake_cudnn_clock). f32, f16 and bf16 tensors; 4 dimensions. */
#include "bench/baselines/cudnn_api.h"
#include <assay/dtype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ATTRIBUTES = 16, MOST_TENSORS = 64, ENGINES = 4, FAILED = 5000, BAD = 2000 };

typedef struct attribute {
    int name, type;
    int64_t count;
    void *values;
} attribute;

typedef struct descriptor {
    int type, count;
    attribute attributes[MOST_ATTRIBUTES];
    int64_t engine;           /* ENGINE, ENGINECFG */
    struct descriptor *graph; /* ENGINECFG */
    double *values;           /* TENSOR that is virtual: what was computed */
} descriptor;

extern float *fake_cudnn_clock;
float *fake_cudnn_clock;
extern int fake_cudnn_live;
int fake_cudnn_live; /* handles and descriptors not destroyed yet */

static const float engine_ms[ENGINES + 1] = {0.001f, 0.050f, 0.020f, 0.001f, 0.070f};

/* Milliseconds of each algorithm of the calls before graphs; 0: there is none. A negative one computes sums that are off by 1%. */
extern float fake_cudnn_algorithm_ms[CUDNN_ALGORITHMS];
float fake_cudnn_algorithm_ms[CUDNN_ALGORITHMS];

size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void)
{
    return 90199;
}

const char *cudnnGetErrorString(int status);
const char *cudnnGetErrorString(int status)
{
    return status == CUDNN_OK ? "no error" : "an error";
}

void cudnnGetLastErrorString(char *message, size_t bytes);
void cudnnGetLastErrorString(char *message, size_t bytes)
{
    if (bytes > 0)
        message[0] = '\0';
}

int cudnnCreate(cudnn_handle *handle);
int cudnnCreate(cudnn_handle *handle)
{
    fake_cudnn_live++;
    *handle = malloc(1);
    return CUDNN_OK;
}

int cudnnDestroy(cudnn_handle handle);
int cudnnDestroy(cudnn_handle handle)
{
    fake_cudnn_live--;
    free(handle);
    return CUDNN_OK;
}

int cudnnSetStream(cudnn_handle handle, cudaStream_t stream);
int cudnnSetStream(cudnn_handle handle, cudaStream_t stream)
{
    (void)stream;
    return handle ? CUDNN_OK : BAD;
}

int cudnnBackendCreateDescriptor(int type, cudnn_descriptor *out);
int cudnnBackendCreateDescriptor(int type, cudnn_descriptor *out)
{
    descriptor *d = calloc(1, sizeof *d);
    d->type = type;
    d->engine = -1;
    fake_cudnn_live++;
    *out = d;
    return CUDNN_OK;
}

int cudnnBackendDestroyDescriptor(cudnn_descriptor which);
int cudnnBackendDestroyDescriptor(cudnn_descriptor which)
{
    descriptor *d = which;
    for (int i = 0; i < d->count; i++)
        free(d->attributes[i].values);
    free(d->values);
    free(d);
    fake_cudnn_live--;
    return CUDNN_OK;
}

static size_t bytes_of(int type)
{
    switch (type) {
    case CUDNN_T_BOOLEAN:
    case CUDNN_T_CHAR:
        return 1;
    case CUDNN_T_INT64:
        return 8;
    case CUDNN_T_HANDLE:
    case CUDNN_T_VOID_PTR:
    case CUDNN_T_DESCRIPTOR:
        return sizeof(void *);
    default:
        return 4;
    }
}

int cudnnBackendSetAttribute(cudnn_descriptor which, int name, int type, int64_t count, const void *values);
int cudnnBackendSetAttribute(cudnn_descriptor which, int name, int type, int64_t count, const void *values)
{
    descriptor *d = which;
    if (!d || d->count == MOST_ATTRIBUTES)
        return BAD;
    attribute *a = &d->attributes[d->count++];
    if (name == CUDNN_A_ENGINE_OPERATION_GRAPH)
        d->graph = *(descriptor *const *)values;
    if (name == CUDNN_A_ENGINE_GLOBAL_INDEX)
        d->engine = *(const int64_t *)values;
    if (name == CUDNN_A_ENGINECFG_ENGINE) {
        d->engine = (*(descriptor *const *)values)->engine;
        d->graph = (*(descriptor *const *)values)->graph;
    }
    *a = (attribute){name, type, count, malloc((size_t)count * bytes_of(type) + 1)};
    memcpy(a->values, values, (size_t)count * bytes_of(type));
    return CUDNN_OK;
}

static const void *find(const descriptor *d, int name)
{
    for (int i = 0; i < d->count; i++)
        if (d->attributes[i].name == name)
            return d->attributes[i].values;
    return NULL;
}

static int get_int(const descriptor *d, int name, int otherwise)
{
    const int *value = find(d, name);
    return value ? *value : otherwise;
}

static descriptor *get_descriptor(const descriptor *d, int name)
{
    descriptor *const *value = find(d, name);
    return value ? *value : NULL;
}

int cudnnBackendFinalize(cudnn_descriptor which);
int cudnnBackendFinalize(cudnn_descriptor which)
{
    return which ? CUDNN_OK : BAD;
}

/* 1: a graph that only adds a bias has no plan, as in cuDNN 9 with channels first. */
extern int fake_cudnn_no_bias_plan;
int fake_cudnn_no_bias_plan;

static int is_without_plan(const descriptor *graph)
{
    for (int i = 0; graph && i < graph->count; i++)
        if (graph->attributes[i].name == CUDNN_A_OPERATIONGRAPH_OPS)
            return fake_cudnn_no_bias_plan && graph->attributes[i].count == 1 &&
                   (*(descriptor *const *)graph->attributes[i].values)->type == CUDNN_D_OPERATION_POINTWISE;
    return 0;
}

static int offer(const descriptor *heuristics, int64_t wanted, int64_t *count, descriptor **configs)
{
    const int first_mode = get_int(heuristics, CUDNN_A_ENGINEHEUR_MODE, -1) == CUDNN_HEUR_A;
    const descriptor *graph = get_descriptor(heuristics, CUDNN_A_ENGINEHEUR_OPERATION_GRAPH);
    *count = first_mode && !is_without_plan(graph) ? ENGINES : 0;
    for (int64_t i = 0; i < *count && i < wanted; i++) {
        configs[i]->engine = i;
        configs[i]->graph = get_descriptor(heuristics, CUDNN_A_ENGINEHEUR_OPERATION_GRAPH);
    }
    return CUDNN_OK;
}

int cudnnBackendGetAttribute(cudnn_descriptor which, int name, int type, int64_t wanted, int64_t *count,
                             void *values);
int cudnnBackendGetAttribute(cudnn_descriptor which, int name, int type, int64_t wanted, int64_t *count,
                             void *values)
{
    (void)type;
    const descriptor *d = which;
    *count = 1;
    if (name == CUDNN_A_ENGINEHEUR_RESULTS)
        return offer(d, wanted, count, values);
    if (name == CUDNN_A_OPERATIONGRAPH_ENGINE_COUNT)
        *(int64_t *)values = is_without_plan(d) ? 0 : ENGINES + 1; /* one more than the heuristics name */
    else if (name == CUDNN_A_ENGINECFG_ENGINE)
        (*(descriptor **)values)->engine = d->engine;
    else if (name == CUDNN_A_ENGINE_GLOBAL_INDEX)
        *(int64_t *)values = d->engine;
    else if (name == CUDNN_A_EXECUTION_PLAN_WORKSPACE_SIZE)
        *(int64_t *)values = 4096;
    else if (name == CUDNN_A_ENGINE_NUMERICAL_NOTE) {
        *count = d->engine == 0;
        *(int *)values = CUDNN_NOTE_DOWN_CONVERT_INPUTS;
    } else
        return BAD;
    return CUDNN_OK;
}

/* ---- running a graph ---- */

typedef struct pack {
    int64_t count;
    const int64_t *uids;
    void *const *pointers;
} pack;

typedef struct tensor {
    descriptor *d;
    const int64_t *dim, *stride;
    int data_type;
    void *memory; /* NULL: d->values, packed */
} tensor;

static tensor view(descriptor *d, const pack *p)
{
    tensor t = {.d = d};
    if (!d)
        return t;
    t.dim = find(d, CUDNN_A_TENSOR_DIMENSIONS);
    t.stride = find(d, CUDNN_A_TENSOR_STRIDES);
    t.data_type = get_int(d, CUDNN_A_TENSOR_DATA_TYPE, -1);
    const int64_t uid = *(const int64_t *)find(d, CUDNN_A_TENSOR_UNIQUE_ID);
    for (int64_t i = 0; i < p->count; i++)
        if (p->uids[i] == uid)
            t.memory = p->pointers[i];
    if (!t.memory && !d->values)
        d->values = calloc((size_t)(t.dim[0] * t.dim[1] * t.dim[2] * t.dim[3]) + 1, sizeof *d->values);
    return t;
}

/* A dimension of 1 is repeated, as everywhere in cuDNN. */
static int64_t offset(const tensor *t, const int64_t at[4])
{
    int64_t where = 0;
    const int64_t packed[4] = {t->dim[1] * t->dim[2] * t->dim[3], t->dim[2] * t->dim[3], t->dim[3], 1};
    for (int i = 0; i < 4; i++)
        where += (t->dim[i] == 1 ? 0 : at[i]) * (t->memory ? t->stride[i] : packed[i]);
    return where;
}

static double load(const tensor *t, const int64_t at[4])
{
    const int64_t i = offset(t, at);
    if (!t->memory)
        return t->d->values[i];
    return t->data_type == CUDNN_HALF       ? assay_f16_to_float(((uint16_t *)t->memory)[i])
           : t->data_type == CUDNN_BFLOAT16 ? assay_bf16_to_float(((uint16_t *)t->memory)[i])
           : t->data_type == CUDNN_INT32    ? ((int32_t *)t->memory)[i]
                                            : ((float *)t->memory)[i];
}

static void store(const tensor *t, const int64_t at[4], double value)
{
    const int64_t i = offset(t, at);
    if (!t->memory)
        t->d->values[i] = value;
    else if (t->data_type == CUDNN_HALF)
        ((uint16_t *)t->memory)[i] = assay_float_to_f16((float)value);
    else if (t->data_type == CUDNN_BFLOAT16)
        ((uint16_t *)t->memory)[i] = assay_float_to_bf16((float)value);
    else
        ((float *)t->memory)[i] = (float)value;
}

#define FOR_EACH(at, t)                                   \
    for (at[0] = 0; at[0] < (t)->dim[0]; at[0]++)         \
        for (at[1] = 0; at[1] < (t)->dim[1]; at[1]++)     \
            for (at[2] = 0; at[2] < (t)->dim[2]; at[2]++) \
                for (at[3] = 0; at[3] < (t)->dim[3]; at[3]++)

static double combine(int mode, double x, double b, double t, int64_t index)
{
    switch (mode) {
    case CUDNN_P_ADD:
        return x + b;
    case CUDNN_P_SUB:
        return x - b;
    case CUDNN_P_MUL:
        return x * b;
    case CUDNN_P_DIV:
        return x / b;
    case CUDNN_P_EXP:
        return exp(x);
    case CUDNN_P_LOG:
        return log(x);
    case CUDNN_P_CMP_GE:
        return x >= b;
    case CUDNN_P_GEN_INDEX:
        return (double)index;
    case CUDNN_P_BINARY_SELECT:
        return t != 0.0 ? x : b;
    default:
        return NAN;
    }
}

static void run_pointwise(const descriptor *operation, const pack *p)
{
    const descriptor *how = get_descriptor(operation, CUDNN_A_OPERATION_POINTWISE_DESC);
    const tensor x = view(get_descriptor(operation, CUDNN_A_OPERATION_POINTWISE_X), p);
    const tensor b = view(get_descriptor(operation, CUDNN_A_OPERATION_POINTWISE_B), p);
    const tensor t = view(get_descriptor(operation, CUDNN_A_OPERATION_POINTWISE_T), p);
    const tensor y = view(get_descriptor(operation, CUDNN_A_OPERATION_POINTWISE_Y), p);
    const int64_t *axis = find(how, CUDNN_A_POINTWISE_AXIS);
    const int mode = get_int(how, CUDNN_A_POINTWISE_MODE, -1);
    int64_t at[4];
    FOR_EACH(at, &y)
    store(&y, at,
          combine(mode, load(&x, at), b.d ? load(&b, at) : 0.0, t.d ? load(&t, at) : 0.0,
                  axis ? at[*axis] : 0));
}

static void run_matmul(const descriptor *operation, const pack *p)
{
    const tensor a = view(get_descriptor(operation, CUDNN_A_OPERATION_MATMUL_A), p);
    const tensor b = view(get_descriptor(operation, CUDNN_A_OPERATION_MATMUL_B), p);
    const tensor c = view(get_descriptor(operation, CUDNN_A_OPERATION_MATMUL_C), p);
    int64_t at[4];
    FOR_EACH(at, &c)
    {
        double sum = 0.0;
        for (int64_t i = 0; i < a.dim[3]; i++) {
            const int64_t right_head =
                at[1] / (a.dim[1] / b.dim[1]); /* fewer heads are dealt out in groups */
            const int64_t left[4] = {at[0], at[1], at[2], i}, right[4] = {at[0], right_head, i, at[3]};
            sum += load(&a, left) * load(&b, right);
        }
        store(&c, at, sum);
    }
}

static void run_reduction(const descriptor *operation, const pack *p)
{
    const descriptor *how = get_descriptor(operation, CUDNN_A_OPERATION_REDUCTION_DESC);
    const tensor x = view(get_descriptor(operation, CUDNN_A_OPERATION_REDUCTION_X), p);
    const tensor y = view(get_descriptor(operation, CUDNN_A_OPERATION_REDUCTION_Y), p);
    const int is_max = get_int(how, CUDNN_A_REDUCTION_OPERATOR, -1) == CUDNN_REDUCE_MAX;
    int64_t at[4];
    FOR_EACH(at, &y)
    store(&y, at, is_max ? -INFINITY : 0.0);
    FOR_EACH(at, &x)
    store(&y, at, is_max ? fmax(load(&y, at), load(&x, at)) : load(&y, at) + load(&x, at));
}

static double convolve(const tensor *x, const tensor *w, const int64_t at[4], const int64_t *stride,
                       const int64_t *padding, const int64_t *dilation, int64_t group)
{
    double sum = 0.0;
    for (int64_t c = 0; c < w->dim[1]; c++)
        for (int64_t r = 0; r < w->dim[2]; r++)
            for (int64_t s = 0; s < w->dim[3]; s++) {
                const int64_t h = at[2] * stride[0] - padding[0] + r * dilation[0];
                const int64_t v = at[3] * stride[1] - padding[1] + s * dilation[1];
                const int64_t from[4] = {at[0], group * w->dim[1] + c, h, v}, tap[4] = {at[1], c, r, s};
                if (h >= 0 && h < x->dim[2] && v >= 0 && v < x->dim[3])
                    sum += load(x, from) * load(w, tap);
            }
    return sum;
}

static void run_convolution(const descriptor *operation, const pack *p)
{
    const descriptor *how = get_descriptor(operation, CUDNN_A_CONVOLUTION_FORWARD_CONV_DESC);
    const tensor x = view(get_descriptor(operation, CUDNN_A_CONVOLUTION_FORWARD_X), p);
    const tensor w = view(get_descriptor(operation, CUDNN_A_CONVOLUTION_FORWARD_W), p);
    const tensor y = view(get_descriptor(operation, CUDNN_A_CONVOLUTION_FORWARD_Y), p);
    const int64_t per_group = y.dim[1] / (x.dim[1] / w.dim[1]);
    int64_t at[4];
    FOR_EACH(at, &y)
    store(&y, at,
          convolve(&x, &w, at, find(how, CUDNN_A_CONVOLUTION_FILTER_STRIDES),
                   find(how, CUDNN_A_CONVOLUTION_PRE_PADDINGS), find(how, CUDNN_A_CONVOLUTION_DILATIONS),
                   at[1] / per_group));
}

int cudnnBackendExecute(cudnn_handle handle, cudnn_descriptor plan, cudnn_descriptor variant_pack);
int cudnnBackendExecute(cudnn_handle handle, cudnn_descriptor plan, cudnn_descriptor variant_pack)
{
    const descriptor *config = get_descriptor(plan, CUDNN_A_EXECUTION_PLAN_ENGINE_CONFIG);
    const descriptor *d = variant_pack;
    pack p = {.uids = find(d, CUDNN_A_VARIANT_PACK_UNIQUE_IDS),
              .pointers = find(d, CUDNN_A_VARIANT_PACK_DATA_POINTERS)};
    if (!handle || config->engine == 3)
        return FAILED;
    for (int i = 0; i < d->count; i++)
        if (d->attributes[i].name == CUDNN_A_VARIANT_PACK_UNIQUE_IDS)
            p.count = d->attributes[i].count;
    descriptor *const *operations = find(config->graph, CUDNN_A_OPERATIONGRAPH_OPS);
    int64_t count = 0;
    for (int i = 0; i < config->graph->count; i++)
        if (config->graph->attributes[i].name == CUDNN_A_OPERATIONGRAPH_OPS)
            count = config->graph->attributes[i].count;
    for (int64_t i = 0; i < count; i++)
        switch (operations[i]->type) {
        case CUDNN_D_OPERATION_CONVOLUTION_FORWARD:
            run_convolution(operations[i], &p);
            break;
        case CUDNN_D_OPERATION_MATMUL:
            run_matmul(operations[i], &p);
            break;
        case CUDNN_D_OPERATION_REDUCTION:
            run_reduction(operations[i], &p);
            break;
        default:
            run_pointwise(operations[i], &p);
        }
    if (fake_cudnn_clock) /* adding a bias alone takes a tenth */
        *fake_cudnn_clock += engine_ms[config->engine] *
                             (count == 1 && operations[0]->type == CUDNN_D_OPERATION_POINTWISE ? 0.1f : 1.0f);
    return CUDNN_OK;
}

/* ---- the calls before graphs ---- */

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

#define OLD_DESCRIPTOR(Name)                                    \
    int cudnnCreate##Name##Descriptor(cudnn_descriptor *out);   \
    int cudnnCreate##Name##Descriptor(cudnn_descriptor *out)    \
    {                                                           \
        return make_old(out);                                   \
    }                                                           \
    int cudnnDestroy##Name##Descriptor(cudnn_descriptor which); \
    int cudnnDestroy##Name##Descriptor(cudnn_descriptor which)  \
    {                                                           \
        return free_old(which);                                 \
    }
OLD_DESCRIPTOR(Tensor)
OLD_DESCRIPTOR(Filter)
OLD_DESCRIPTOR(Convolution)

int cudnnSetTensor4dDescriptorEx(cudnn_descriptor which, int type, int n, int c, int h, int w, int sn, int sc,
                                 int sh, int sw);
int cudnnSetTensor4dDescriptorEx(cudnn_descriptor which, int type, int n, int c, int h, int w, int sn, int sc,
                                 int sh, int sw)
{
    const int values[] = {n, c, h, w, sn, sc, sh, sw};
    memcpy(((old_descriptor *)which)->values, values, sizeof values);
    return type == CUDNN_FLOAT ? CUDNN_OK : BAD;
}

int cudnnSetFilter4dDescriptor(cudnn_descriptor which, int type, int channels_last, int k, int c, int h,
                               int w);
int cudnnSetFilter4dDescriptor(cudnn_descriptor which, int type, int channels_last, int k, int c, int h,
                               int w)
{
    return channels_last ? cudnnSetTensor4dDescriptorEx(which, type, k, c, h, w, h * w * c, 1, w * c, c)
                         : cudnnSetTensor4dDescriptorEx(which, type, k, c, h, w, c * h * w, h * w, w, 1);
}

int cudnnSetConvolution2dDescriptor(cudnn_descriptor which, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type);
int cudnnSetConvolution2dDescriptor(cudnn_descriptor which, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type)
{
    const int values[] = {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w};
    memcpy(((old_descriptor *)which)->values, values, sizeof values);
    return mode == CUDNN_MODE_CROSS_CORRELATION && compute_type == CUDNN_FLOAT ? CUDNN_OK : BAD;
}

int cudnnSetConvolutionGroupCount(cudnn_descriptor which, int groups);
int cudnnSetConvolutionGroupCount(cudnn_descriptor which, int groups)
{
    ((old_descriptor *)which)->values[6] = groups;
    return CUDNN_OK;
}

int cudnnSetConvolutionMathType(cudnn_descriptor which, int math);
int cudnnSetConvolutionMathType(cudnn_descriptor which, int math)
{
    ((old_descriptor *)which)->math = math;
    return CUDNN_OK;
}

int cudnnGetConvolutionForwardWorkspaceSize(cudnn_handle handle, cudnn_descriptor x, cudnn_descriptor w,
                                            cudnn_descriptor how, cudnn_descriptor y, int algorithm,
                                            size_t *bytes);
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
                            void *y_data);
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
                   const void *beta, cudnn_descriptor c, void *c_data);
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

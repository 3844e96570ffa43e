/* A stand-in for cuDNN as a shared library: descriptors are lists of attributes, and executing a plan computes its operation
 * graph element by element on host memory. So what the cuDNN baselines describe is checked by what comes out.
 *
 * The heuristics offer four engines: 0 rounds its inputs, 1 is right and slow, 2 is right and fast, 3 fails to run. A fifth, right and slower, is
 * found by its number alone. The clock that plans
 * advance is the test's own (fake_cudnn_clock). f32, f16 and bf16 tensors; 4 dimensions. */
#include "fake_cudnn_tensor.h"

float *fake_cudnn_clock;
int fake_cudnn_live; /* handles and descriptors not destroyed yet */

static const float engine_ms[ENGINES + 1] = {0.001f, 0.050f, 0.020f, 0.001f, 0.070f};

size_t cudnnGetVersion(void)
{
    return 90199;
}

const char *cudnnGetErrorString(int status)
{
    return status == CUDNN_OK ? "no error" : "an error";
}

void cudnnGetLastErrorString(char *message, size_t bytes)
{
    if (bytes > 0)
        message[0] = '\0';
}

int cudnnCreate(cudnn_handle *handle)
{
    fake_cudnn_live++;
    *handle = malloc(1);
    return CUDNN_OK;
}

int cudnnDestroy(cudnn_handle handle)
{
    fake_cudnn_live--;
    free(handle);
    return CUDNN_OK;
}

int cudnnSetStream(cudnn_handle handle, cudaStream_t stream)
{
    (void)stream;
    return handle ? CUDNN_OK : BAD;
}

int cudnnBackendCreateDescriptor(int type, cudnn_descriptor *out)
{
    descriptor *d = calloc(1, sizeof *d);
    d->type = type;
    d->engine = -1;
    fake_cudnn_live++;
    *out = d;
    return CUDNN_OK;
}

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

int cudnnBackendFinalize(cudnn_descriptor which)
{
    return which ? CUDNN_OK : BAD;
}

/* 1: a graph that only adds a bias has no plan, as in cuDNN 9 with channels first. */
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

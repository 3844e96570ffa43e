/* The members of the CUDA backend that exist for measuring: gate, cache flush, events, graphs, the empty
 * kernel. */
#include "device/cuda/cuda_device.h"
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const unsigned long long gate_limit_ns = 5000000000ull;

assay_status cuda_block(assay_device *device, assay_error *error)
{
    cuda_device *cuda = (cuda_device *)device;
    cuda->gate_number++;
    return cuda_check(cuda_launch_gate(cuda->gate_on_device, cuda->gate_number, gate_limit_ns, cuda->stream),
                      "launching the blocking kernel", error);
}

assay_status cuda_unblock(assay_device *device, assay_error *error)
{
    cuda_device *cuda = (cuda_device *)device;
    __atomic_store_n(&cuda->gate->released, cuda->gate_number, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&cuda->gate->gave_up, __ATOMIC_SEQ_CST) == cuda->gate_number)
        return assay_error_set(
            error, ASSAY_ERR_DEVICE,
            "the blocking kernel gave up after %.0f s: something enqueued behind it waits for it "
            "(a synchronising call, lazy module loading, or a full launch queue)",
            (double)gate_limit_ns * 1e-9);
    return ASSAY_OK;
}

/* Allocated at the first flush, because most handles never flush; zeroed, as the reading kernel expects. */
static assay_status make_flush_buffer(cuda_device *cuda, void **buffer, assay_error *error)
{
    if (*buffer)
        return ASSAY_OK;
    const size_t least = (size_t)64 << 20, twice_l2 = 2 * (size_t)cuda->base.info.l2_bytes;
    cuda->flush_bytes = twice_l2 > least ? twice_l2 : least;
    assay_status status = ASSAY_OK;
    if (!cuda->flush_sink)
        status = cuda_check(cudaMalloc((void **)&cuda->flush_sink, 256), "allocating the flush sink", error);
    if (status == ASSAY_OK)
        status =
            cuda_check(cudaMalloc(buffer, cuda->flush_bytes), "allocating the cache-flush buffer", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaMemsetAsync(*buffer, 0, cuda->flush_bytes, cuda->stream),
                            "clearing the flush buffer", error);
    return status;
}

assay_status cuda_flush_cache(assay_device *device, const char *mode, assay_error *error)
{
    cuda_device *cuda = (cuda_device *)device;
    if (strcmp(mode, "memset") == 0) {
        const assay_status status = make_flush_buffer(cuda, &cuda->flush_write, error);
        if (status != ASSAY_OK)
            return status;
        return cuda_check(cudaMemsetAsync(cuda->flush_write, 0, cuda->flush_bytes, cuda->stream),
                          "flushing the L2 cache", error);
    }
    if (strcmp(mode, "read") == 0) {
        const assay_status status = make_flush_buffer(cuda, &cuda->flush_read, error);
        if (status != ASSAY_OK)
            return status;
        return cuda_check(cuda_launch_read(cuda->flush_read, cuda->flush_bytes, cuda->base.info.sm_count,
                                           cuda->flush_sink, cuda->stream),
                          "flushing the L2 cache by reading", error);
    }
    return assay_error_set(error, ASSAY_ERR_INVALID, "unknown cache flush '%s'; use memset or read", mode);
}

typedef struct cuda_event {
    assay_event base;
    cudaEvent_t event;
} cuda_event;

assay_status cuda_event_create(assay_device *device, assay_event **event, assay_error *error)
{
    cuda_event *created = calloc(1, sizeof *created);
    if (!created)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an event");
    created->base.device = device;
    const assay_status status = cuda_check(cudaEventCreate(&created->event), "creating an event", error);
    if (status != ASSAY_OK) {
        free(created);
        return status;
    }
    *event = &created->base;
    return ASSAY_OK;
}

void cuda_event_destroy(assay_event *event)
{
    if (!event)
        return;
    (void)cudaEventDestroy(((cuda_event *)event)->event);
    free(event);
}

assay_status cuda_event_record(assay_event *event, assay_error *error)
{
    const cuda_device *cuda = (const cuda_device *)event->device;
    return cuda_check(cudaEventRecord(((cuda_event *)event)->event, cuda->stream), "recording an event",
                      error);
}

assay_status cuda_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error)
{
    cudaEvent_t first = ((cuda_event *)from)->event, last = ((cuda_event *)to)->event;
    float ms = 0.0f;
    assay_status status = cuda_check(cudaEventSynchronize(last), "waiting for an event", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaEventElapsedTime(&ms, first, last), "reading the time between events", error);
    *us = (double)ms * 1e3;
    return status;
}

typedef struct cuda_graph {
    assay_graph base;
    cudaGraphExec_t executable;
} cuda_graph;

/* Relaxed: library peers may make calls while capturing that the stricter modes forbid, and nothing else
 * runs. */
assay_status cuda_graph_begin(assay_device *device, assay_error *error)
{
    return cuda_check(cudaStreamBeginCapture(((cuda_device *)device)->stream, cudaStreamCaptureModeRelaxed),
                      "starting a graph capture", error);
}

/* The call got its fourth argument in CUDA 12.3, under a name of its own, and that name's place in 13. */
static cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                             cudaGraphEdgeData *data, size_t *count)
{
#if CUDART_VERSION >= 13000
    return cudaGraphGetEdges(graph, from, to, data, count);
#else
    return cudaGraphGetEdges_v2(graph, from, to, data, count);
#endif
}

/* Programmatic dependencies of a captured graph; 0 also where they cannot be asked for, since they only describe. */
static int count_programmatic(cudaGraph_t captured)
{
    size_t count = 0;
    int programmatic = 0;
    if (get_edges(captured, NULL, NULL, NULL, &count) != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return 0;
    }
    cudaGraphNode_t *nodes = malloc(2 * count * sizeof *nodes);
    cudaGraphEdgeData *data = calloc(count, sizeof *data);
    if (nodes && data && get_edges(captured, nodes, nodes + count, data, &count) == cudaSuccess)
        for (size_t i = 0; i < count; i++)
            programmatic += data[i].type == cudaGraphDependencyTypeProgrammatic;
    (void)cudaGetLastError();
    free(nodes);
    free(data);
    return programmatic;
}

typedef CUresult (*node_params_fn)(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);

/* The driver's call: the runtime's own fails for kernels of a module that brought a runtime along. NULL: not there. */
static node_params_fn find_node_params(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = driver ? dlsym(driver, "cuGraphKernelNodeGetParams_v2") : NULL;
    node_params_fn function = NULL;
    memcpy(&function, &found, sizeof found);
    if (driver)
        dlclose(driver);
    return function;
}

/* The kernels' launches, for who describes them; none where they cannot be asked for. Nodes of one stream are in its order. */
static void list_launches(cudaGraph_t captured, size_t count, assay_graph *graph)
{
    const node_params_fn get_params = find_node_params();
    cudaGraphNode_t *nodes = get_params ? malloc(count * sizeof *nodes) : NULL;
    if (nodes && cudaGraphGetNodes(captured, nodes, &count) == cudaSuccess)
        for (size_t i = 0; i < count; i++) {
            enum cudaGraphNodeType type;
            CUDA_KERNEL_NODE_PARAMS p = {0};
            if (cudaGraphNodeGetType(nodes[i], &type) != cudaSuccess || type != cudaGraphNodeTypeKernel ||
                get_params(nodes[i], &p) != CUDA_SUCCESS)
                continue;
            if (graph->launches < GRAPH_LAUNCHES)
                graph->shapes[graph->launches] =
                    (assay_launch_shape){.grid = {p.gridDimX, p.gridDimY, p.gridDimZ},
                                         .block = {p.blockDimX, p.blockDimY, p.blockDimZ},
                                         .shared_bytes = p.sharedMemBytes};
            graph->launches++;
        }
    (void)cudaGetLastError();
    free(nodes);
}

static assay_status instantiate(cuda_device *cuda, cudaGraph_t captured, cuda_graph *made, assay_error *error)
{
    size_t nodes = 0;
    assay_status status =
        cuda_check(cudaGraphGetNodes(captured, NULL, &nodes), "counting a graph's nodes", error);
    if (status == ASSAY_OK && nodes == 0)
        status =
            assay_error_set(error, ASSAY_ERR_CHECK,
                            "nothing was captured: the kernel launched no work on the stream it was given");
    made->base.nodes = (int)nodes;
    made->base.programmatic = count_programmatic(captured);
    if (nodes > 0)
        list_launches(captured, nodes, &made->base);
    if (status == ASSAY_OK)
        status =
            cuda_check(cudaGraphInstantiate(&made->executable, captured, 0), "instantiating a graph", error);
    if (status == ASSAY_OK)
        status = cuda_check(cudaGraphUpload(made->executable, cuda->stream), "uploading a graph", error);
    return status;
}

assay_status cuda_graph_end(assay_device *device, assay_graph **graph, assay_error *error)
{
    cuda_device *cuda = (cuda_device *)device;
    cudaGraph_t captured = NULL;
    assay_status status =
        cuda_check(cudaStreamEndCapture(cuda->stream, &captured), "ending a graph capture", error);
    if (status != ASSAY_OK)
        return status;
    cuda_graph *made = calloc(1, sizeof *made);
    status = made ? instantiate(cuda, captured, made, error)
                  : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a graph");
    (void)cudaGraphDestroy(captured);
    if (status != ASSAY_OK) {
        if (made && made->executable)
            (void)cudaGraphExecDestroy(made->executable);
        free(made);
        return status;
    }
    made->base.device = device;
    *graph = &made->base;
    return ASSAY_OK;
}

assay_status cuda_graph_launch(assay_graph *graph, assay_error *error)
{
    const cuda_device *cuda = (const cuda_device *)graph->device;
    return cuda_check(cudaGraphLaunch(((cuda_graph *)graph)->executable, cuda->stream), "launching a graph",
                      error);
}

void cuda_graph_destroy(assay_graph *graph)
{
    if (!graph)
        return;
    (void)cudaGraphExecDestroy(((cuda_graph *)graph)->executable);
    free(graph);
}

assay_status cuda_empty(assay_device *device, assay_error *error)
{
    return cuda_check(cuda_launch_empty(((cuda_device *)device)->stream), "launching the empty kernel",
                      error);
}

/* Calls of executable graphs: made, launched, uploaded, updated, destroyed. */
#include "device/ptx/runtime/graph.h"
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    *exec = calloc(1, sizeof **exec);
    if (!*exec)
        return cudaErrorMemoryAllocation;
    (*exec)->flags = flags;
    const cudaError_t error = rt_graph_clone(graph, &(*exec)->graph);
    if (error != cudaSuccess) {
        free(*exec);
        *exec = NULL;
    }
    return error;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RT_CALL();
    return rt_end(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params)
{
    RT_CALL();
    if (!params)
        return rt_end(cudaErrorInvalidValue);
    const cudaError_t error = instantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return rt_end(error);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    RT_CALL();
    if (!exec || !flags)
        return rt_end(cudaErrorInvalidValue);
    *flags = exec->flags;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    RT_CALL();
    if (!exec)
        return rt_end(cudaErrorInvalidValue);
    rt_graph_destroy(exec->graph);
    free(exec);
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    RT_CALL();
    return rt_end(exec && rt_find_stream(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

/* What is enqueued is a copy: the graph may be changed or destroyed before it runs. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
    RT_CALL();
    const cudaStream_t stream = rt_find_stream(handle);
    rt_work work = {.kind = RT_GRAPH};
    cudaError_t error = exec ? rt_graph_clone(exec->graph, &work.as.graph) : cudaErrorInvalidValue;
    if (error == cudaSuccess && !stream) {
        rt_work_release(&work);
        error = cudaErrorInvalidResourceHandle;
    }
    return rt_end(error == cudaSuccess ? rt_enqueue(stream, &work) : error);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    RT_CALL();
    cudaGraph_t copy = NULL;
    if (!exec || !graph || !result)
        return rt_end(cudaErrorInvalidValue);
    memset(result, 0, sizeof *result);
    bool same = exec->graph->count == graph->count;
    for (size_t i = 0; same && i < graph->count; i++)
        same = graph->nodes[i]->type == exec->graph->nodes[i]->type &&
               graph->nodes[i]->after_count == exec->graph->nodes[i]->after_count;
    result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    const cudaError_t error = same ? rt_graph_clone(graph, &copy) : cudaErrorGraphExecUpdateFailure;
    if (error == cudaSuccess) {
        rt_graph_destroy(exec->graph);
        exec->graph = copy;
    }
    return rt_end(error);
}

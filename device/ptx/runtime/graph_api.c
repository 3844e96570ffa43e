/* Graphs as programs see them. Calls that change nodes of an executable graph find the copy of the node there. */
#include "device/ptx/runtime/graph.h"
#include "device/ptx/runtime/stream.h"
#include <string.h>

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    RT_CALL();
    return rt_end(graph && flags == 0 ? rt_graph_create(graph) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RT_CALL();
    if (!graph)
        return rt_end(cudaErrorInvalidValue);
    rt_graph_destroy(graph);
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    RT_CALL();
    return rt_end(clone && graph ? rt_graph_clone(graph, clone) : cudaErrorInvalidValue);
}

/* ---- from parameters to work ---- */

static cudaError_t kernel_work(const struct cudaKernelNodeParams *p, rt_work *work)
{
    rt_kernel *kernel;
    const cudaError_t error = p ? rt_find_kernel(p->func, &kernel) : cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = {.gridDim = p ? p->gridDim : (dim3){0, 0, 0},
                                       .blockDim = p ? p->blockDim : (dim3){0, 0, 0},
                                       .dynamicSmemBytes = p ? p->sharedMemBytes : 0};
    return error == cudaSuccess ? rt_launch_make(kernel, &config, p->kernelParams, NULL, 0, work) : error;
}

static cudaError_t copy_work(const struct cudaMemcpy3DParms *p, rt_work *work)
{
    *work = (rt_work){.kind = RT_COPY};
    const cudaError_t error = rt_copy_of_box(p, &work->as.copy);
    return error == cudaSuccess ? rt_copy_check(&work->as.copy) : error;
}

static cudaError_t line_work(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                             rt_work *work)
{
    *work =
        (rt_work){.kind = RT_COPY,
                  .as.copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
    return rt_copy_check(&work->as.copy);
}

static cudaError_t fill_work(const struct cudaMemsetParams *p, rt_work *work)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    *work = (rt_work){.kind = RT_FILL,
                      .as.fill = {.to = p->dst,
                                  .value = p->value,
                                  .element = (int)p->elementSize,
                                  .width = p->width,
                                  .height = p->height,
                                  .depth = 1,
                                  .pitch = p->pitch}};
    return rt_fill_check(&work->as.fill);
}

static cudaError_t host_work(const struct cudaHostNodeParams *p, rt_work *work)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *work = (rt_work){.kind = RT_HOST, .as.host = {p->fn, p->userData}};
    return cudaSuccess;
}

/* ---- adding nodes ---- */

static cudaError_t add(cudaError_t made, rt_work *work, cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *after, size_t count)
{
    if (made != cudaSuccess || !node || !graph)
        return rt_end(made != cudaSuccess ? made : cudaErrorInvalidValue);
    return rt_end(rt_graph_add(graph, after, count, work, node));
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaKernelNodeParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = kernel_work(p, &work);
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaMemcpy3DParms *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = copy_work(p, &work);
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = line_work(to, from, bytes, kind, &work);
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaMemsetParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = fill_work(p, &work);
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const struct cudaHostNodeParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = host_work(p, &work);
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  size_t count)
{
    RT_CALL();
    rt_work work = {.kind = RT_NOTHING};
    return add(cudaSuccess, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                       size_t count, cudaGraph_t child)
{
    RT_CALL();
    rt_work work = {.kind = RT_GRAPH};
    const cudaError_t made = child ? rt_graph_clone(child, &work.as.graph) : cudaErrorInvalidValue;
    return add(made, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    RT_CALL();
    rt_work work = {.kind = RT_RECORD, .as.event = event};
    if (!event)
        return rt_end(cudaErrorInvalidValue);
    rt_event_retain(event);
    return add(cudaSuccess, &work, node, graph, after, count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
    RT_CALL();
    (void)edges;
    cudaError_t error = graph && (count == 0 || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        if (from[i] && to[i] && from[i]->number >= to[i]->number)
            error =
                rt_refuse(cudaErrorNotSupported,
                          "an edge to a node that was added before: nodes must be added in their order here");
        else
            error = to[i] ? rt_graph_depend(to[i], &from[i], 1) : cudaErrorInvalidValue;
    }
    return rt_end(error);
}

/* ---- looking at a graph ---- */

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL();
    if (!graph || !count)
        return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = i < graph->count ? graph->nodes[i] : NULL;
    if (!nodes || *count > graph->count)
        *count = graph->count;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RT_CALL();
    if (!graph || !count)
        return rt_end(cudaErrorInvalidValue);
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->after_count > 0)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes[i];
        found++;
    }
    *count = found;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    RT_CALL();
    if (!graph || !count)
        return rt_end(cudaErrorInvalidValue);
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->after_count; k++, found++) {
            if (!from || !to || found >= *count)
                continue;
            from[found] = graph->nodes[i]->after[k];
            to[found] = graph->nodes[i];
            if (edges)
                memset(&edges[found], 0, sizeof edges[found]);
        }
    *count = found;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *after,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    RT_CALL();
    if (!node || !count)
        return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; after && i < *count && i < node->after_count; i++)
        after[i] = node->after[i];
    if (edges && after)
        memset(edges, 0, (*count < node->after_count ? *count : node->after_count) * sizeof *edges);
    *count = node->after_count;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    RT_CALL();
    if (!node || !type)
        return rt_end(cudaErrorInvalidValue);
    *type = node->type;
    return rt_end(cudaSuccess);
}

/* ---- changing nodes ---- */

static cudaError_t set(cudaError_t made, rt_work *work, cudaGraphNode_t node)
{
    if (made != cudaSuccess)
        return rt_end(made);
    if (!node || node->work.kind != work->kind) {
        rt_work_release(work);
        return rt_end(cudaErrorInvalidValue);
    }
    rt_work_release(&node->work);
    node->work = *work;
    return rt_end(cudaSuccess);
}

static cudaGraphNode_t in(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec ? rt_graph_counterpart(exec->graph, node) : NULL;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = kernel_work(p, &work);
    return set(made, &work, node);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = kernel_work(p, &work);
    return set(made, &work, in(exec, node));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = line_work(to, from, bytes, kind, &work);
    return set(made, &work, in(exec, node));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = copy_work(p, &work);
    return set(made, &work, in(exec, node));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = fill_work(p, &work);
    return set(made, &work, in(exec, node));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p)
{
    RT_CALL();
    rt_work work;
    const cudaError_t made = host_work(p, &work);
    return set(made, &work, in(exec, node));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    RT_CALL();
    const cudaGraphNode_t copy = in(exec, node);
    if (!copy)
        return rt_end(cudaErrorInvalidValue);
    copy->disabled = !enabled;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    RT_CALL();
    const cudaGraphNode_t copy = in(exec, node);
    if (!copy || !enabled)
        return rt_end(cudaErrorInvalidValue);
    *enabled = !copy->disabled;
    return rt_end(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    RT_CALL();
    if (!node || !p || node->work.kind != RT_LAUNCH)
        return rt_end(cudaErrorInvalidValue);
    const rt_launch *l = &node->work.as.launch;
    *p = (struct cudaKernelNodeParams){.func =
                                           (void *)(uintptr_t)(l->kernel->host ? l->kernel->host : l->kernel),
                                       .gridDim = l->grid,
                                       .blockDim = l->block,
                                       .sharedMemBytes = (unsigned)l->shared};
    return rt_end(cudaSuccess);
}

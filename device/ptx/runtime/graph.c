/* Building, copying and running graphs; see graph.h. */
#include "device/ptx/runtime/graph.h"
#include <stdlib.h>
#include <string.h>

cudaError_t rt_graph_create(cudaGraph_t *graph)
{
    *graph = calloc(1, sizeof **graph);
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

static enum cudaGraphNodeType type_of(const rt_work *work)
{
    switch (work->kind) {
    case RT_LAUNCH:
        return cudaGraphNodeTypeKernel;
    case RT_COPY:
        return cudaGraphNodeTypeMemcpy;
    case RT_FILL:
        return cudaGraphNodeTypeMemset;
    case RT_HOST:
        return cudaGraphNodeTypeHost;
    case RT_FREE:
        return cudaGraphNodeTypeMemFree;
    case RT_RECORD:
        return cudaGraphNodeTypeEventRecord;
    case RT_GRAPH:
        return cudaGraphNodeTypeGraph;
    case RT_NOTHING:
        break;
    }
    return cudaGraphNodeTypeEmpty;
}

/* Nodes may only come after ones that were added before, so the order of adding is one that the edges allow, and no circle can arise. */
cudaError_t rt_graph_depend(cudaGraphNode_t node, const cudaGraphNode_t *after, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!after[i] || after[i]->graph != node->graph || after[i]->number >= node->number)
            return cudaErrorInvalidValue;
    cudaGraphNode_t *grown = realloc(node->after, (node->after_count + count + 1) * sizeof *grown);
    if (!grown)
        return cudaErrorMemoryAllocation;
    node->after = grown;
    for (size_t i = 0; i < count; i++) {
        node->after[node->after_count++] = after[i];
        after[i]->dependents++;
    }
    return cudaSuccess;
}

cudaError_t rt_graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t after_count, rt_work *work,
                         cudaGraphNode_t *out)
{
    cudaGraphNode_t node = calloc(1, sizeof *node), *grown = NULL;
    if (node && graph)
        grown = realloc(graph->nodes, (graph->count + 1) * sizeof *grown);
    if (!grown) {
        free(node);
        rt_work_release(work);
        return graph ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    }
    graph->nodes = grown;
    *node =
        (struct CUgraphNode_st){.graph = graph, .number = graph->count, .type = type_of(work), .work = *work};
    const cudaError_t error = rt_graph_depend(node, after, after_count);
    if (error != cudaSuccess) {
        rt_work_release(&node->work);
        free(node->after);
        free(node);
        return error;
    }
    graph->nodes[graph->count++] = node;
    if (out)
        *out = node;
    return cudaSuccess;
}

cudaError_t rt_graph_clone(cudaGraph_t graph, cudaGraph_t *clone)
{
    cudaError_t error = rt_graph_create(clone);
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
        const struct CUgraphNode_st *node = graph->nodes[i];
        cudaGraphNode_t *after = malloc((node->after_count + 1) * sizeof *after), made = NULL;
        rt_work work;
        error = after ? rt_work_clone(&node->work, &work) : cudaErrorMemoryAllocation;
        for (size_t k = 0; k < node->after_count && error == cudaSuccess; k++)
            after[k] = (*clone)->nodes[node->after[k]->number];
        if (error == cudaSuccess)
            error = rt_graph_add(*clone, after, node->after_count, &work, &made);
        if (made) {
            made->type = node->type;
            made->disabled = node->disabled;
        }
        free(after);
    }
    if (error != cudaSuccess) {
        rt_graph_destroy(*clone);
        *clone = NULL;
    }
    return error;
}

void rt_graph_destroy(cudaGraph_t graph)
{
    for (size_t i = 0; graph && i < graph->count; i++) {
        rt_work_release(&graph->nodes[i]->work);
        free(graph->nodes[i]->after);
        free(graph->nodes[i]);
    }
    if (graph)
        free(graph->nodes);
    free(graph);
}

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->after_count; i++)
        if (!node->after[i]->done)
            return false;
    return !node->done;
}

cudaError_t rt_graph_run(cudaGraph_t graph)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->done = false;
    for (size_t left = graph->count; left > 0 && error == cudaSuccess; left--) {
        cudaGraphNode_t chosen = NULL;
        uint64_t ready = 0;
        for (size_t i = 0; i < graph->count; i++)
            if (is_ready(graph->nodes[i]) && rt_draw() % ++ready == 0)
                chosen = graph->nodes[i];
        chosen->done = true;
        if (!chosen->disabled)
            error = rt_work_run(&chosen->work);
    }
    return error;
}

cudaGraphNode_t rt_graph_counterpart(cudaGraph_t copy, cudaGraphNode_t node)
{
    return node && node->number < copy->count && copy->nodes[node->number]->type == node->type
               ? copy->nodes[node->number]
               : NULL;
}

/* Graphs inside the runtime: nodes in the order they were added, each with what it comes after. An executable graph is a copy. */
#ifndef ASSAY_PTX_GRAPH_H
#define ASSAY_PTX_GRAPH_H

#include "device/ptx/runtime/runtime.h"

struct CUgraphNode_st {
    cudaGraph_t graph;
    size_t number; /* in its graph, from 0 */
    enum cudaGraphNodeType type;
    rt_work work;
    cudaGraphNode_t *after;
    size_t after_count, dependents;
    bool disabled, done;
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
};

struct CUgraphExec_st {
    cudaGraph_t graph;
    unsigned long long flags;
};

/* The node of the copy in an executable graph that `node` of the original became, or NULL. */
cudaGraphNode_t rt_graph_counterpart(cudaGraph_t copy, cudaGraphNode_t node);
/* Add what `node` comes after; cudaErrorInvalidValue for a node of another graph or a later one. */
cudaError_t rt_graph_depend(cudaGraphNode_t node, const cudaGraphNode_t *after, size_t count);

#endif

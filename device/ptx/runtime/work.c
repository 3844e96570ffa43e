/* One piece of work: what a stream's operation or a graph's node does. See runtime.h. */
#include "device/ptx/runtime/runtime.h"
#include <stdlib.h>
#include <string.h>

cudaError_t rt_work_run(rt_work *work)
{
    switch (work->kind) {
    case RT_LAUNCH:
        return rt_launch_run(&work->as.launch);
    case RT_COPY:
        return rt_copy_run(&work->as.copy);
    case RT_FILL:
        return rt_fill_run(&work->as.fill);
    case RT_HOST:
        work->as.host.function(work->as.host.data);
        return cudaSuccess;
    case RT_FREE:
        return rt_free(work->as.pointer);
    case RT_RECORD:
        rt_event_happen(work->as.event);
        return cudaSuccess;
    case RT_GRAPH:
        return rt_graph_run(work->as.graph);
    case RT_NOTHING:
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

static void *copy_of(const void *bytes, size_t count)
{
    void *copy = malloc(count ? count : 1);
    if (copy && count)
        memcpy(copy, bytes, count);
    return copy;
}

cudaError_t rt_work_clone(const rt_work *work, rt_work *clone)
{
    *clone = *work;
    clone->staged = NULL; /* a graph's copies read their source when they run */
    if (work->kind == RT_LAUNCH) {
        const uint32_t bytes = ptx_function_describe(work->as.launch.kernel->function)->param_bytes;
        clone->as.launch.params = copy_of(work->as.launch.params, bytes);
        return clone->as.launch.params ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (work->kind == RT_GRAPH)
        return rt_graph_clone(work->as.graph, &clone->as.graph);
    if (work->kind == RT_RECORD)
        rt_event_retain(clone->as.event);
    return cudaSuccess;
}

void rt_work_release(rt_work *work)
{
    free(work->staged);
    if (work->kind == RT_LAUNCH)
        free(work->as.launch.params);
    if (work->kind == RT_GRAPH)
        rt_graph_destroy(work->as.graph);
    if (work->kind == RT_RECORD)
        rt_event_release(work->as.event);
    *work = (rt_work){.kind = RT_NOTHING};
}

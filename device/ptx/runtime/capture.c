/* Stream capture: what is enqueued becomes nodes of a graph. A stream that waits for an event of the capture joins it. */
#include "device/ptx/runtime/graph.h"
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

static uint64_t captures;

static cudaError_t set_tips(cudaStream_t stream, const cudaGraphNode_t *tips, size_t count)
{
    cudaGraphNode_t *copy = malloc((count + 1) * sizeof *copy);
    if (!copy)
        return cudaErrorMemoryAllocation;
    if (count)
        memcpy(copy, tips, count * sizeof *copy);
    free(stream->tips);
    stream->tips = copy;
    stream->tip_count = count;
    return cudaSuccess;
}

cudaError_t rt_capture_work(cudaStream_t stream, rt_work *work)
{
    cudaGraphNode_t node;
    free(work->staged); /* the source of a copy is read when the graph runs */
    work->staged = NULL;
    if (stream->capture_error != cudaSuccess) {
        rt_work_release(work);
        return cudaErrorStreamCaptureInvalidated;
    }
    const cudaError_t error = rt_graph_add(stream->capture, stream->tips, stream->tip_count, work, &node);
    return error == cudaSuccess ? set_tips(stream, &node, 1) : error;
}

cudaError_t rt_capture_record(cudaEvent_t event, cudaStream_t stream)
{
    cudaGraphNode_t *tips = malloc((stream->tip_count + 1) * sizeof *tips);
    if (!tips)
        return cudaErrorMemoryAllocation;
    if (stream->tip_count)
        memcpy(tips, stream->tips, stream->tip_count * sizeof *tips);
    free(event->tips);
    event->tips = tips;
    event->tip_count = stream->tip_count;
    event->captured = stream->capture;
    event->capture_id = stream->capture_id;
    return cudaSuccess;
}

static cudaStream_t origin_of(uint64_t id)
{
    cudaStream_t s = rt_streams();
    while (s && !(s->capture && s->capture_origin && s->capture_id == id))
        s = s->next;
    return s;
}

cudaError_t rt_capture_join(cudaStream_t stream, cudaEvent_t event)
{
    if (!origin_of(event->capture_id))
        return rt_refuse(cudaErrorInvalidValue, "the event was recorded in a capture that has ended");
    if (stream->capture && stream->capture_id != event->capture_id)
        return rt_refuse(cudaErrorStreamCaptureMerge, "two captures would become one");
    if (!stream->capture) {
        stream->capture = event->captured;
        stream->capture_id = event->capture_id;
        stream->capture_origin = false;
        stream->capture_error = cudaSuccess;
        return set_tips(stream, event->tips, event->tip_count);
    }
    cudaGraphNode_t *tips = malloc((stream->tip_count + event->tip_count + 1) * sizeof *tips);
    if (!tips)
        return cudaErrorMemoryAllocation;
    size_t count = stream->tip_count;
    if (count)
        memcpy(tips, stream->tips, count * sizeof *tips);
    for (size_t i = 0; i < event->tip_count; i++) {
        size_t k = 0;
        while (k < count && tips[k] != event->tips[i])
            k++;
        if (k == count)
            tips[count++] = event->tips[i];
    }
    const cudaError_t error = set_tips(stream, tips, count);
    free(tips);
    return error;
}

static void leave(cudaStream_t stream)
{
    free(stream->tips);
    stream->tips = NULL;
    stream->tip_count = 0;
    stream->capture = NULL;
    stream->capture_origin = false;
    stream->capture_error = cudaSuccess;
}

/* Every stream that joined must have been waited for: its last nodes have dependents or are the origin's own. */
static bool is_joined(const struct CUstream_st *origin, const struct CUstream_st *stream)
{
    for (size_t i = 0; i < stream->tip_count; i++) {
        size_t k = 0;
        while (k < origin->tip_count && origin->tips[k] != stream->tips[i])
            k++;
        if (k == origin->tip_count && stream->tips[i]->dependents == 0)
            return false;
    }
    return true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    RT_CALL();
    (void)mode;
    cudaStream_t stream = rt_find_stream(handle);
    if (!stream)
        return rt_end(cudaErrorInvalidResourceHandle);
    if (stream == rt_find_stream(cudaStreamLegacy))
        return rt_end(rt_refuse(cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured"));
    if (stream->capture)
        return rt_end(cudaErrorIllegalState);
    const cudaError_t error = rt_graph_create(&stream->capture);
    stream->capture_origin = true;
    stream->capture_id = ++captures;
    stream->capture_error = cudaSuccess;
    return rt_end(error == cudaSuccess ? set_tips(stream, NULL, 0) : error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    RT_CALL();
    cudaStream_t stream = rt_find_stream(handle);
    if (!stream || !graph)
        return rt_end(cudaErrorInvalidValue);
    *graph = NULL;
    if (!stream->capture)
        return rt_end(cudaErrorIllegalState);
    if (!stream->capture_origin)
        return rt_end(cudaErrorStreamCaptureUnmatched);
    cudaError_t error =
        stream->capture_error == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
    cudaGraph_t captured = stream->capture;
    for (cudaStream_t s = rt_streams(); s; s = s->next) {
        if (s == stream || s->capture != captured)
            continue;
        if (error == cudaSuccess && !is_joined(stream, s))
            error = cudaErrorStreamCaptureUnjoined;
        leave(s);
    }
    leave(stream);
    if (error == cudaSuccess)
        *graph = captured;
    else
        rt_graph_destroy(captured);
    return rt_end(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
    RT_CALL();
    const cudaStream_t stream = rt_find_stream(handle);
    if (!stream || !status)
        return rt_end(cudaErrorInvalidValue);
    *status = !stream->capture                       ? cudaStreamCaptureStatusNone
              : stream->capture_error == cudaSuccess ? cudaStreamCaptureStatusActive
                                                     : cudaStreamCaptureStatusInvalidated;
    return rt_end(cudaSuccess);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **tips,
                                     const cudaGraphEdgeData **edges, size_t *tip_count)
{
    RT_CALL();
    const cudaStream_t stream = rt_find_stream(handle);
    if (!stream || !status)
        return rt_end(cudaErrorInvalidValue);
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (id)
        *id = stream->capture_id;
    if (graph)
        *graph = stream->capture;
    if (tips)
        *tips = stream->tips;
    if (edges)
        *edges = NULL;
    if (tip_count)
        *tip_count = stream->tip_count;
    return rt_end(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static __thread enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    RT_CALL();
    const enum cudaStreamCaptureMode before = current;
    if (!mode)
        return rt_end(cudaErrorInvalidValue);
    current = *mode;
    *mode = before;
    return rt_end(cudaSuccess);
}

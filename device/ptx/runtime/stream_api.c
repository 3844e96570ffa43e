/* Streams and events as programs see them. */
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

/* The stream of a handle in a call that has begun; the call ends here if there is none. */
#define FIND_STREAM(stream, handle)                     \
    const cudaStream_t stream = rt_find_stream(handle); \
    if (!stream)                                        \
    return rt_end(cudaErrorInvalidResourceHandle)

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    RT_CALL();
    if (!stream || flags > cudaStreamNonBlocking)
        return rt_end(cudaErrorInvalidValue);
    *stream = rt_stream_create(!(flags & cudaStreamNonBlocking), priority);
    return rt_end(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

/* Its work goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (stream == rt_find_stream(cudaStreamLegacy))
        return rt_end(cudaErrorInvalidResourceHandle);
    stream->closed = true;
    return rt_end(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (stream->capture) {
        stream->capture_error = cudaErrorStreamCaptureUnsupported;
        return rt_end(rt_refuse(cudaErrorStreamCaptureUnsupported,
                                "cudaStreamSynchronize on a stream that is captured"));
    }
    return rt_end(rt_finish_stream(stream));
}

/* Asking moves work on: a program that polls gets there. */
cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (stream->capture)
        return rt_end(cudaErrorStreamCaptureUnsupported);
    if (stream->done == stream->queued)
        return rt_end(rt_device_error());
    rt_stream_step(stream);
    return rt_end(rt_device_error() != cudaSuccess ? rt_device_error() : cudaErrorNotReady);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (flags)
        *flags = stream->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    return rt_end(flags ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (priority)
        *priority = stream->priority;
    return rt_end(priority ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (id)
        *id = stream->id;
    return rt_end(id ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (device)
        *device = 0;
    return rt_end(device ? cudaSuccess : cudaErrorInvalidValue);
}

/* Cache windows, priorities and the like change no result. */
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID which,
                                   const cudaStreamAttrValue *value)
{
    RT_CALL();
    (void)which;
    FIND_STREAM(stream, handle);
    (void)stream;
    return rt_end(value ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *pointer, size_t bytes, unsigned int flags)
{
    RT_CALL();
    (void)bytes, (void)flags;
    FIND_STREAM(stream, handle);
    (void)stream;
    return rt_end(rt_memory_of(pointer) == RT_MANAGED ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- host functions ---- */

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    rt_work work = {.kind = RT_HOST, .as.host = {function, data}};
    return rt_end(function ? rt_enqueue(stream, &work) : cudaErrorInvalidValue);
}

typedef struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *data;
} callback;

static void call_back(void *data)
{
    const callback *c = data;
    c->function(c->stream, rt_device_error(), c->data);
    free(data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void *data,
                                  unsigned int flags)
{
    RT_CALL();
    FIND_STREAM(stream, handle);
    if (!function || flags != 0)
        return rt_end(cudaErrorInvalidValue);
    if (stream->capture)
        return rt_end(cudaErrorStreamCaptureUnsupported);
    callback *c = malloc(sizeof *c);
    if (!c)
        return rt_end(cudaErrorMemoryAllocation);
    *c = (callback){function, handle, data};
    rt_work work = {.kind = RT_HOST, .as.host = {call_back, c}};
    return rt_end(rt_enqueue(stream, &work));
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RT_CALL();
    if (!event)
        return rt_end(cudaErrorInvalidValue);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return rt_end(cudaErrorMemoryAllocation);
    (*event)->references = 1;
    (*event)->flags = flags;
    return rt_end(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RT_CALL();
    if (!event)
        return rt_end(cudaErrorInvalidResourceHandle);
    free(event->tips);
    event->tips = NULL;
    rt_event_release(event);
    return rt_end(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned int flags)
{
    RT_CALL();
    (void)flags;
    FIND_STREAM(stream, handle);
    return rt_end(event ? rt_event_record(event, stream) : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags)
{
    RT_CALL();
    (void)flags;
    FIND_STREAM(stream, handle);
    return rt_end(event ? rt_event_wait(stream, event) : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RT_CALL();
    if (!event)
        return rt_end(cudaErrorInvalidResourceHandle);
    return rt_end(event->captured ? cudaErrorCapturedEvent : rt_event_finish(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RT_CALL();
    if (!event)
        return rt_end(cudaErrorInvalidResourceHandle);
    if (event->captured)
        return rt_end(cudaErrorCapturedEvent);
    if (rt_event_is_done(event))
        return rt_end(rt_device_error());
    rt_stream_step(event->at);
    return rt_end(rt_device_error() != cudaSuccess ? rt_device_error() : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    RT_CALL();
    if (!ms || !start || !end || !start->at || !end->at ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return rt_end(!ms ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    if (!rt_event_is_done(start) || !rt_event_is_done(end))
        return rt_end(cudaErrorNotReady);
    *ms = (float)((end->time_s - start->time_s) * 1e3);
    return rt_end(cudaSuccess);
}

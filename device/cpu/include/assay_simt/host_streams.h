/* Streams and events of the CUDA runtime. Work on a stream that a kernel file makes waits until something needs it, and two streams without
 * an event between them run in an order that nothing promises: runtime/stream.c. */
#ifndef ASSAY_SIMT_HOST_STREAMS_H
#define ASSAY_SIMT_HOST_STREAMS_H

#include <assay_simt/host_error.h>

typedef assay_stream cudaStream_t;
typedef assay_simt_event *cudaEvent_t;

#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
                   cudaEventInterprocess = 4;
constexpr unsigned cudaEventRecordDefault = 0, cudaEventWaitDefault = 0;

namespace assay_simt
{
inline cudaError_t of_stream(int known)
{
    return note_error(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
} // namespace assay_simt

inline cudaError_t cudaDeviceSynchronize()
{
    assay_simt_device_finish();
    return cudaSuccess;
}
inline cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream || flags > cudaStreamNonBlocking)
        return assay_simt::note_error(cudaErrorInvalidValue);
    *stream = assay_simt_stream_make(flags != cudaStreamNonBlocking);
    return assay_simt::note_error(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}
inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return assay_simt::of_stream(assay_simt_stream_drop(stream));
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return assay_simt::of_stream(assay_simt_stream_finish(stream));
}
/* A program that asks until it is told "done" must come to an end, so asking waits. */
inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
        return assay_simt::note_error(cudaErrorInvalidValue);
    *event = assay_simt_event_make(!(flags & cudaEventDisableTiming));
    return assay_simt::note_error(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return assay_simt::note_error(cudaErrorInvalidResourceHandle);
    assay_simt_event_drop(event);
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr)
{
    return assay_simt::of_stream(event && assay_simt_event_record(event, stream));
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned = 0)
{
    return cudaEventRecord(event, stream);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0)
{
    return assay_simt::of_stream(event && assay_simt_event_await(event, stream));
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!event)
        return assay_simt::note_error(cudaErrorInvalidResourceHandle);
    assay_simt_event_finish(event);
    return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    if (!ms || !from || !to)
        return assay_simt::note_error(cudaErrorInvalidValue);
    const int done = assay_simt_event_elapsed(from, to, ms);
    return assay_simt::note_error(done > 0    ? cudaSuccess
                                  : done == 0 ? cudaErrorNotReady
                                              : cudaErrorInvalidResourceHandle);
}

typedef void (*cudaHostFn_t)(void *);
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct host_call {
        cudaHostFn_t function;
        void *data;
    } const call = {function, data};
    return assay_simt::of_stream(assay_simt_stream_call(
        stream,
        [](const void *self) {
            const host_call *c = static_cast<const host_call *>(self);
            c->function(c->data);
        },
        &call, sizeof call));
}

#endif

/* Streams, events and captures inside the runtime: stream.c and capture.c implement what stream_api.c offers to programs. */
#ifndef ASSAY_PTX_STREAM_H
#define ASSAY_PTX_STREAM_H

#include "device/ptx/runtime/runtime.h"

struct rt_op;

struct CUstream_st {
    cudaStream_t next;
    struct rt_op *first, **end;
    uint64_t queued, done; /* operations so far */
    uint64_t id;
    int priority;
    bool blocking, closed; /* closed ones stay: events may stand on them */
    /* While it is captured: the graph, and the nodes that the next operation comes after. */
    cudaGraph_t capture;
    bool capture_origin;
    cudaError_t capture_error;
    uint64_t capture_id;
    cudaGraphNode_t *tips;
    size_t tip_count;
};

struct CUevent_st {
    cudaStream_t at; /* recorded there; NULL: never */
    uint64_t position;
    double time_s;
    unsigned references, flags;
    cudaGraph_t captured; /* recorded in a capture: of that graph, behind these nodes */
    uint64_t capture_id;
    cudaGraphNode_t *tips;
    size_t tip_count;
    bool destroyed;
};

uint64_t rt_calls(void); /* calls so far (call.c) */

cudaStream_t rt_stream_create(bool blocking, int priority);
cudaStream_t rt_streams(void);            /* all, by `next` */
cudaStream_t rt_any_capture(void);        /* one that is captured, or NULL */
void rt_stream_step(cudaStream_t stream); /* one operation, with what it waits for */
cudaStream_t rt_running_stream(void);

bool rt_event_is_done(const struct CUevent_st *event);
cudaError_t rt_event_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t rt_event_wait(cudaStream_t stream, cudaEvent_t event);
cudaError_t rt_event_finish(cudaEvent_t event);

/* Within a capture (capture.c). */
cudaError_t rt_capture_work(cudaStream_t stream, rt_work *work);
cudaError_t rt_capture_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t rt_capture_join(cudaStream_t stream, cudaEvent_t event);

#endif

/* Launches, streams and events: what kernel files and the device's owner call. In which order the work runs is stream_queue.c's. */
#include "device/cpu/runtime/stream_queue.h"
#include <stdlib.h>

static uint32_t of_kernels; /* open streams that kernels made */

static bool at_once(const struct CUstream_st *s)
{
    return s->own && simt_queue_waiting() == 0 && of_kernels == 0;
}

static assay_status queue_launch(const assay_simt_launch_config *config, void (*run)(const void *),
                                 const void *call, size_t call_bytes)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_find(config->stream);
    if (!s) {
        simt_queue_leave();
        return simt_launch_error("a launch on a stream that was never created, or is destroyed");
    }
    if (at_once(s)) {
        simt_queue_leave();
        simt_run_now(config, run, call, call_bytes);
        return ASSAY_OK;
    }
    stream_op *op = simt_queue_wait_for_default(s) ? simt_queue_append(s, call, call_bytes) : NULL;
    if (op) {
        op->is_launch = true;
        op->config = *config;
        op->run = run;
    }
    simt_queue_leave();
    return op ? ASSAY_OK : simt_launch_error("out of memory for a launch");
}

assay_status assay_simt_launch(const assay_simt_launch_config *config, void (*run_threads)(const void *),
                               const void *call, size_t call_bytes)
{
    const char *reason = simt_limits_refuse(config);
    if (reason) {
        char name[256];
        simt_config_name(config, name, sizeof name);
        return simt_launch_error(
            "launch of %s with grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of shared memory: %s", name,
            config->grid.x, config->grid.y, config->grid.z, config->block.x, config->block.y, config->block.z,
            config->shared_bytes, reason);
    }
    return queue_launch(config, run_threads, call, call_bytes);
}

int assay_simt_stream_call(assay_stream handle, void (*run)(const void *call), const void *call,
                           size_t call_bytes)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_find(handle);
    const bool now = s && at_once(s);
    stream_op *op =
        s && !now && simt_queue_wait_for_default(s) ? simt_queue_append(s, call, call_bytes) : NULL;
    if (op)
        op->run = run;
    simt_queue_leave();
    if (now)
        run(call);
    return now || op;
}

/* ---- what kernel files call ---- */

assay_stream assay_simt_stream_make(int blocking)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_create(false, blocking != 0);
    of_kernels += s != NULL;
    simt_queue_leave();
    return s;
}

int assay_simt_stream_drop(assay_stream handle)
{
    simt_queue_enter();
    struct CUstream_st *s = handle > (assay_stream)2 ? simt_queue_find(handle) : NULL;
    const bool may = s && !s->own;
    if (may) { /* its work goes on */
        s->closed = true;
        of_kernels--;
        simt_queue_release(s);
    }
    simt_queue_leave();
    return may;
}

int assay_simt_stream_finish(assay_stream handle)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_find(handle);
    if (s == simt_queue_zero())
        (void)simt_queue_wait_for_default(s);
    if (s)
        simt_queue_run_until(s, s->queued);
    simt_queue_leave();
    return s != NULL;
}

void assay_simt_device_finish(void)
{
    simt_stream_finish_all();
}

void assay_simt_stream_zero(assay_stream stream)
{
    simt_queue_enter();
    simt_queue_set_zero(stream);
    simt_queue_leave();
}

assay_simt_event *assay_simt_event_make(int timed)
{
    assay_simt_event *event = calloc(1, sizeof *event);
    if (event)
        *event = (assay_simt_event){.references = 1, .timed = timed != 0};
    return event;
}

void assay_simt_event_drop(assay_simt_event *event)
{
    simt_queue_enter();
    simt_queue_release_event(event);
    simt_queue_leave();
}

int assay_simt_event_record(assay_simt_event *event, assay_stream handle)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_find(handle);
    stream_op *op = NULL;
    if (s && !at_once(s)) {
        op = simt_queue_wait_for_default(s) ? simt_queue_append(s, NULL, 0) : NULL;
        if (op) {
            op->event = event;
            event->references++;
        }
    } else if (s) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
    }
    if (s) {
        simt_queue_release(event->at);
        event->at = s;
        event->position = s->queued;
        s->references++;
    }
    simt_queue_leave();
    return s != NULL;
}

int assay_simt_event_await(assay_simt_event *event, assay_stream handle)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_find(handle);
    if (s && event->at)
        (void)simt_queue_wait_for(s, event->at, event->position);
    simt_queue_leave();
    return s != NULL;
}

void assay_simt_event_finish(assay_simt_event *event)
{
    simt_queue_enter();
    if (event->at)
        simt_queue_run_until(event->at, event->position);
    simt_queue_leave();
}

int assay_simt_event_elapsed(const assay_simt_event *from, const assay_simt_event *to, float *ms)
{
    simt_queue_enter();
    const bool known = from->timed && to->timed && from->at && to->at;
    const bool done = known && from->at->done >= from->position && to->at->done >= to->position;
    if (done)
        *ms = (float)(to->time.tv_sec - from->time.tv_sec) * 1e3f +
              (float)(to->time.tv_nsec - from->time.tv_nsec) * 1e-6f;
    simt_queue_leave();
    return done ? 1 : known ? 0 : -1;
}

/* ---- the device's own ---- */

assay_stream simt_stream_open_own(void)
{
    simt_queue_enter();
    struct CUstream_st *s = simt_queue_create(true, false);
    simt_queue_leave();
    return s;
}

void simt_stream_close_own(assay_stream stream)
{
    simt_queue_enter();
    if (stream) {
        simt_queue_run_until(stream, stream->queued);
        stream->closed = true;
        if (simt_queue_zero() == stream)
            simt_queue_set_zero(NULL);
        simt_queue_release(stream);
    }
    simt_queue_leave();
}

void simt_stream_finish(assay_stream stream)
{
    simt_queue_enter();
    simt_queue_run_until(stream, stream->queued);
    simt_queue_leave();
}

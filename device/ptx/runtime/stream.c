/* Streams and events. Work waits in its queue until something needs it, the latest moment that a card may choose, so that a missing event, a
 * missing wait or the wrong stream shows. Where nothing orders two queues, the seed does. A thread of its own moves work on when the program
 * makes no calls for a while: it may be waiting for a kernel to write to memory that both see.
 *
 * The stream 0 is CUDA's legacy one: it waits for the streams that are not non-blocking, and they wait for it. */
#include "device/ptx/runtime/stream.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_US = 50000, IDLE_TICKS = 4 };

typedef struct rt_wait {
    cudaStream_t stream;
    uint64_t done; /* `stream` must have done so many operations */
} rt_wait;

typedef struct rt_op {
    struct rt_op *next;
    uint64_t number; /* over all streams */
    rt_work work;
    size_t wait_count;
    rt_wait waits[];
} rt_op;

static struct CUstream_st legacy = {.blocking = true, .end = &legacy.first, .id = 0};
static cudaStream_t streams = &legacy;
static uint64_t numbers, ids = 1;
static size_t waiting;
static __thread cudaStream_t per_thread;
static cudaStream_t running; /* whose operation runs now */
static _Atomic uint64_t enqueues;

/* ---- the list ---- */

cudaStream_t rt_stream_create(bool blocking, int priority)
{
    cudaStream_t s = calloc(1, sizeof *s), *link = &streams;
    if (!s)
        return NULL;
    s->end = &s->first;
    s->blocking = blocking;
    s->priority = priority;
    s->id = ids++;
    while (*link)
        link = &(*link)->next;
    return *link = s;
}

cudaStream_t rt_find_stream(cudaStream_t handle)
{
    if (!handle || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread) {
        if (!per_thread)
            per_thread = rt_stream_create(true, 0);
        return per_thread;
    }
    cudaStream_t s = streams;
    while (s && (s != handle || s->closed))
        s = s->next;
    return s;
}

cudaStream_t rt_streams(void)
{
    return streams;
}

bool rt_is_capturing(cudaStream_t stream)
{
    return stream->capture != NULL;
}

cudaStream_t rt_any_capture(void)
{
    cudaStream_t s = streams;
    while (s && !s->capture)
        s = s->next;
    return s;
}

/* ---- running ---- */

static void run_first(cudaStream_t s)
{
    rt_op *op = s->first;
    const cudaStream_t outer = running;
    if (!(s->first = op->next))
        s->end = &s->first;
    waiting--;
    running = s;
    if (rt_device_error() == cudaSuccess) {
        const cudaError_t error = rt_work_run(&op->work);
        if (error != cudaSuccess)
            rt_lose_device(error);
    }
    running = outer;
    rt_work_release(&op->work);
    free(op);
    s->done++;
}

static bool is_ready(cudaStream_t s)
{
    const rt_op *op = s->first;
    for (size_t i = 0; op && i < op->wait_count; i++)
        if (op->waits[i].stream->done < op->waits[i].done)
            return false;
    return op != NULL;
}

/* The stream whose first operation runs next where all of them may: the one that was enqueued last, or any, as the seed draws. */
static cudaStream_t choose(void)
{
    cudaStream_t chosen = NULL;
    const bool newest = rt_draw() & 1;
    uint64_t count = 0;
    for (cudaStream_t s = streams; s; s = s->next) {
        if (!is_ready(s))
            continue;
        count++;
        if (!chosen || (newest ? s->first->number > chosen->first->number : rt_draw() % count == 0))
            chosen = s;
    }
    return chosen;
}

/* Work elsewhere may happen first or not: now and then it does. */
static void run_until(cudaStream_t s, uint64_t done)
{
    while (s->done < done && s->first) {
        const rt_op *op = s->first;
        if (waiting > 1 && !rt_get_options()->only_needed && rt_draw() % 4 == 0) {
            run_first(choose());
            continue;
        }
        for (size_t i = 0; i < op->wait_count && s->first == op; i++)
            run_until(op->waits[i].stream, op->waits[i].done);
        if (s->first == op && s->done < done)
            run_first(s);
    }
}

cudaError_t rt_finish_stream(cudaStream_t stream)
{
    run_until(stream, stream->queued);
    return rt_device_error();
}

cudaError_t rt_finish_all(void)
{
    while (waiting > 0)
        run_first(choose());
    return rt_device_error();
}

/* ---- a program that waits without calling ---- */

static void *move_on(void *unused)
{
    (void)unused;
    uint64_t seen = 0;
    for (int idle = 0;;) {
        usleep(TICK_US);
        const uint64_t now = atomic_load(&enqueues) + rt_calls();
        idle = now == seen ? idle + 1 : 0;
        seen = now;
        if (idle < IDLE_TICKS || rt_get_options()->only_needed || !rt_try_lock())
            continue;
        if (waiting > 0)
            run_first(choose());
        rt_unlock();
    }
    return NULL;
}

static void start_mover(void)
{
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, move_on, NULL) != 0)
        rt_say("no thread for work on streams: a program that waits for a kernel without a call will hang");
    pthread_attr_destroy(&detached);
}

/* ---- enqueueing ---- */

static void wait_for(rt_op *op, cudaStream_t stream, uint64_t done)
{
    if (stream->done < done)
        op->waits[op->wait_count++] = (rt_wait){stream, done};
}

/* What CUDA's legacy stream orders. */
static void wait_implicitly(rt_op *op, cudaStream_t stream)
{
    if (stream->blocking && stream != &legacy)
        wait_for(op, &legacy, legacy.queued);
    for (cudaStream_t s = streams; s && stream == &legacy; s = s->next)
        if (s->blocking && s != &legacy)
            wait_for(op, s, s->queued);
}

static size_t stream_count(void)
{
    size_t count = 0;
    for (cudaStream_t s = streams; s; s = s->next)
        count++;
    return count;
}

static cudaError_t enqueue(cudaStream_t stream, rt_work *work, cudaStream_t after, uint64_t after_done)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_mover);
    rt_op *op = calloc(1, sizeof *op + (stream_count() + 1) * sizeof op->waits[0]);
    if (!op) {
        rt_work_release(work);
        return cudaErrorMemoryAllocation;
    }
    op->number = ++numbers;
    op->work = *work;
    if (after)
        wait_for(op, after, after_done);
    wait_implicitly(op, stream);
    *stream->end = op;
    stream->end = &op->next;
    stream->queued++;
    waiting++;
    atomic_fetch_add(&enqueues, 1);
    return cudaSuccess;
}

cudaError_t rt_enqueue(cudaStream_t stream, rt_work *work)
{
    if (stream->capture)
        return rt_capture_work(stream, work);
    for (cudaStream_t s = streams; s && stream == &legacy; s = s->next)
        if (s->capture && s->blocking) {
            s->capture_error = cudaErrorStreamCaptureImplicit;
            rt_work_release(work);
            return rt_refuse(cudaErrorStreamCaptureImplicit,
                             "work on the legacy stream would wait for a stream that is captured");
        }
    return enqueue(stream, work, NULL, 0);
}

/* ---- events ---- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void rt_event_happen(cudaEvent_t event)
{
    event->time_s = now_s();
}

void rt_event_retain(cudaEvent_t event)
{
    event->references++;
}

void rt_event_release(cudaEvent_t event)
{
    if (--event->references == 0)
        free(event);
}

bool rt_event_is_done(const struct CUevent_st *event)
{
    return !event->at || event->at->done >= event->position;
}

cudaError_t rt_event_record(cudaEvent_t event, cudaStream_t stream)
{
    if (stream->capture)
        return rt_capture_record(event, stream);
    rt_work work = {.kind = RT_RECORD, .as.event = event};
    rt_event_retain(event);
    event->captured = NULL;
    const cudaError_t error = rt_enqueue(stream, &work);
    if (error == cudaSuccess) {
        event->at = stream;
        event->position = stream->queued;
    }
    return error;
}

cudaError_t rt_event_wait(cudaStream_t stream, cudaEvent_t event)
{
    if (event->captured)
        return rt_capture_join(stream, event);
    if (stream->capture)
        return rt_refuse(
            cudaErrorStreamCaptureIsolation,
            "a captured stream cannot wait for an event that was recorded outside of the capture");
    if (!event->at)
        return cudaSuccess; /* never recorded: nothing to wait for */
    rt_work work = {.kind = RT_NOTHING};
    return enqueue(stream, &work, event->at, event->position);
}

cudaError_t rt_event_finish(cudaEvent_t event)
{
    if (event->at)
        run_until(event->at, event->position);
    return rt_device_error();
}

void rt_stream_step(cudaStream_t stream)
{
    if (stream->first)
        run_until(stream, stream->done + 1);
}

cudaStream_t rt_running_stream(void)
{
    return running;
}

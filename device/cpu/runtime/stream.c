/* Streams and events. Work on a stream waits in its queue until something needs it: the latest moment that hardware may choose, so that a
 * missing event, a missing wait or the wrong stream shows. Only the device's own stream runs its work at once, as long as there is no other
 * stream whose work it could be in a wrong order with.
 *
 * When the whole device is waited for, queues without an order among them run by the order option: forward, what was queued last comes
 * first; reversed, one stream after the other; random, drawn by the seed. Program order, the only one that forgives everything, is none of
 * them.
 *
 * The stream 0 is CUDA's legacy one: it waits for the streams that are not non-blocking, and they wait for it. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct stream_op {
    struct stream_op *next;
    uint64_t number; /* over all streams */
    struct CUstream_st *after;
    uint64_t after_done; /* `after` must have done so many operations */
    struct assay_simt_event *event;
    bool is_launch;
    assay_simt_launch_config config;
    void (*run)(const void *);
    size_t call_bytes;
    _Alignas(16) char call[];
} stream_op;

struct CUstream_st { /* the handle behind assay_stream */
    struct CUstream_st *next;
    stream_op *first, **end;
    uint64_t queued, done; /* operations so far */
    uint32_t references;   /* its handle, operations of its own, operations that wait for it, events */
    bool own, blocking, closed;
};

struct assay_simt_event {
    struct CUstream_st *at; /* recorded there; NULL: never */
    uint64_t position;      /* operations of `at` up to the record */
    struct timespec time;
    uint32_t references;
    bool timed;
};

static pthread_mutex_t lock; /* recursive: held while work runs */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct CUstream_st legacy = {.references = 1, .blocking = true},
                          per_thread = {.references = 1, .blocking = true};
static struct CUstream_st *streams, *zero; /* all in order of creation; what the handle 0 means */
static uint64_t numbers, draws;
static uint32_t waiting, of_kernels; /* operations in queues; open streams that kernels made */

static void begin(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    legacy.end = &legacy.first;
    per_thread.end = &per_thread.first;
    legacy.next = &per_thread;
    streams = &legacy;
    zero = &legacy;
}

static void enter(void)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- the list ---- */

static struct CUstream_st *create(bool own, bool blocking)
{
    struct CUstream_st *s = calloc(1, sizeof *s), **link = &streams;
    if (!s)
        return NULL;
    *s = (struct CUstream_st){.references = 1, .own = own, .blocking = blocking};
    s->end = &s->first;
    while (*link)
        link = &(*link)->next;
    *link = s;
    return s;
}

static void release(struct CUstream_st *s)
{
    if (!s || --s->references)
        return;
    struct CUstream_st **link = &streams;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    free(s);
}

/* The stream of a handle; NULL if there is none. CUDA's names for the legacy stream and that of a thread are 1 and 2. */
static struct CUstream_st *find(assay_stream handle)
{
    if (!handle || handle == (assay_stream)1)
        return zero;
    if (handle == (assay_stream)2)
        return &per_thread;
    struct CUstream_st *s = streams;
    while (s && (s != handle || s->closed))
        s = s->next;
    return s;
}

/* ---- running ---- */

static void release_event(assay_simt_event *event)
{
    if (!event || --event->references)
        return;
    release(event->at);
    free(event);
}

static void run_until(struct CUstream_st *s, uint64_t done);

static void run_first(struct CUstream_st *s)
{
    stream_op *op = s->first;
    if (op->after)
        run_until(op->after, op->after_done);
    if (s->first != op)
        return; /* run on the way */
    if (!(s->first = op->next))
        s->end = &s->first;
    waiting--;
    if (op->is_launch)
        simt_run_now(&op->config, op->run, op->call, op->call_bytes);
    else if (op->run)
        op->run(op->call);
    if (op->event && op->event->at == s && op->event->position == s->done + 1)
        clock_gettime(CLOCK_MONOTONIC, &op->event->time);
    s->done++;
    release_event(op->event);
    release(op->after);
    free(op);
    release(s);
}

static void run_until(struct CUstream_st *s, uint64_t done)
{
    s->references++;
    while (s->first && s->done < done)
        run_first(s);
    release(s);
}

static bool can_begin(const struct CUstream_st *s)
{
    return s->first && (!s->first->after || s->first->after->done >= s->first->after_done);
}

static struct CUstream_st *choose(const assay_simt_options *now)
{
    struct CUstream_st *chosen = NULL;
    uint64_t best = 0;
    for (struct CUstream_st *s = streams; s; s = s->next) {
        if (!can_begin(s))
            continue;
        const uint64_t rank = now->order == ASSAY_SIMT_FORWARD    ? s->first->number
                              : now->order == ASSAY_SIMT_REVERSED ? 1
                                                                  : simt_mix(now->seed ^ ++draws);
        if (!chosen || rank > best) {
            chosen = s;
            best = rank;
        }
    }
    return chosen;
}

void simt_stream_finish_all(void)
{
    enter();
    const assay_simt_options now = simt_options();
    for (struct CUstream_st *s; (s = choose(&now));)
        run_first(s);
    leave();
}

void simt_stream_finish(assay_stream stream)
{
    enter();
    run_until(stream, stream->queued);
    leave();
}

/* ---- queueing ---- */

static stream_op *append(struct CUstream_st *s, const void *call, size_t call_bytes)
{
    stream_op *op = calloc(1, sizeof *op + call_bytes);
    if (!op)
        return NULL;
    if (call_bytes)
        memcpy(op->call, call, call_bytes);
    op->call_bytes = call_bytes;
    op->number = ++numbers;
    *s->end = op;
    s->end = &op->next;
    s->queued++;
    s->references++;
    waiting++;
    return op;
}

/* What follows on `s` comes after the first `done` operations of `other`. */
static bool wait_for(struct CUstream_st *s, struct CUstream_st *other, uint64_t done)
{
    if (s == other || other->done >= done)
        return true;
    stream_op *op = append(s, NULL, 0);
    if (!op)
        return false;
    op->after = other;
    op->after_done = done;
    other->references++;
    return true;
}

/* The rule of the stream 0. The device's own stream is no part of it, unless it stands for that stream. */
static bool wait_for_default(struct CUstream_st *s)
{
    bool done = true;
    if (s != zero)
        return !s->blocking || wait_for(s, zero, zero->queued);
    for (struct CUstream_st *other = streams; other && done; other = other->next)
        if (other->blocking)
            done = wait_for(s, other, other->queued);
    return done;
}

static bool at_once(const struct CUstream_st *s)
{
    return s->own && waiting == 0 && of_kernels == 0;
}

assay_status simt_stream_launch(const assay_simt_launch_config *config, void (*run)(const void *),
                                const void *call, size_t call_bytes)
{
    enter();
    struct CUstream_st *s = find(config->stream);
    if (!s) {
        leave();
        return simt_launch_error("a launch on a stream that was never created, or is destroyed");
    }
    if (at_once(s)) {
        leave();
        simt_run_now(config, run, call, call_bytes);
        return ASSAY_OK;
    }
    stream_op *op = wait_for_default(s) ? append(s, call, call_bytes) : NULL;
    if (op) {
        op->is_launch = true;
        op->config = *config;
        op->run = run;
    }
    leave();
    return op ? ASSAY_OK : simt_launch_error("out of memory for a launch");
}

int assay_simt_stream_call(assay_stream handle, void (*run)(const void *call), const void *call,
                           size_t call_bytes)
{
    enter();
    struct CUstream_st *s = find(handle);
    const bool now = s && at_once(s);
    stream_op *op = s && !now && wait_for_default(s) ? append(s, call, call_bytes) : NULL;
    if (op)
        op->run = run;
    leave();
    if (now)
        run(call);
    return now || op;
}

/* ---- what kernel files call ---- */

assay_stream assay_simt_stream_make(int blocking)
{
    enter();
    struct CUstream_st *s = create(false, blocking != 0);
    of_kernels += s != NULL;
    leave();
    return s;
}

int assay_simt_stream_drop(assay_stream handle)
{
    enter();
    struct CUstream_st *s = handle > (assay_stream)2 ? find(handle) : NULL;
    const bool may = s && !s->own;
    if (may) { /* its work goes on */
        s->closed = true;
        of_kernels--;
        release(s);
    }
    leave();
    return may;
}

int assay_simt_stream_finish(assay_stream handle)
{
    enter();
    struct CUstream_st *s = find(handle);
    if (s == zero)
        (void)wait_for_default(s);
    if (s)
        run_until(s, s->queued);
    leave();
    return s != NULL;
}

void assay_simt_device_finish(void)
{
    simt_stream_finish_all();
}

void assay_simt_stream_zero(assay_stream stream)
{
    enter();
    zero = stream ? stream : &legacy;
    leave();
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
    enter();
    release_event(event);
    leave();
}

int assay_simt_event_record(assay_simt_event *event, assay_stream handle)
{
    enter();
    struct CUstream_st *s = find(handle);
    stream_op *op = NULL;
    if (s && !at_once(s)) {
        op = wait_for_default(s) ? append(s, NULL, 0) : NULL;
        if (op) {
            op->event = event;
            event->references++;
        }
    } else if (s) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
    }
    if (s) {
        release(event->at);
        event->at = s;
        event->position = s->queued;
        s->references++;
    }
    leave();
    return s != NULL;
}

int assay_simt_event_await(assay_simt_event *event, assay_stream handle)
{
    enter();
    struct CUstream_st *s = find(handle);
    if (s && event->at)
        (void)wait_for(s, event->at, event->position);
    leave();
    return s != NULL;
}

void assay_simt_event_finish(assay_simt_event *event)
{
    enter();
    if (event->at)
        run_until(event->at, event->position);
    leave();
}

int assay_simt_event_elapsed(const assay_simt_event *from, const assay_simt_event *to, float *ms)
{
    enter();
    const bool known = from->timed && to->timed && from->at && to->at;
    const bool done = known && from->at->done >= from->position && to->at->done >= to->position;
    if (done)
        *ms = (float)(to->time.tv_sec - from->time.tv_sec) * 1e3f +
              (float)(to->time.tv_nsec - from->time.tv_nsec) * 1e-6f;
    leave();
    return done ? 1 : known ? 0 : -1;
}

/* ---- the device's own ---- */

assay_stream simt_stream_open_own(void)
{
    enter();
    struct CUstream_st *s = create(true, false);
    leave();
    return s;
}

void simt_stream_close_own(assay_stream stream)
{
    enter();
    if (stream) {
        run_until(stream, stream->queued);
        stream->closed = true;
        if (zero == stream)
            zero = &legacy;
        release(stream);
    }
    leave();
}

/* The queues behind streams, and in which order their work runs. Work on a stream waits in its queue until something needs it: the latest moment that hardware may choose, so that a
 * missing event, a missing wait or the wrong stream shows. Only the device's own stream runs its work at once, as long as there is no other
 * stream whose work it could be in a wrong order with.
 *
 * When the whole device is waited for, queues without an order among them run by the order option: forward, what was queued last comes
 * first; reversed, one stream after the other; random, drawn by the seed. Program order, the only one that forgives everything, is none of
 * them.
 *
 * The stream 0 is CUDA's legacy one: it waits for the streams that are not non-blocking, and they wait for it. */
#include "device/cpu/runtime/stream_queue.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock; /* recursive: held while work runs */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct CUstream_st legacy = {.references = 1, .blocking = true},
                          per_thread = {.references = 1, .blocking = true};
static struct CUstream_st *streams, *zero; /* all in order of creation; what the handle 0 means */
static uint64_t numbers, draws;
static uint32_t waiting; /* operations in queues */

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

void simt_queue_enter(void)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
}

void simt_queue_leave(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- the list ---- */

struct CUstream_st *simt_queue_create(bool own, bool blocking)
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

void simt_queue_release(struct CUstream_st *s)
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
struct CUstream_st *simt_queue_find(assay_stream handle)
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

void simt_queue_release_event(assay_simt_event *event)
{
    if (!event || --event->references)
        return;
    simt_queue_release(event->at);
    free(event);
}

static void run_first(struct CUstream_st *s)
{
    stream_op *op = s->first;
    if (op->after)
        simt_queue_run_until(op->after, op->after_done);
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
    simt_queue_release_event(op->event);
    simt_queue_release(op->after);
    free(op);
    simt_queue_release(s);
}

void simt_queue_run_until(struct CUstream_st *s, uint64_t done)
{
    s->references++;
    while (s->first && s->done < done)
        run_first(s);
    simt_queue_release(s);
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
    simt_queue_enter();
    const assay_simt_options now = simt_options();
    for (struct CUstream_st *s; (s = choose(&now));)
        run_first(s);
    simt_queue_leave();
}

/* ---- queueing ---- */

stream_op *simt_queue_append(struct CUstream_st *s, const void *call, size_t call_bytes)
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
bool simt_queue_wait_for(struct CUstream_st *s, struct CUstream_st *other, uint64_t done)
{
    if (s == other || other->done >= done)
        return true;
    stream_op *op = simt_queue_append(s, NULL, 0);
    if (!op)
        return false;
    op->after = other;
    op->after_done = done;
    other->references++;
    return true;
}

/* The rule of the stream 0. The device's own stream is no part of it, unless it stands for that stream. */
bool simt_queue_wait_for_default(struct CUstream_st *s)
{
    bool done = true;
    if (s != zero)
        return !s->blocking || simt_queue_wait_for(s, zero, zero->queued);
    for (struct CUstream_st *other = streams; other && done; other = other->next)
        if (other->blocking)
            done = simt_queue_wait_for(s, other, other->queued);
    return done;
}

uint32_t simt_queue_waiting(void)
{
    return waiting;
}

struct CUstream_st *simt_queue_zero(void)
{
    return zero;
}

void simt_queue_set_zero(struct CUstream_st *stream)
{
    zero = stream ? stream : &legacy;
}

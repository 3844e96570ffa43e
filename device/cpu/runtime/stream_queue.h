/* The queues behind streams. All of this, simt_queue_enter() and simt_stream_finish_all() aside, is called between simt_queue_enter() and
 * simt_queue_leave(). */
#ifndef ASSAY_SIMT_STREAM_QUEUE_H
#define ASSAY_SIMT_STREAM_QUEUE_H

#include "device/cpu/runtime/simt.h"
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

void simt_queue_enter(void);
void simt_queue_leave(void);
struct CUstream_st *simt_queue_create(bool own, bool blocking); /* NULL: out of memory */
void simt_queue_release(struct CUstream_st *s);         /* gives back one reference; NULL is allowed */
void simt_queue_release_event(assay_simt_event *event); /* the same */
/* The stream of a handle; NULL if there is none. CUDA's names for the legacy stream and that of a thread are 1 and 2. */
struct CUstream_st *simt_queue_find(assay_stream handle);
struct CUstream_st *simt_queue_zero(void);            /* what the handle 0 means */
void simt_queue_set_zero(struct CUstream_st *stream); /* NULL: the legacy stream again */
uint32_t simt_queue_waiting(void);                    /* operations in all queues */
/* Run `s` until it has done `done` operations in all, and what these wait for. */
void simt_queue_run_until(struct CUstream_st *s, uint64_t done);
/* A new last operation of `s`, with a copy of the call's bytes; NULL: out of memory. */
stream_op *simt_queue_append(struct CUstream_st *s, const void *call, size_t call_bytes);
/* What follows on `s` comes after the first `done` operations of `other`; false: out of memory. */
bool simt_queue_wait_for(struct CUstream_st *s, struct CUstream_st *other, uint64_t done);
/* What follows on `s` obeys the rule of the stream 0; false: out of memory. */
bool simt_queue_wait_for_default(struct CUstream_st *s);

#endif

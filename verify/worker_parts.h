/* What the files of the judge's side of a worker share. Only they include this header. */
#ifndef ASSAY_VERIFY_WORKER_PARTS_H
#define ASSAY_VERIFY_WORKER_PARTS_H

#include "verify/worker.h"
#include <limits.h>
#include <sys/types.h>

enum { OUTPUT_LIMIT = 65536 };

struct worker {
    pid_t pid;
    int socket, output;
    worker_end end;
    int signal, status; /* what ended it, or with which status it exited */
    double limit_s, waited_s,
        earlier_s; /* waited_s: for the problem at hand, earlier_s: for those of the case before it */
    char what[160], reason[WORKER_REASON_MAX];
    char library[PATH_MAX]; /* the module that was loaded last; "" before */
    unsigned measures;
    assay_device_info info;
    protocol_answer answer;
    int took_order;
    step_kind failed_step;
    /* The queue. */
    uint32_t step_count, text_used;
    protocol_step steps[PROTOCOL_MOST_STEPS];
    char text[PROTOCOL_MOST_TEXT];
    int memory; /* descriptor of the shared memory */
    unsigned char *shared;
    int64_t shared_bytes;
    size_t said;
    char words[OUTPUT_LIMIT + 1];
};

/* worker_end.c: take up what it has said by now, a pipe's fill at most: a writer without end is not waited for. */
void worker_drain(worker *w);
/* It has ended, or is ended now; says how, as an error. */
assay_status worker_lose(worker *w, worker_end end, assay_error *error);

/* worker.c: wait for a message of exactly `bytes`, within what is left of the case's time. */
assay_status worker_receive(worker *w, void *message, size_t bytes, assay_error *error);

#endif

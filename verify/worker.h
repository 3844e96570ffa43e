/* The judge's side of protocol.h: starts the process that holds a kernel, sends it steps, and knows how it ended. Trusts nothing of what
 * that process says.
 *
 * Steps are queued and sent together by worker_flush(). Once a worker is lost (worker_lost) every call fails with ASSAY_ERR_DEVICE and the
 * reason, so callers need no check of their own between a call and the end of a case. */
#ifndef ASSAY_VERIFY_WORKER_H
#define ASSAY_VERIFY_WORKER_H

#include "core/confine.h"
#include "verify/protocol.h"

enum { WORKER_REASON_MAX = 768 };

typedef enum worker_end {
    WORKER_RUNS,
    WORKER_STOPPED, /* by worker_stop */
    WORKER_CRASHED, /* a signal, or an exit that nobody asked for */
    WORKER_TIMED_OUT,
    WORKER_INTERRUPTED
} worker_end;

typedef struct worker worker;

typedef struct worker_setup {
    const char *program;     /* path of assay-verify-worker */
    const char *device;      /* its kind */
    const char *const *tool; /* NULL, or the words of a program that starts the worker; NULL-terminated */
    double time_limit_s;     /* for its start; 0: none */
    const confine_rules *confine; /* NULL: it runs as this process does */
} worker_setup;

/* Start one and wait until its device is open. ASSAY_ERR_ENVIRONMENT: it does not start, or has no device. */
assay_status worker_start(const worker_setup *setup, worker **out, assay_error *error);
/* Take over a process that already serves behind `socket` and whose output comes from `output` (tests). */
assay_status worker_adopt(long pid, int socket, int output, double time_limit_s, worker **out,
                          assay_error *error);
/* End it, at once or, with `orderly`, by the end of the conversation (a tool around it then writes its report). Frees nothing. */
void worker_stop(worker *w, int orderly);
/* Stop and free; NULL is fine. */
void worker_close(worker *w);

const assay_device_info *worker_info(const worker *w);

/* What confines it: CONFINE_... bits. */
unsigned worker_measures(const worker *w);

/* A case begins: each of its problems may keep the judge waiting for so many seconds (0: no limit), all of
 * them for WORKER_MOST_LIMITS times as long: a slow kernel on a busy machine is not a hanging one. Forgets
 * what was said before. */
enum { WORKER_MOST_LIMITS = 8 };
void worker_begin(worker *w, double time_limit_s);
void worker_begin_problem(worker *w);
/* What the worker does from now on, for the reason if it ends there. */
void worker_name_step(worker *w, const char *label, const char *name);

/* Memory that both sides map, at least `bytes` of it. Pointers into the former one are void. */
assay_status worker_share(worker *w, int64_t bytes, assay_error *error);
unsigned char *worker_shared(const worker *w);

/* Queue a step; `text` holds step.bytes bytes for the kinds that have text. Sends the queue where it is full. */
assay_status worker_add(worker *w, protocol_step step, const void *text, assay_error *error);
assay_status worker_load(worker *w, const char *library, const char *op, assay_error *error);
/* Do all that is queued. On failure worker_failed_step() has the kind of the step. */
assay_status worker_flush(worker *w, assay_error *error);
step_kind worker_failed_step(const worker *w);
/* The last answer: what the kernel returned, a value, a buffer's address on the device. */
assay_status worker_returned(const worker *w);
int64_t worker_value(const worker *w);
/* Did a kernel since the last call use atomics whose results show the order of threads (assay_device_took_order())? */
int worker_took_order(worker *w);
uint64_t worker_address(const worker *w, int buffer);

int worker_lost(const worker *w); /* it ended, in whatever way */
worker_end worker_how_ended(const worker *w);
/* How it ended, in which step, and its last words: "killed by signal 11 (Segmentation fault) in small, first contents: ...". */
const char *worker_reason(const worker *w);
/* What it said since worker_begin (the last 64 KiB), and how long the judge has waited for it since then. */
const char *worker_output(const worker *w);
double worker_waited_s(const worker *w);

/* The most telling line of an output: a report of the device or of a sanitizer, else the last line. Exposed for tests. */
void worker_last_words(const char *output, char *line, size_t line_bytes);

#endif

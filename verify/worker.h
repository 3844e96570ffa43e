/* Starting assay-verify-case and reading how it ended. */
#ifndef ASSAY_VERIFY_WORKER_H
#define ASSAY_VERIFY_WORKER_H

#include "process.h"
#include "verify.h"

enum { WORKER_REASON_MAX = 768, WORKER_MOST_BARE = 64 /* modules that one worker runs on bare memory */ };

typedef struct worker_job {
    const char *op, *variant, *dtype;
    const char *size; /* or NULL with golden */
    const char *golden;
    int golden_from;
    const char *module; /* or NULL */
    const char *out;    /* file it writes */
} worker_job;

typedef enum worker_end {
    WORKER_DONE,    /* it wrote what it was asked for */
    WORKER_CRASHED, /* a signal, or a device check that ended it */
    WORKER_TIMED_OUT,
    WORKER_FAILED, /* it could not judge: environment or wrong use */
    WORKER_INTERRUPTED
} worker_end;

typedef struct worker_result {
    worker_end end;
    int code; /* its exit status where it exited */
    double seconds;
    char reason[WORKER_REASON_MAX]; /* how it ended, where, and its last words */
} worker_result;

/* STEM.RANDOM.PID.part: where a worker leaves its file. Random, so that a kernel cannot know it beforehand; see also worker_main.c. */
void worker_out_path(const char *stem, char *out, size_t out_bytes);

void worker_run(const workspace *ws, const worker_job *job, const verify_options *options,
                worker_result *result);

/* The most telling line of a worker's output: a device or sanitizer report, else the last line. Exposed for tests. */
void worker_last_words(const char *output, char *line, size_t line_bytes, char *step, size_t step_bytes);

#endif

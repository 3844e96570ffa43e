/* Starting assay-verify-case and reading how it ended. */
#ifndef ASSAY_VERIFY_WORKER_H
#define ASSAY_VERIFY_WORKER_H

#include "core/process.h"
#include "verify/verify.h"

enum {
    WORKER_REASON_MAX = 768,
    WORKER_MOST_BARE = 64,  /* modules that one worker runs on bare memory */
    WORKER_MOST_CASES = 32, /* variants that one worker judges */
    WORKER_OUT_MAX = 4700
};

/* A variant to be judged, and the file that its verdict goes to. */
typedef struct worker_case {
    const char *variant;
    const char *module; /* or NULL */
    const char *out;
} worker_case;

/* The cases of one op, dtype and size, in their order: a worker goes on from one to the next as long as none fails, so that what a wrong
 * kernel leaves behind in the process or on the device meets no other one. With golden there is one case. */
typedef struct worker_job {
    const char *op, *dtype;
    const char *size; /* or NULL with golden */
    const char *golden;
    int golden_from;
    const worker_case *cases;
    int case_count;
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
    int code;                       /* its exit status where it exited */
    double seconds;                 /* of its last case */
    char reason[WORKER_REASON_MAX]; /* how it ended, where, and its last words */
} worker_result;

/* STEM.RANDOM.PID.part: where a worker leaves its file. Random, so that a kernel cannot know it beforehand; see also worker_main.c. */
void worker_out_path(const char *stem, char *out, size_t out_bytes);

/* Told how many of the cases have their file, whenever there is one more. */
typedef void (*worker_progress)(void *context, int written);

/* Run one. The time limit is each case's own. WORKER_DONE: all cases have their file, or the last that has one failed. */
void worker_run(const workspace *ws, const worker_job *job, const verify_options *options,
                worker_progress progress, void *context, worker_result *result);

/* The most telling line of what a worker said about its last case: a device or sanitizer report, else the last line. Exposed for tests. */
void worker_last_words(const char *output, char *line, size_t line_bytes, char *step, size_t step_bytes);

#endif

/* Cases -> verdict files and lines. This process judges; kernels run in workers (worker.h).
 *
 * The cases of a job share a worker, for a GPU's start takes longer than most kernels; a confined kernel has its own. No case suffers for
 * another's sake: behind a kernel that failed the next one gets a new worker, and a kernel that failed, or over which the worker was lost, is judged
 * again in a worker of its own before that counts, unless it was its worker's first. Only a case that ran out of time is taken at
 * its word, for the sake of the time. */
#ifndef ASSAY_VERIFY_JUDGE_H
#define ASSAY_VERIFY_JUDGE_H

#include "verify/parallel.h"
#include "verify/plan.h"
#include "verify/worker.h"

typedef struct judge {
    workspace *ws;
    const verify_options *options;
    verify_summary *summary;
    char commit[64];
    int dirty;
    /* Both may be NULL: told of each case before it is judged; and where the summary goes behind each case. */
    void (*begins)(void *context, const planned_case *planned);
    void *context;
    parallel_report *report;
    worker *worker; /* for the next case, or NULL: end it with verify_end_worker() */
    int used;       /* 1: a kernel ran in it before */
} judge;

/* Judge `count` cases of one op, dtype and size. Each verdict is written as soon as its case is done. ASSAY_OK: judged or interrupted, as
 * the summary says; else a verdict could not be written. */
assay_status verify_judge_group(judge *j, const planned_case *group, int count, assay_error *error);

void verify_end_worker(judge *j);

/* What a case may keep the judge waiting: the option's, or 120 s, eight times that in a sanitizer build. */
double verify_time_limit_s(const workspace *ws, const verify_options *options);

/* Start a worker of the workspace that can load `library`, confined if the options say so. Status as worker_start(). */
assay_status verify_start_worker(const workspace *ws, const verify_options *options, const char *library,
                                 worker **w, assay_error *error);

#endif

/* Share judging among processes, for nodes whose processor has many cores and whose GPU waits for the reference otherwise; and keep what
 * ends a judging process, such as a crash in an op's reference, from ending the others. */
#ifndef ASSAY_VERIFY_PARALLEL_H
#define ASSAY_VERIFY_PARALLEL_H

#include "assay/status.h"
#include "verify/summary.h"

enum { PARALLEL_MAX_JOBS = 256 };

/* The way from a job to the process that started it. */
typedef struct parallel_report {
    int pipe;
} parallel_report;

/* Send what the summary holds and empty it: what was sent is not lost whatever becomes of the job. */
void parallel_send(parallel_report *report, verify_summary *summary);

typedef struct parallel_work {
    assay_status (*run)(void *context, int job, parallel_report *report, verify_summary *summary,
                        assay_error *error);
    /* A job ended without a word; `how` says by what. 1: start it again, there is more to do. */
    int (*lost)(void *context, int job, const char *how, verify_summary *summary);
    void *context;
} parallel_work;

/* Run jobs 0 .. `jobs` - 1 in a forked process each and add their summaries to `summary`. The first job's failure, if any, is returned. */
assay_status parallel_run(int jobs, const parallel_work *work, verify_summary *summary, assay_error *error);

#endif

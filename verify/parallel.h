/* Share judging among processes, for nodes whose processor has many cores and whose GPU waits for the reference otherwise. */
#ifndef ASSAY_VERIFY_PARALLEL_H
#define ASSAY_VERIFY_PARALLEL_H

#include "verify/verify.h"

enum { PARALLEL_MAX_JOBS = 256 };

typedef assay_status (*parallel_job)(void *context, int job, verify_summary *summary, assay_error *error);

/* Run jobs 0 .. `jobs` - 1 in a forked process each and add their summaries to `summary`. The first job's failure, if any, is returned. */
assay_status parallel_run(int jobs, parallel_job run, void *context, verify_summary *summary,
                          assay_error *error);

#endif

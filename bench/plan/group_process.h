/* A process of assay-bench-group that measures one plan after the other (its --serve), as long as all goes well: starting one, with a CUDA
 * context, libraries and the kernels that these load, takes longer than a short group. */
#ifndef ASSAY_BENCH_GROUP_PROCESS_H
#define ASSAY_BENCH_GROUP_PROCESS_H

#include "bench/plan/group_phases.h"
#include "core/piped.h"

typedef struct group_process { /* zero-initialise */
    piped piped;
    int runs;
    double phases_s[GROUP_PHASES]; /* of all plans that it measured to the end */
} group_process;

/* Have it measure the plan in `path`; started by `argv`, which ends in "--serve", where it does not run. *result as of process_run() with
 * that plan alone: status and output are the plan's. Whatever ends the process leaves it to the next call to start another. 0: it does
 * not start. */
int group_process_run(group_process *g, const char *const *argv, const char *path, double time_limit_s,
                      process_result *result);

/* Let it end. Nothing to do for one that does not run. */
void group_process_end(group_process *g);

#endif

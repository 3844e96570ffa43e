/* Python processes that compile, before anything is timed, what calls of torch and Triton will need (bench/baselines/torch/torch_warm.py). They fill
 * Triton's cache of compiled code and choose nothing: docs/measurement.md has the reason. None runs while something is timed. */
#ifndef ASSAY_BENCH_TORCH_WARMERS_H
#define ASSAY_BENCH_TORCH_WARMERS_H

#include "core/workspace.h"
#include <stdio.h>
#include <sys/types.h>

/* Before it compiles a process imports torch, opens the device and uses the compiler for the first time. The server that measures does so as
 * well, at the same time, so for fewer calls than these (a guess) there is little to be won. */
enum { TORCH_WARMERS_LEAST_CALLS = 6, TORCH_WARMERS_MOST_JOBS = 12 };

typedef struct torch_warmers {
    pid_t pid;       /* of the process that leads the others; 0: none */
    char folder[64]; /* private: the list and what is done of it */
    char log[4300];  /* what went wrong in them */
    int calls, jobs;
} torch_warmers;

/* Processors this process may use less two, TORCH_WARMERS_MOST_JOBS at most; 0 where there are not enough to gain anything. */
int torch_warmers_default_jobs(void);

/* Start compiling `calls` (an array of arm_remote_describe(); not kept) in `jobs` processes, and return at once. Does nothing for fewer
 * calls than TORCH_WARMERS_LEAST_CALLS or no jobs. Without torch or a folder nothing is started either: what is not compiled now is
 * compiled when it is measured. */
void torch_warmers_begin(torch_warmers *warmers, const workspace *ws, const char *python, const json_t *calls,
                         int jobs);
/* Wait until they are done, `limit_s` is over (0: by the number of calls) or Ctrl-C, saying how far they are to `progress` (NULL: nobody),
 * and see to it that none is left. */
void torch_warmers_finish(torch_warmers *warmers, double limit_s, FILE *progress);
/* End them now. Harmless when there are none. */
void torch_warmers_stop(torch_warmers *warmers);

#endif

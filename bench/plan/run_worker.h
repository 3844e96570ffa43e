/* One worker process: a plan in a file, assay-bench-group on it, and what became of it. */
#ifndef ASSAY_BENCH_RUN_WORKER_H
#define ASSAY_BENCH_RUN_WORKER_H

#include "bench/plan/benchmark_out.h"
#include "bench/plan/group_process.h"
#include "bench/plan/plan.h"
#include "core/process.h"

typedef struct worker_end {
    process_end end;
    char why[640]; /* "timing it was killed by signal 11 (..): LAST LINE" */
} worker_end;

/* Run the worker of `described` for at most `limit_s`: `shared`, or with NULL a process of its own. `out`: where its --benchmark_out goes. What it printed goes to `progress` (NULL: nowhere).
 * ASSAY_ERR_ENVIRONMENT, ASSAY_ERR_INVALID: no worker could measure anything. */
assay_status run_worker(const plan *p, const described_group *described, group_process *shared,
                        benchmark_out *out, double limit_s, FILE *progress, worker_end *end,
                        assay_error *error);

/* A command for a shell that does what run_worker() does, but for the parent and --benchmark_out. */
void print_worker_command(const plan *p, const described_group *described, FILE *out);

#endif

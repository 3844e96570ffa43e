/* `assay optimize`: the one-change loop on one kernel file. Each iteration asks a provider for a version that changes one thing, judges
 * it, times it beside the best version so far, and keeps or reverts it by the rules of `assay compare`. All it knows is in files of one
 * folder, so that any step resumes: docs/optimize.md. */
#ifndef ASSAY_OPTIMIZE_OPTIMIZE_H
#define ASSAY_OPTIMIZE_OPTIMIZE_H

#include "optimize/provider.h"
#include "outside/outside.h"
#include <stdio.h>

enum { OPTIMIZE_MOST_ITERATIONS = 100, OPTIMIZE_REPAIRS = 3, OPTIMIZE_IDLE_ROUNDS = 5 };

typedef struct optimize_options {
    const char *kernel; /* the .cu file to begin with */
    const char *op;     /* what it computes */
    const char *out;    /* folder of the run; the run that is there goes on */
    int iterations;
    provider provider; /* its command NULL: single changes of tunables */
    outside_request request;
    bench_options bench;
    int use_ncu; /* profile under ncu, where kernels are not confined */
    const char *
        experience; /* the log that prompts quote and timed versions enter; NULL: only what comes with Assay */
    FILE *progress; /* NULL: silent */
} optimize_options;

typedef struct optimize_summary {
    json_t *state; /* what OUT/state.json holds; owned */
    int resumed;   /* versions that were there already */
} optimize_summary;

/* ASSAY_OK: the iterations are done or a stop rule ended them, and final_report.md is written. ASSAY_ERR_CHECK: the kernel itself is wrong
 * (v0/correctness.md says how). ASSAY_ERR_ENVIRONMENT: env_check.md says what is missing, or an interrupt, after which the same call goes
 * on. ASSAY_ERR_INVALID: OUT belongs to another run. Release the summary always. */
assay_status optimize_run(const workspace *base, const optimize_options *options, optimize_summary *summary,
                          assay_error *error);
void optimize_summary_release(optimize_summary *summary);

#endif

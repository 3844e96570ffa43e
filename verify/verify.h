/* The correctness runner: worker processes (judge.h), verdict files, one line a case on standard output.
 *
 * A worker that crashes, hangs or is killed by the device's checks becomes a verdict that names how it ended, and every
 * other case goes on. Interrupted (process_watch_interrupts), the run stops after the case in flight, whose old verdict
 * stays; running again with the same filter repeats cases, it never loses them. */
#ifndef ASSAY_VERIFY_VERIFY_H
#define ASSAY_VERIFY_VERIFY_H

#include "core/workspace.h"

typedef struct verify_options {
    double time_limit_s; /* for one case; 0: 120 s, eight times that in a sanitizer build */
    uint64_t seed;       /* of the inputs; 0: the default */
    int dry_run;         /* only name the cases */
    int quiet;           /* no lines on stdout */
    int jobs;            /* cases judged at the same time; 0: as verify_default_jobs() says */
    int unjudged_only;   /* skip cases whose verdict belongs to the module that is there now */
    /* Records of modules from outside the tree (assay-module): these are judged instead of the workspace's variants, at the
     * filter's sizes. Their verdicts go to RESULTS/outside/verify/, or RESULTS/checked/verify/ for modules compiled to be watched. */
    const char *const *modules;
    int module_count, checked;
    int confined; /* 1: the kernels are from outside: each runs in a worker of its own, confined (docs/security.md) */
} verify_options;

typedef struct verify_summary {
    int passed, failed, skipped;
    int errors;     /* cases that could not be judged: environment or wrong use, a message each on stderr */
    int error_exit; /* exit status that the first of them calls for */
    int interrupted;
    json_t *
        cases; /* array of {"name", "status", "reason", "seconds"} (golden: "id" and "torch_agrees" too); owned */
} verify_summary;

/* Judge all cases that the filter matches. ws->results must be set (workspace_use_slug). ASSAY_OK: ran, see the summary;
 * else nothing was run. Release the summary either way. */
assay_status verify_run(workspace *ws, const case_filter *filter, const verify_options *options,
                        verify_summary *summary, assay_error *error);

/* Run the golden cases of `directory` (golden.h) through every matching variant of the ops that it names. Cases of ops or
 * dtypes that are not in the workspace count as skipped. */
assay_status verify_golden(workspace *ws, const char *directory, const case_filter *filter,
                           const verify_options *options, verify_summary *summary, assay_error *error);

/* On a GPU the time of a case is mostly its reference's, on one core: half the cores, at most 8, and 4 GiB of free memory for each. On the
 * CPU device 1: its kernels use all cores. */
int verify_default_jobs(const workspace *ws);

void verify_summary_release(verify_summary *summary);

/* 1 if something failed, 2 or 3 if something could not be judged, 77 if all was skipped, else 0; 130 if interrupted. */
int verify_summary_exit(const verify_summary *summary);

#endif

/* A sweep: shapes of one op, each verified and, where that is asked for, timed beside the baselines, by the suite's own means (verify_run(),
 * bench_run()). What is known of a shape already (verdict, result of the same identity) is not done again, so a sweep that was stopped goes on
 * where it was. */
#ifndef ASSAY_SWEEP_SWEEP_H
#define ASSAY_SWEEP_SWEEP_H

#include "sweep/shape_list.h"
#include "sweep/sweep_case.h"

typedef struct sweep_outcome { /* zero-initialise */
    const workspace_op *op;
    const shape_list *shapes;
    int count;
    sweep_case *cases;      /* owned; shape by shape */
    int errors, error_exit; /* shapes that could not be judged, and the exit status of the first */
    int interrupted;
    double seconds;
    double verify_s, timing_s;     /* of these; the rest is the sweep's own */
    double phases_s[GROUP_PHASES]; /* of timing_s, as far as the processes that time tell */
} sweep_outcome;

/* Run it. ws->results must be set. `shapes` must outlive the outcome. ASSAY_OK also where shapes are wrong, or the run was interrupted or out
 * of time; else nothing more could be done (no device, disk full). Release the outcome either way. */
assay_status sweep_run(workspace *ws, const workspace_op *op, const shape_list *shapes,
                       const sweep_options *options, sweep_outcome *out, assay_error *error);
void sweep_outcome_release(sweep_outcome *out);

/* The ranked baselines of an op that cost a sweep no compilation a shape: all but torch.compile's and Triton's. */
void sweep_quick_baselines(const opspec *spec, char *out, size_t bytes);

#endif

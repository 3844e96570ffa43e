/* A sweep: shapes of one op, each verified and, where that is asked for, timed beside the baselines, by the suite's own means (verify_run(),
 * bench_run()). What is known of a shape already (verdict, result of the same identity) is not done again, so a sweep that was stopped goes on
 * where it was. */
#ifndef ASSAY_SWEEP_SWEEP_H
#define ASSAY_SWEEP_SWEEP_H

#include "bench/plan/bench.h"
#include "sweep/shape_list.h"

enum { SWEEP_REASON = 400, SWEEP_COMMAND = 1200 };

typedef enum sweep_status {
    SWEEP_LEFT,    /* not judged: the time was over, or the run was interrupted */
    SWEEP_WRONG,   /* wrong, crashed or out of time; also while it was timed */
    SWEEP_REFUSED, /* the kernel does not compute it, or it does not fit the device */
    SWEEP_RIGHT,   /* verified; no time, or no baseline to compare with */
    SWEEP_COMPARED /* verified, timed, and `ratio` is known */
} sweep_status;

/* One shape, dtype and variant. */
typedef struct sweep_case {
    int shape; /* number in the list */
    assay_dtype dtype;
    char variant[ASSAY_NAME_MAX];
    sweep_status status;
    char reason[SWEEP_REASON];   /* one line; "" where the status says it all */
    int unsupported;             /* of a refused one: by the kernel itself */
    double time_us, best_us;     /* NAN: not known */
    char best[ASSAY_NAME_MAX];   /* the fastest ranked baseline */
    double ratio;                /* best_us / time_us: above 1 the kernel is faster; NAN: not known */
    char command[SWEEP_COMMAND]; /* that repeats it */
} sweep_case;

typedef struct sweep_options {
    const char *variants, *dtypes; /* as in case_filter */
    int timed;                     /* 0: verify only */
    int again;                     /* 1: judge and time what is known, too */
    double budget_s;               /* 0: none; else no new shape is begun after it */
    double limit_s;                /* of one case's correctness run; 0: the default of verify */
    int jobs;                      /* as in verify_options */
    uint64_t seed;                 /* of the inputs */
    timing_mode mode;              /* whose mean is compared */
    bench_options bench;           /* without modes; baselines are a list, "" for none */
    /* As in verify_options: records of modules that are swept instead of the workspace's variants, all of this op; verified only. */
    const char *const *modules;
    int module_count, checked, confined;
    FILE *progress; /* NULL: silent */
} sweep_options;

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

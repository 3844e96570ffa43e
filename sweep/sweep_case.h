/* What a sweep is asked for, and what became of one shape, dtype and variant. */
#ifndef ASSAY_SWEEP_SWEEP_CASE_H
#define ASSAY_SWEEP_SWEEP_CASE_H

#include "bench/plan/bench.h"

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

/* From the files that verify and bench left: fill all of *c but `shape`, which must be set. While the shape is a size of the op. */
void sweep_take_case(const workspace *ws, const assay_case *which, const sweep_options *options,
                     sweep_case *c);

#endif

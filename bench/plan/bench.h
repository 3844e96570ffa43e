/* Benchmarking many cases: groups them, skips what is fresh, runs a worker process a group, resumes and stops
 * cleanly. Used by `assay bench`; holds no measuring code of its own. */
#ifndef ASSAY_BENCH_BENCH_H
#define ASSAY_BENCH_BENCH_H

#include "bench/baselines/torch_server.h"
#include "bench/plan/group_phases.h"
#include "core/workspace.h"
#include "results/timing_mode.h"
#include <stdio.h>

typedef struct bench_options {
    int force;   /* measure again what is fresh */
    int quick;   /* 3 short repetitions; leaves results of a fuller method alone unless `force` */
    int dry_run; /* print the commands, run nothing */
    int shared; /* 1: groups share a process as long as they go well, which spares short ones most of their time; not with `confined`,
                   * nor with options of Google Benchmark */
    int confined; /* 1: kernels are from outside: the workers confine themselves before they load one (docs/security.md) */
    int device_ordinal;
    int lock_clocks_mhz;                  /* 0: leave the clocks alone; else see clock_lock.h */
    uint64_t seed;                        /* of inputs and the order of repetitions; 0: default */
    int repetitions;                      /* 0: default; the same for the next ones */
    double warmup_ms, sample_ms, bound_s; /* negative: default */
    double give_up_us; /* 0: never; else a candidate whose first repetition takes longer gets no second one */
    const char *flush; /* NULL: default */
    timing_modes modes; /* 0: default */
    const char
        *baselines;     /* NULL: all of op.json and the device's own; "": none; else a comma-separated list */
    const char *python; /* NULL: $ASSAY_PYTHON, else python3 */
    torch_server *torch; /* begun by the caller, who may not use it then; bench_run ends it. NULL: none yet */
    FILE *progress;      /* NULL: silent */
    const char *const *
        benchmark_options; /* --benchmark_...: for the workers, as given; NULL-terminated, or NULL. gbench_start() had them, too */
} bench_options;

/* Zeroed fields are not defaults everywhere: start from this. */
#define BENCH_OPTIONS_INIT                                    \
    {                                                         \
        .warmup_ms = -1.0, .sample_ms = -1.0, .bound_s = -1.0 \
    }

/* Counts of variants' cases; baselines are counted apart. Each case is timed, refused, failed, too large or left. */
typedef struct bench_summary {
    int cases;
    int timed;     /* measured now, or fresh from before */
    int fresh;     /* of these, from before */
    int unstable;  /* of these, with status "unstable" */
    int refused;   /* not timed: verdict is not "pass" */
    int failed;    /* verified, but found wrong, crashed or timed out while being timed */
    int too_large; /* does not fit the device */
    int left;      /* not measured: the run was interrupted, or a filter leaves it out */
    int baselines_timed, baselines_unavailable;
    int kept; /* results, baselines' too, that a quick look left as they were */
    int groups, groups_measured;
    int interrupted; /* stopped by Ctrl-C: what was written stays, running again goes on */
    double seconds;
    double phases_s[GROUP_PHASES]; /* of `shared` groups */
} bench_summary;

/* Whether each baseline of the list (NULL: none) is one of some op among these cases, or "copy" or "reference"; bench_run() leaves those out that an
 * op does not have. ASSAY_ERR_INVALID: one is not, and which there are. */
assay_status bench_check_baselines(workspace *ws, const case_filter *filter, const char *baselines,
                                   assay_error *error);

/* Print the names of all benchmarks of these cases that --benchmark_filter matches, verified or not. */
assay_status bench_list(workspace *ws, const case_filter *filter, const bench_options *options,
                        assay_error *error);

/* ASSAY_OK: all cases have a result file (which may say "not timed"). ASSAY_ERR_CHECK: a verified case failed
 * while being timed. Others: nothing more could be measured (no device, disk full, wrong filter). An
 * interrupt is ASSAY_OK with summary->interrupted set. The slug of the device is set in `ws`. */
assay_status bench_run(workspace *ws, const case_filter *filter, const bench_options *options,
                       bench_summary *summary, assay_error *error);

#endif

/* A made-up history: so many commits of so many cases, noise of a known size, and changes injected at known places. The same
 * options give the same history. */
#ifndef ASSAY_TESTS_DASHBOARD_SYNTHETIC_H
#define ASSAY_TESTS_DASHBOARD_SYNTHETIC_H

#include <assay/status.h>

typedef struct synthetic_options {
    int commits,
        ops; /* ops: at most 12; an op has 84 cases: 5 variants, a baseline and a copy, 3 dtypes, 4 sizes */
    double noise; /* standard deviation of the logarithm of a time from run to run */
    int plant;    /* 0: noise only */
    int methods; /* 1: measured in the ways of synthetic_runs, with hot times; 0: in the usual way, cold times only */
} synthetic_options;

/* A way of measuring, and what it makes of times that are the same. Commits `first` to `last` (of a hundred; scaled) have a run of it. */
typedef struct synthetic_run {
    const char *label; /* of its cold times, as the dashboard begins to say it */
    const char *flush;
    int earlier, locked_mhz; /* an earlier version of the method; 0: the clock was free */
    int first, last;
    double longer_us; /* cold only */
    double cold, hot; /* ratios */
    double baseline;  /* on top of a baseline's cold times, so that methods differ in their speedups, too */
} synthetic_run;
enum { SYNTHETIC_RUNS = 4 };
extern const synthetic_run synthetic_runs[SYNTHETIC_RUNS];

/* A change of level: from `commit` (of a hundred; scaled to the number of commits) on, times are `ratio` of what they were. */
typedef struct synthetic_change {
    const char *op, *variant, *dtype, *size; /* NULL: all */
    int commit;
    double ratio;
} synthetic_change;
extern const synthetic_change synthetic_changes[];
extern const int synthetic_change_count;

/* Write it into a new database at `path`. */
assay_status synthetic_write(const char *path, const synthetic_options *options, assay_error *error);

#endif

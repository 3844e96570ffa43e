/* From runs to the values that are tested: midmeans of repetitions, moved to one launch overhead or divided
 * by a baseline's. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_VALUES_H
#define ASSAY_HISTORY_COMPARE_VALUES_H

#include "history/compare_pairs.h"

/* What values are wanted: midmeans as measured, or relative to something. */
typedef struct value_request {
    timing_mode mode;
    const char *baseline;  /* NULL, or the name of the baseline in `set` of the same op, dtype, size and
                              process whose repetitions values are  divided by, each by its own; a run without
                              that baseline is left out */
    const result_set *set; /* may be NULL without a baseline */
    double overhead_us;    /* values are moved from their run's launch overhead to this one; 0: left */
} value_request;

/* One side's values of one mode. Runs whose status is not ok, or that lack the mode, are left out. */
typedef struct side_values {
    stats_side side; /* `values` and `run_counts` are owned */
    double us;       /* midmean as measured, before anything was done; NAN without values */
    char lack[200];  /* why runs were left out: the last one's status and reason; "" if none */
} side_values;

assay_status side_values_make(const case_runs *runs, const value_request *request, side_values *out,
                              assay_error *error);
void side_values_release(side_values *values);
/* Take `us` off every value; never more than half of it. `values->us` stays what was measured. */
void side_values_shift(side_values *values, double us);
/* Midmean of one side in microseconds; NAN without times. */
double side_midmean(const case_runs *runs, const value_request *request);
/* Relative spread of one side's values (robust deviation over the median); INFINITY without values. */
double side_spread(const case_runs *runs, const value_request *request);

/* What an empty kernel takes by the mode in the result's process. 0 where there is none: a mode without
 * launch overhead, another device than a GPU, or an overhead that no time of the mode could contain. */
double run_overhead_us(const set_result *run, timing_mode mode);

typedef struct overhead_pair {
    int differ;             /* by more than their noise, on or between the sides */
    double base_us, new_us; /* means over the sides' runs; 0 where a run does not tell its own */
} overhead_pair;
overhead_pair find_overheads(const case_pair *pair, timing_mode mode);

/* Two results of one process: same problem, same card, and the one is among those that alternated with the
 * other. */
int alternated(const result *r, const result *other);
/* The named baseline's result in `set` that alternated with `r`, the nearest in time; NULL if there is none
 * that is ok. Borrowed. */
const set_result *find_baseline(const result *r, const char *name, const result_set *set);

#endif

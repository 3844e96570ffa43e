/* From runs to the values that are tested: repetitions' locations, relative to a peer where that was asked for. Inside the comparison only.
 */
#ifndef ASSAY_HISTORY_COMPARE_VALUES_H
#define ASSAY_HISTORY_COMPARE_VALUES_H

#include "history/compare_match.h"

/* What values are wanted: the samples' locations as measured, or relative to something. */
typedef struct value_request {
    const char *figure;
    const char *peer;      /* NULL, or the name ("peer_cublas") of the results in `set` of the same op, dtype,
                              size and run that values are divided by, turn by turn where the numbers of turns
                              agree, else by the peer's location; a run without that peer is left out */
    const result_set *set; /* may be NULL without a peer */
    double floor_us; /* values are moved from their run's floor to this one (compare_floors.h); 0: left */
} value_request;

/* One side's values of one figure. Runs whose status is not ok, or that lack the figure, are left out. */
typedef struct side_values {
    stats_side side;     /* `values` and `run_counts` are owned */
    int *turns;          /* owned: each value's place in the order of turns; -1: not known */
    const json_t **used; /* owned list of the runs that gave values, borrowed */
    double us; /* location of the values as measured, before anything was done; NAN without values */
    double
        peer_error; /* relative standard error of the peer's location, where values were divided by it; else 0 */
    char lack[200]; /* why runs were left out: the last one's status and reason; "" if none */
} side_values;

assay_status side_values_make(const match_runs *runs, const value_request *request, side_values *out,
                              assay_error *error);
void side_values_release(side_values *values);
/* Take `us` off every value; never more than half of it. `values->us` stays what was measured. */
void side_values_shift(side_values *values, double us);
/* Both sides' values as ratios of NEW over BASE, turn by turn; 1 if there are any: as many runs on both sides, of the same arms, with the same turns
 * in the same order. What a turn owes to the arm before it, which is much under the power cap, is then the same in both, and cancels.
 * Release with pairs_release(). */
int side_values_pair(const side_values *base, const side_values *changed, stats_side *ratios);
void pairs_release(stats_side *ratios);
/* Relative spread of one side's values: 1.4826 times the median absolute deviation; INFINITY for none. */
double side_values_spread(const stats_side *side);

/* Two results of the same process: same problem, same card, and the one is among those that took turns with the other. */
int result_is_neighbour(const json_t *result, const json_t *peer);
/* The named peer's result in `set` that took turns with `result`, the nearest in time; NULL if there is none that is ok. Borrowed. */
const json_t *result_find_peer(const json_t *result, const char *name, const result_set *set);
/* The locations of a figure's repetitions, or NULL. Borrowed. */
const json_t *result_locations(const json_t *result, const char *figure);

#endif

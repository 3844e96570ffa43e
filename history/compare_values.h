/* From runs to the values that are tested: repetitions' locations, relative to a peer where that was asked for. Inside the comparison only.
 */
#ifndef ASSAY_HISTORY_COMPARE_VALUES_H
#define ASSAY_HISTORY_COMPARE_VALUES_H

#include "compare_match.h"

/* One side's values of one figure. Runs whose status is not ok, or that lack the figure, are left out. */
typedef struct side_values {
    stats_side side; /* `values` and `run_counts` are owned */
    double us;       /* location of the values as measured, before anything was divided; NAN without values */
    char lack[200];  /* why runs were left out: the last one's status and reason; "" if none */
} side_values;

/* `peer`: NULL, or the name ("peer_cublas") of the results of the same op, dtype, size and run in `set` that values are divided by, turn by
 * turn where the numbers of repetitions agree, else by the peer's median. A run without that peer is left out. */
assay_status side_values_make(const match_runs *runs, const char *figure, const char *peer,
                              const result_set *set, side_values *out, assay_error *error);
void side_values_release(side_values *values);
/* Take `us` off every value; never more than half of it. `values->us` stays what was measured. */
void side_values_shift(side_values *values, double us);

/* Two results of the same process: same problem, same card, and the one is among those that took turns with the other. */
int result_is_neighbour(const json_t *result, const json_t *peer);

/* The peer to divide by under `normalise` (compare_options), or "": one with status ok, the case's math mode and the same version on both
 * sides. "auto": if the power cap was met, the peer whose ratio spreads least over the turns, provided it spreads less than the times
 * themselves: else the disturbance is not shared, and dividing would add the peer's own. */
void choose_peer(const match_pair *pair, const char *figure, const char *normalise, const result_set *base,
                 const result_set *changed, char *peer, size_t bytes);

/* 1 if the power cap (clock event reason 0x4) was met before or after a repetition on either side. */
int met_power_cap(const match_pair *pair, const char *figure);

#endif

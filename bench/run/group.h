/* A group: one op, dtype and size, all its candidates timed in one process, their repetitions in random order. Only such candidates may be
 * compared: a card at its power limit changes its speed by several percent between any two runs (docs/measurement.md). */
#ifndef ASSAY_BENCH_GROUP_H
#define ASSAY_BENCH_GROUP_H

#include "bench/plan/group_phases.h"
#include "bench/plan/group_plan.h"

typedef struct group_outcome {
    int timed;       /* candidates with times whose output passed */
    int wrong;       /* candidates timed or run and found wrong */
    int refused;     /* variants whose verdict is not "pass" */
    int unavailable; /* baselines that are not there */
    double phases_s[GROUP_PHASES];
} group_outcome;

/* Measure what --benchmark_filter matches, and write one result file a candidate all of whose modes were measured; prints a line a candidate. ASSAY_ERR_CHECK if a candidate was found wrong
 * (its file says so), ASSAY_ERR_UNSUPPORTED if the problem does not fit the device (files say so),
 * ASSAY_ERR_DEVICE if the device stopped working for this process: results written before are good, the rest
 * has to be measured by other processes. */
assay_status group_run(workspace *ws, assay_device *device, const group_plan *plan, group_outcome *outcome,
                       assay_error *error);

#endif

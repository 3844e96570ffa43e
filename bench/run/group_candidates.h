/* The candidates of a group: setting them up and taking them out. Only the files of a group include this header. */
#ifndef ASSAY_BENCH_GROUP_CANDIDATES_H
#define ASSAY_BENCH_GROUP_CANDIDATES_H

#include "bench/plan/benchmark_list.h"
#include "bench/run/candidate.h"
#include "bench/plan/group_phases.h"
#include "bench/plan/group_plan.h"
#include "bench/run/output_check.h"
#include "bench/run/result.h"
#include "bench/run/roofline_bound.h"

enum { GROUP_MOST_CANDIDATES = 48 };

typedef struct group_candidate {
    candidate candidate;
    bench_record record;
    module_record module; /* variants: owned */
    json_t *verdict;      /* owned */
    int active;           /* may be timed */
    int computes; /* 1: computes the op; 0: a copy of its bytes, or a library's nearly equal function */
    timing_modes selected; /* modes that --benchmark_filter matches */
    roofline_bound bound;
    int repetitions;   /* of the current mode; fewer than asked for if launches are long */
    int taken;         /* in the current mode, those that were repeated included */
    double spent_s;    /* on the current mode */
    int fresh_checked; /* 1: it has met contents that it was not timed on, and was right */
    char lost[512];    /* why a mode is missing, where the candidate cannot be timed so */
} group_candidate;

typedef struct group {
    workspace *ws;
    const workspace_op *op;
    const assay_op_impl *impl;
    assay_dtype dtype;
    assay_device *device;
    const group_plan *plan;
    benchmark_list benchmarks; /* of the plan */
    problem_set *set;
    output_check *check;
    group_candidate candidates[GROUP_MOST_CANDIDATES];
    int candidate_count;
    double overhead_us[TIMING_MODES]; /* of an empty kernel, by mode; 0: not measured */
    int taken;                        /* repetitions of all candidates in the current mode */
    health_sampler *sampler;          /* NULL: the device tells nothing */
    int extra_left;                   /* repetitions that may still be repeated for a slowdown */
    char interleaved[2048];
    double phases_s[GROUP_PHASES], phase_began_ms;
    sample_set samples;         /* scratch */
    assay_status device_status; /* not ASSAY_OK: the device stopped working for this process */
    assay_error device_error;
} group;

/* Take the candidate out and say why; times measured so far are dropped unless the status is
 * "unstable". */
void group_drop(group *g, group_candidate *c, const char *status, const char *reason);
/* An error of the device itself (not of one candidate) ends the group. */
int group_is_fatal(group *g, assay_status status, const assay_error *error);

assay_status group_add_variants(group *g, assay_error *error);
/* Most of a short group's time is not measuring. What ended just now belongs to `phase`. */
void group_end_phase(group *g, group_phase phase);
assay_status group_add_baselines(group *g, assay_error *error);
void group_release_candidates(group *g);

#endif

/* What a run's evaluations say: the best, each parameter's impact, failures by reason, constraints that seem to be missing. */
#ifndef ASSAY_TUNE_TUNING_ANALYSIS_H
#define ASSAY_TUNE_TUNING_ANALYSIS_H

#include "tune/tuner/tuning.h"

typedef struct parameter_impact {
    const space_parameter *parameter;
    double best_us[OPSPEC_MAX_VALUES]; /* with each value; NAN where none succeeded */
    double impact;                     /* worst over best of these; 1 where there is one */
} parameter_impact;
/* Largest impact first. Returns how many. */
int tuning_impact(const tune_outcome *out, parameter_impact *impacts, int most);

/* How much slower the winner is than the fastest of the space that is right everywhere, by the times of the finals, where both are
 * measured together: 0.01 is 1%. NAN: not every valid configuration was evaluated, or there is no winner. */
double tuning_regret(const tune_outcome *out);

/* The fastest first. */
int tuning_top(const tune_outcome *out, const tune_candidate **top, int most);

typedef struct failure_group {
    evaluation_status status;
    int count;
    const tune_candidate *first;
} failure_group;
/* Failures whose status and beginning of the reason are equal, the most frequent first. */
int tuning_failures(const tune_outcome *out, failure_group *groups, int most);

enum { PROPOSAL_BYTES = 600 };
/* A value whose candidates (two at least) all failed while others succeeded, and finalists that were right at the tuned size and wrong
 * elsewhere: as sentences. */
int tuning_propose_constraints(const tune_outcome *out, char (*proposals)[PROPOSAL_BYTES], int most);

#endif

/* Strategies replayed over recorded spaces: how near to the optimum after how many evaluations.
 *
 * The method is that of Willemsen et al. (A methodology for comparing optimization algorithms for auto-tuning, Future
 * Generation Computer Systems 159, 2024): random search without replacement is the baseline, computed exactly; the
 * budget ends where the baseline has come 0.96 of the way from the median to the optimum; at equidistant points of the
 * budget a strategy scores (baseline - best) / (baseline - optimum): 0 like random search, 1 at the optimum. Time is
 * counted in evaluations. A budget is cut at the evaluations of a repeat. */
#ifndef ASSAY_TUNE_SIMULATE_H
#define ASSAY_TUNE_SIMULATE_H

#include "tune/simulation/recorded.h"

enum { SIMULATE_POINTS = 50 };
#define SIMULATE_CUTOFF 0.96
#define SIMULATE_TARGET 0.95 /* of the optimum: optimum / best */
#define SIMULATE_GOAL   0.98

typedef struct simulate_plan {
    const char *strategy;
    int repeats; /* each with a seed of its own */
    uint64_t seed;
    long evaluations;           /* of one repeat; 0: the cutoff's, 200 to 400 */
    const configuration *start; /* NULL, or proposed first, as a tuner does with the default */
    double goal;                /* fraction of the optimum that is asked for as well; 0: SIMULATE_GOAL */
} simulate_plan;

typedef struct simulate_outcome {
    long evaluations, cutoff;            /* of a repeat; where the budget ends */
    double score, score_low, score_high; /* mean over repeats with its 95% interval */
    double
        target_median; /* evaluations to SIMULATE_TARGET: median over repeats; INFINITY: half did not reach it */
    double target_mean; /* mean, a repeat that did not reach it counting as `evaluations` */
    int reached;        /* repeats that reached it */
    double goal_median; /* as target_median, to the plan's goal */
    int goal_reached;
    double
        regret_median; /* best / optimum - 1 at the end of a repeat: median; INFINITY: half found nothing */
    double *fraction;  /* mean of optimum / best after each evaluation; malloc'ed, `evaluations` long */
} simulate_outcome;

assay_status simulate_strategy(const recorded *r, const simulate_plan *plan, simulate_outcome *out,
                               assay_error *error);
void simulate_release(simulate_outcome *out);

/* Draws of random search until it has met a fraction of the optimum with a chance of one half: its exact median. */
long simulate_random_median(const recorded *r, double fraction);
/* Draws until the baseline has come SIMULATE_CUTOFF of the way from the median to the optimum. */
long simulate_cutoff(const recorded *r);

#endif

/* Comparing two sets of results case by case: which got slower, which faster, which are the same, which cannot be told. The rules and their
 * reasons are in docs/comparison.md. Decides; prints nothing (compare_output.h) and measures nothing. */
#ifndef ASSAY_HISTORY_COMPARE_H
#define ASSAY_HISTORY_COMPARE_H

#include "statistics/bootstrap.h"
#include "statistics/rank_tests.h"
#include "history/result_set.h"

enum { COMPARE_NAME_MAX = 96 };

typedef enum compare_verdict {
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_SAME,
    COMPARE_INCONCLUSIVE,
    COMPARE_REFUSED, /* another card, driver, math mode, input distribution, method or problem */
    COMPARE_NOT_OK,  /* unstable, not timed, unavailable or wrong output on a side */
    COMPARE_MISSING, /* in BASE only */
    COMPARE_NEW,     /* in NEW only */
    COMPARE_VERDICTS
} compare_verdict;

/* "slower", "faster", "same", "inconclusive", "refused", "not ok", "missing", "new" */
const char *compare_verdict_name(compare_verdict verdict);

enum compare_allow {
    COMPARE_ALLOW_CARD = 1,
    COMPARE_ALLOW_DRIVER = 2,
    COMPARE_ALLOW_MATH = 4,
    COMPARE_ALLOW_INPUTS = 8,
    COMPARE_ALLOW_METHOD = 16
};

typedef struct compare_options {
    const char *ops, *variants, *dtypes, *sizes; /* lists; NULL: all */
    const char *figures;                         /* list; NULL: "cold" */
    int with_peers;                              /* compare peers too; bounds never */
    unsigned allow;                              /* of enum compare_allow */
    int no_controls;       /* leave in what moved unchanged kernels of the same processes, too */
    const char *normalise; /* "none", "auto" (NULL): see choose_peer() in compare_peer.h, or a peer's name */
    int keep_floors;       /* leave in by how much the floors of the two sides differ */
    double significance;   /* of the adjusted p-value; 0: 0.01 */
    double minimum_effect; /* relative; 0: by the case's time, see compare_minimum_effect() */
    double run_deviation;  /* relative deviation from process to process; 0: by the case's time */
} compare_options;

/* What the comparison takes for a change that matters, and for the deviation from one process to the next, of a case that takes `us`. */
double compare_minimum_effect(double us);

/* What decides how much two processes on one card differ by. */
typedef enum compare_state {
    COMPARE_STEADY,    /* nothing else */
    COMPARE_CAPPED,    /* the card ran into its power cap and the clock moved */
    COMPARE_SUSTAINED, /* the same without a pause: figure `sustained` */
    COMPARE_RELATIVE   /* times were divided by those of a peer that took turns */
} compare_state;
compare_state compare_state_of(const char *figure, int power_cap, int relative);
double compare_run_deviation(double us, int same_card, compare_state state, int floors_known, int controls);

typedef struct compare_case {
    char op[COMPARE_NAME_MAX], variant[COMPARE_NAME_MAX], dtype[16], size[COMPARE_NAME_MAX], figure[32],
        slug[128];
    compare_verdict verdict;
    char reason[400];                     /* one line; "" where the numbers say it all */
    char normalised_by[COMPARE_NAME_MAX]; /* peer whose times the ratio is relative to, or "" */
    double base_relative, new_relative;   /* locations in parts of that peer's time; NAN without */
    double base_floor_us, new_floor_us;   /* of an empty kernel (means over runs); 0 where one is not known */
    int floors_levelled;                  /* they differ, and what NEW's is above BASE's was taken off NEW */
    double base_us, new_us; /* locations of the repetitions' locations; NAN where there is no time */
    ratio_interval
        ratio; /* of new over base, of the normalised values where they are; NAN where not compared */
    mann_whitney test;
    double p; /* the larger of the rank test's and that of the deviation from process to process */
    double p_adjusted, minimum_effect;
    int controls; /* unchanged kernels of the same processes whose common shift was taken off NEW, 0: none */
    double shift_us;
    int base_runs, new_runs, base_repetitions, new_repetitions;
    int same_card; /* both sides hold runs of one and the same card, and only those were compared */
    int paired;    /* turns of both sides were compared one by one; `test` is of the signed ranks then */
    int power_cap; /* the card ran into its power cap on a side */
    int repeated;  /* runs of NEW that were taken because the first looked slower */
} compare_case;

typedef struct compare_report {
    char base_label[4200], new_label[4200];
    compare_case *cases; /* owned; sorted by op, dtype, size, variant, figure */
    int count, capacity;
    int verdicts[COMPARE_VERDICTS];
    int compared; /* cases with one of the first four verdicts */
    int unusable; /* result files that could not be read; their cases are missing */
} compare_report;

/* ASSAY_ERR_INVALID: not one pair of cases, or all pairs refused or not ok (the message says why and what allows it); the report is filled anyway.
 * Release it always. */
assay_status compare_sets(const result_set *base, const result_set *changed, const compare_options *options,
                          compare_report *report, assay_error *error);
void compare_report_release(compare_report *report);

/* Looks slower, though perhaps not surely: to be repeated before it is said. */
int compare_is_suspicious(const compare_case *c);

#endif

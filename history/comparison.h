/* What a comparison of two sets of results is asked and what it answers, case by case. */
#ifndef ASSAY_HISTORY_COMPARISON_H
#define ASSAY_HISTORY_COMPARISON_H

#include "history/result_set.h"
#include "results/identity.h"
#include "statistics/bootstrap.h"
#include "statistics/rank_tests.h"

typedef enum compare_verdict {
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_SAME,
    COMPARE_INCONCLUSIVE,
    COMPARE_MACHINE, /* slower or faster, with the same machine code on the same card, driver and method: no
                        change of the kernel's */
    COMPARE_REFUSED, /* another card, driver, math mode, input distribution, method or problem */
    COMPARE_NOT_OK,  /* unstable, not timed, unavailable or wrong output on a side */
    COMPARE_MISSING, /* in BASE only */
    COMPARE_NEW,     /* in NEW only */
    COMPARE_VERDICTS
} compare_verdict;

typedef struct compare_options {
    const char *ops, *variants, *dtypes, *sizes; /* lists; NULL: all */
    timing_modes modes;                          /* 0: cold */
    int with_baselines;                          /* compare baselines too; unranked ones never */
    unsigned allow; /* IDENTITY_BIT of parts that may differ: card model, driver, math mode, inputs, method */
    double minimum_effect; /* relative; 0: by the case's time, see compare_minimum_effect() */
    int gate_environment;  /* a COMPARE_MACHINE that is slower fails, too */
} compare_options;

/* What the machine did while a side was timed: means over its runs, NAN where nothing is known. */
typedef struct machine_state {
    double load;   /* load average of the host */
    double sm_mhz; /* before and after the repetitions */
} machine_state;

typedef struct compare_case {
    result_case id;
    timing_mode mode;
    const char *counted; /* NULL: a time of `mode`; else work that was counted in one launch ("instructions")
                            and stands in place of times */
    char slug[128];
    compare_verdict verdict;
    char reason[400]; /* one line; "" where the numbers say it all */
    int gates;        /* slower, it fails the comparison: 0 for times of the CPU device */
    int fails;        /* slower, and gates; or moved with the machine where that was asked for */

    double base_us,
        new_us; /* midmeans of the repetitions' midmeans, as measured; counts; NAN where there is nothing */
    ratio_interval ratio; /* of new over base, after the corrections below; NAN where not compared */
    mann_whitney test;
    double p;          /* the larger of the rank test's and that of the deviation from process to process */
    double p_adjusted; /* for all cases whose code changed, or for all whose code did not */
    double minimum_effect;
    int base_runs, new_runs, base_repetitions, new_repetitions;
    int same_card; /* both sides hold runs of one card (UUID), and only those were compared */
    int power_cap; /* the card ran into its power cap on a side */
    int unchanged; /* machine code, card model, driver and method are equal on both sides */
    int repeated;  /* runs of NEW that were taken because the first looked slower */

    double base_overhead_us, new_overhead_us; /* of a launch (means over runs); 0 where one is not known */
    int overhead_corrected;                   /* they differ, and NEW's values were moved to BASE's */
    int controls;                             /* unchanged kernels of the same processes; 0: none */
    double shift_us;                          /* their common shift, which was taken off NEW */
    double controls_ratio;                    /* what they moved by beyond that shift; 1 without */
    char relative_to[ASSAY_NAME_MAX + 16];    /* baseline that times were divided by, or "" */
    double base_relative, new_relative;       /* midmeans in parts of that baseline's time; NAN without */
    machine_state base_machine, new_machine;
} compare_case;

typedef struct compare_report {
    char base_label[4200], new_label[4200];
    compare_case *cases; /* owned; sorted by op, dtype, size, variant, mode */
    int count, capacity;
    int verdicts[COMPARE_VERDICTS];
    int compared; /* cases with one of the first five verdicts */
    int failed;   /* slower ones that gate: exit status 1 */
    int unusable; /* result files that could not be read; their cases are missing */
} compare_report;

#endif

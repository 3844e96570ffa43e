/* What the two sides' values say of a case: test, interval, and with the p-value adjusted for all cases the
 * verdict. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_VERDICT_H
#define ASSAY_HISTORY_COMPARE_VERDICT_H

#include "history/compare_values.h"

/* Of the p-value adjusted for all cases. */
#define COMPARE_SIGNIFICANCE 0.01

/* What decides how much two processes on one card differ by. */
typedef enum compare_state {
    COMPARE_STEADY,    /* nothing else */
    COMPARE_CAPPED,    /* the card ran into its power cap and the clock moved */
    COMPARE_SUSTAINED, /* the same without a pause: mode `sustained` */
    COMPARE_RELATIVE   /* times were divided by those of a baseline of the same process */
} compare_state;
compare_state compare_state_of(timing_mode mode, int power_cap, int relative);

/* Relative standard deviation from process to process, of a case that takes `us`. */
double compare_run_deviation(double us, int same_card, compare_state state, int overhead_known, int controls);

/* p-value, effect and interval. */
assay_status verdict_test(compare_case *c, const side_values *base, const side_values *changed,
                          const compare_options *o, assay_error *error);

/* The verdict, and the reason where it is inconclusive; c->p_adjusted is set. */
void verdict_judge(compare_case *c);

#endif

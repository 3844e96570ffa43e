/* What the two sides' values say of a case: test, interval, and with the p-value adjusted for all cases the verdict. Inside the comparison
 * only. */
#ifndef ASSAY_HISTORY_COMPARE_VERDICT_H
#define ASSAY_HISTORY_COMPARE_VERDICT_H

#include "history/compare_values.h"

#define DEFAULT_SIGNIFICANCE 0.01

/* p-value, effect and interval. Under the power cap turns of the two sides are paired where they can be. */
assay_status verdict_test(compare_case *c, const side_values *base, const side_values *changed,
                          const compare_options *o, assay_error *error);

/* The verdict, and the reason where it is inconclusive; c->p_adjusted is set. */
void verdict_judge(compare_case *c, double significance);

#endif

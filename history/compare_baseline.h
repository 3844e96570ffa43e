/* Which baseline a case's times are divided by, where the card's power cap decides how fast it runs. Inside
 * the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_BASELINE_H
#define ASSAY_HISTORY_COMPARE_BASELINE_H

#include "history/compare_values.h"

typedef struct baseline_choice {
    char name[ASSAY_NAME_MAX]; /* "cublas"; "": none */
} baseline_choice;

/* Only for the mode `sustained` and where the cap was met: the fastest baseline with the case's math mode,
 * the same version and as many repetitions in every run of both sides, that met the cap if the case did,
 * provided the ratio to it tells clearly more than the times alone, which move with the clock under the cap.
 */
baseline_choice choose_baseline(const case_pair *pair, timing_mode mode, const result_set *base,
                                const result_set *changed);

/* 1 if the power cap was met before, during or after a repetition on either side. */
int met_power_cap(const case_pair *pair, timing_mode mode);

#endif

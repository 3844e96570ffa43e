/* Controls: kernels whose code did not change, timed in the same two processes as the case. What moves them
 * all is the processes' doing, not the code's, and is taken off the case. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_CONTROLS_H
#define ASSAY_HISTORY_COMPARE_CONTROLS_H

#include "history/compare_values.h"

typedef struct control_shift {
    int controls; /* how many; 0: there are none, `us` is 0 and `ratio` 1 */
    double us;    /* median of the controls' changes, within what processes differ by */
    double ratio; /* median of what the controls' times are multiplied by beyond that shift */
} control_shift;

/* Of pair `at` of the list for a mode. Controls have the same op, dtype and size, alternated with the case on
 * both sides, take between a quarter and four times its time, and are unchanged (pair_is_unchanged()).
 * `overhead_us`: as in value_request, for their values too. */
control_shift find_control_shift(const pair_list *list, int at, timing_mode mode, double overhead_us);

#endif

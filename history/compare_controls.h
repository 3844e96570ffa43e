/* Controls: kernels whose code did not change, timed in the same two processes as the case. What moves them all is the processes' doing, not
 * the code's, and is taken off the case. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_CONTROLS_H
#define ASSAY_HISTORY_COMPARE_CONTROLS_H

#include "history/compare_match.h"

typedef struct control_shift {
    int controls; /* how many; 0: there are none, and `us` is 0 */
    double us;    /* median of the controls' changes, within +-CONTROL_MOST_US */
} control_shift;

/* Of pair `at` of the list for a figure. Controls have the same op, dtype and size, took turns with the case on both sides, take between a
 * quarter and four times its time, and are variants with one and the same source hash, or peers and bounds of one version. `floor_us`: as in
 * value_request, what their values are moved to as well. */
control_shift find_control_shift(const match_list *list, int at, const char *figure, double floor_us);

#endif

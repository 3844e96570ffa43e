/* Baselines that were timed in another process than the kernels: their launch overhead, corrected. Formats
 * nothing. */
#ifndef ASSAY_REPORT_REPORT_OVERHEAD_H
#define ASSAY_REPORT_REPORT_OVERHEAD_H

#include "report/report_model.h"

/* A cold time contains what an empty kernel takes between the same events, which differs from process to
 * process (results/launch_overhead.h). Where the overheads of a baseline and of the fastest kernel of its
 * case are known and differ by more than chance, the difference is added to the baseline's cold times, and
 * entry->overhead_shift_us says how much it is. */
void report_correct_overhead(report_model *model);

#endif

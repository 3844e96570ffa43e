/* One run of a kernel on exact-size allocations, for a tool such as compute-sanitizer that watches every access itself: no guard zones,
 * outputs and workspace uninitialised, so that the first byte past a tensor and a read of what nobody wrote are the tool's to find. The
 * result is compared with the reference all the same, so that a kernel that did nothing does not pass. */
#ifndef ASSAY_VERIFY_EXACT_H
#define ASSAY_VERIFY_EXACT_H

#include "verify/check.h"

/* Status and report as check_problem(); of the options, `seed`, `special`, `label` and `unread` count. The worker says "step: LABEL" first, by
 * which a tool's reports are placed (sanitize_report.h). */
assay_status exact_check(const check_subject *subject, const assay_problem *shapes,
                         const check_options *options, check_report *report, assay_error *error);

#endif

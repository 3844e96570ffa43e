/* One run of a kernel on bare memory, for a tool such as compute-sanitizer that watches every access itself: exact allocations without
 * fences, outputs and workspace uninitialised, so that the first byte past a tensor and a read of what nobody wrote are
 * the tool's to find. The result is compared with the reference all the same, so that a kernel that did nothing does not pass. */
#ifndef ASSAY_VERIFY_BARE_H
#define ASSAY_VERIFY_BARE_H

#include "verify/check.h"

/* Status and report as check_problem(); of the options, `seed`, `special`, `trace`, `label` and `unread` count. */
assay_status bare_check(const check_subject *subject, const assay_problem *shapes,
                        const check_options *options, check_report *report, assay_error *error);

#endif

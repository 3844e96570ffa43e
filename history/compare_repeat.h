/* Repeating what looks slower before it is said: `assay bench` measures the suspicious cases again, and only
 * what is slower both times is called slower. */
#ifndef ASSAY_HISTORY_COMPARE_REPEAT_H
#define ASSAY_HISTORY_COMPARE_REPEAT_H

#include "core/workspace.h"
#include "history/compare.h"
#include <stdio.h>

/* Measure the suspicious cases of `report` again in `ws`, by the method of their results in `changed` and
 * with the candidates that alternated with them, and add the new results to `repeats`. A case is repeated
 * only if the workspace's module has the kernel hash of its result: else it would be another kernel. The
 * result files of the workspace are replaced by the new ones. *cases gets the number of cases repeated.
 * ASSAY_ERR_ENVIRONMENT: `assay bench` could not measure. */
assay_status repeat_suspicious(const workspace *ws, const compare_report *report, const result_set *changed,
                               FILE *progress, result_set *repeats, int *cases, assay_error *error);

/* Compare again with the repeats as further runs of `changed`, and let a case be slower only if its repeats
 * alone are, too. Replaces `report`. */
assay_status compare_confirm(const result_set *base, const result_set *changed, const result_set *repeats,
                             const compare_options *options, compare_report *report, assay_error *error);

#endif

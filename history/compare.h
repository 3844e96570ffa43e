/* Comparing two sets of results case by case: which got slower, which faster, which are the same, which
 * cannot be told, and which moved although nothing of them changed. The rules and their reasons are in
 * docs/comparison.md. Decides; prints nothing (compare_output.h) and measures nothing. */
#ifndef ASSAY_HISTORY_COMPARE_H
#define ASSAY_HISTORY_COMPARE_H

#include "history/comparison.h"

/* "slower", "faster", "same", "inconclusive", "machine", "refused", "not ok", "missing", "new" */
const char *compare_verdict_name(compare_verdict verdict);

/* ASSAY_ERR_INVALID: not one pair of cases, or all pairs refused or not ok (the message says why and what
 * allows it); the report is filled anyway. Release it always. */
assay_status compare_sets(const result_set *base, const result_set *changed, const compare_options *options,
                          compare_report *report, assay_error *error);
void compare_report_release(compare_report *report);

/* Looks slower by a change of its code, though perhaps not surely: to be repeated before it is said. */
int compare_is_suspicious(const compare_case *c);

#endif

/* What tests of the comparison share: made-up times and results, comparing two of them, and a report as text.
 */
#ifndef ASSAY_TESTS_HISTORY_COMPARE_TOOLS_H
#define ASSAY_TESTS_HISTORY_COMPARE_TOOLS_H

#include "test.h"
#include "history/compare.h"
#include "history/compare_output.h"

/* Ten repetitions: of 100 us, of 104 us, and of 101 us that spread by 10%. */
extern double hundred[10], slower[10], noisy[10];
/* Fills them; a group setup of cmocka. */
int make_compare_times(void **state);

/* A result with these ten times and nothing else special; without times for NULL. */
made_result plain(const double *times);
void add_made(result_set *set, made_result r);

/* Compare two single results; the report's only case. `options` and `error` may be NULL. */
compare_case compare_two(made_result before, made_result after, const compare_options *options,
                         assay_status *status, assay_error *error);

/* Compare two sets, which must succeed, and release them. */
compare_report compare_made(result_set sets[2], const compare_options *options);

/* NEW's side of a change: the same, with another kernel hash. */
made_result changed_to(const double *times);

/* The report in a format, all cases with their evidence; to be freed. */
char *written(const compare_report *report, compare_format format);

#endif

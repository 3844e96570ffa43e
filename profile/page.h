/* What both pages share: tables of metrics and the words for a value. */
#ifndef ASSAY_PROFILE_PAGE_H
#define ASSAY_PROFILE_PAGE_H

#include "profile/profile.h"
#include <stdio.h>

/* "93.1%", "537 MB", "123.4 us", "1.98 GHz", "12,345"; "not known" for NAN. */
void page_put_value(FILE *out, metric_id id, double value);
/* "ops/softmax/v4.cu:12 `y[i] = x[i]`", nothing for NULL. The path begins where the source tree does. */
void page_put_line(FILE *out, const case_profile *p, const profile_line *line);
/* What its lines did, as a device counted it: those with the most instructions first, at most `most`. Nothing where a profiler
 * sampled, or no line is known. */
void page_put_counted_lines(FILE *out, const case_profile *p, const profiled_kernel *k, int most);
/* The metrics that a finding cites, with their values: "long_scoreboard 31.2, issue_active 0.21". */
void page_put_cites(FILE *out, const finding *f, const metric_set *set);

#endif

/* Second gates: single conditions on a kernel's metrics, each with what it means and the change that it favours. One table
 * (findings.c), documented in docs/bottlenecks.md. */
#ifndef ASSAY_PROFILE_FINDINGS_H
#define ASSAY_PROFILE_FINDINGS_H

#include "profile/finding.h"

/* All that hold, the severest first. Returns how many. */
int findings_collect(const evidence *given, finding out[FINDINGS_MAX]);
/* The table. */
const finding_rule *findings_rules(int *count);

#endif

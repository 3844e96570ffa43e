/* Cases -> workers -> verdict files and lines.
 *
 * The cases of one op, dtype and size are judged by one worker, for a GPU's start and the references take longer than most kernels. No
 * case suffers for another's sake: the worker ends behind a case that failed, and a case that failed, or in which the worker
 * crashed, is judged again in a worker of its own before that counts, unless it was its worker's first. Only a case that ran out of time is taken at
 * its word, for the sake of the time. */
#ifndef ASSAY_VERIFY_JUDGE_H
#define ASSAY_VERIFY_JUDGE_H

#include "verify/plan.h"

typedef struct judge {
    workspace *ws;
    const verify_options *options;
    verify_summary *summary;
    char commit[64];
    int dirty;
} judge;

/* Judge `count` cases of one op, dtype and size. Each verdict is written as soon as its case is done. ASSAY_OK: judged or interrupted, as
 * the summary says; else a verdict could not be written. */
assay_status verify_judge_group(judge *j, const planned_case *group, int count, assay_error *error);

#endif

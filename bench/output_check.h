/* Is the output that was timed right? The reference is computed once a group, at the first check; costly ops
 * are checked by sampling (verify/sampled.h). */
#ifndef ASSAY_BENCH_OUTPUT_CHECK_H
#define ASSAY_BENCH_OUTPUT_CHECK_H

#include "problem_set.h"

typedef struct output_check output_check;

assay_status output_check_create(problem_set *set, output_check **check, assay_error *error);
void output_check_release(output_check *check);

/* Compare the outputs of a slot. ASSAY_ERR_CHECK and a reason: they are wrong. Anything else but ASSAY_OK:
 * the check itself failed. */
assay_status output_check_slot(output_check *check, int slot, char *reason, size_t reason_bytes,
                               assay_error *error);

/* Overwrite spots of all slots' outputs with ordinary numbers (guarded_spoil), for one more launch over what is left. Others at every
 * call. */
assay_status output_check_spoil(output_check *check, assay_error *error);
/* How often to do that. The spots may happen to meet the very element by which a kernel tells whether its work is done, and then it does it: once
 * in thirty times in a small output, hardly ever in a large one. */
int output_check_spoilings(const output_check *check);

#endif

/* Is the output that was timed right? The reference is computed once a group, for the inputs' own contents and for PROBLEM_FRESH; costly ops are checked by sampling (verify/sampled.h). */
#ifndef ASSAY_BENCH_OUTPUT_CHECK_H
#define ASSAY_BENCH_OUTPUT_CHECK_H

#include "bench/run/problem_set.h"

typedef struct output_check output_check;

assay_status output_check_create(problem_set *set, output_check **check, assay_error *error);
/* Begin to compute the reference from the set's inputs, in a thread: there is other work to do before anything is timed. Without it the first
 * check computes it. */
void output_check_begin(output_check *check);
/* Wait for that thread, if there is one: call it before anything is timed. A failure is what the first check returns. */
void output_check_settle(output_check *check);
void output_check_release(output_check *check);

/* What a baseline is held to. A library's call, or torch's sequence of calls, may round a sum to a 16-bit output's dtype before the bias is
 * added or the activation applied, which a kernel of one launch has no reason for. Up to two such roundings are allowed: each is off by at most
 * u |sum|, u the dtype's unit roundoff, and no sum exceeds the scale to which `stol` is relative (the sum of its terms' magnitudes). In f32, and
 * of ops without a scale, a baseline is held to what kernels are. */
opspec_tolerance output_check_baseline_tolerance(opspec_tolerance tolerance, assay_dtype dtype);

/* Compare the outputs of a slot, of a baseline by the tolerance above. ASSAY_ERR_CHECK and a reason: they are wrong. Anything else but
 * ASSAY_OK: the check itself failed. */
assay_status output_check_slot(output_check *check, int slot, int is_baseline, char *reason,
                               size_t reason_bytes, assay_error *error);
/* The same of a kernel's slot whose inputs have the contents PROBLEM_FRESH (problem_contents.h). */
assay_status output_check_fresh(output_check *check, int slot, char *reason, size_t reason_bytes,
                                assay_error *error);

/* Overwrite spots of some slots' outputs with ordinary numbers (guarded_corrupt), for one more launch over what is left. Others at every
 * call. Returns when it is done. */
assay_status output_check_corrupt(output_check *check, int first_slot, int slots, assay_error *error);
/* How often to do that. The spots may happen to meet the very element by which a kernel tells whether its work is done, and then it does it: once
 * in thirty times in a small output, hardly ever in a large one. */
int output_check_corruptions(const output_check *check);

#endif

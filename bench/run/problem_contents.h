/* Changing the inputs of a problem set in place, so that a kernel which keeps its results is timed as slow as it is.
 *
 * Contents c of an input are the host's elements turned by (c * stride) mod count places: every element moves, the values stay those of the
 * input distribution, and the next c are all different. Contents 0 are the host's own, whose result is known. Contents PROBLEM_FRESH
 * are not timed: they come once a candidate, with a reference of their own, so that a kernel cannot leave out the work on contents
 * that it has not seen before. */
#ifndef ASSAY_BENCH_PROBLEM_CONTENTS_H
#define ASSAY_BENCH_PROBLEM_CONTENTS_H

#include "bench/run/problem_set.h"

#define PROBLEM_FRESH \
    INT64_C(1099511627791) /* a prime: turned by nothing only where there is nothing to turn */

/* Give one slot's inputs the contents; asynchronous on the device's stream. Nothing to do where they are there already. */
assay_status problem_contents_set(problem_set *set, int slot, int64_t contents, assay_error *error);

/* Elements that an input's contents are turned by: element i holds the host's element (i + turn) mod count. */
int64_t problem_contents_turn(const problem_set *set, int input, int64_t contents);

#endif

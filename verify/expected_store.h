/* Inputs and references of the problems that a worker has judged a kernel on, for the other kernels of the same op, dtype and size: both
 * are the same for all of them, and on a GPU take longer than the kernels.
 *
 * What is kept lies in pages of its own that cannot be written, and each kernel gets copies: one kernel's host code that writes where it
 * must not cannot change what the next one is judged by. */
#ifndef ASSAY_VERIFY_EXPECTED_STORE_H
#define ASSAY_VERIFY_EXPECTED_STORE_H

#include "verify/expected_output.h"

typedef struct expected_store expected_store;

/* A store for at most `most_bytes`; what does not fit is not kept, and is computed again. NULL: no memory, which every function here
 * takes for a store that keeps nothing. Close with expected_store_close. */
expected_store *expected_store_open(int64_t most_bytes);
void expected_store_close(expected_store *store);

/* Fill *t, which expected_output_open allocated, with contents number `which` of the problem named `label`: its inputs, with
 * outputs and scale, or with the sampled rows, which must be known to be kept. 0 if they are not there in these sizes; then *t is as before. */
int expected_store_take(const expected_store *store, const char *label, int which, expected_output *t);

/* Keep a copy of them, if there is room. */
void expected_store_keep(expected_store *store, const char *label, int which, const expected_output *t);

#endif

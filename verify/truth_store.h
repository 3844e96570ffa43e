/* Inputs and references of the problems that a worker has judged a kernel on, for the other kernels of the same op, dtype and size: both
 * are the same for all of them, and on a GPU take longer than the kernels.
 *
 * What is kept lies in pages of its own that cannot be written, and each kernel gets copies: one kernel's host code that writes where it
 * must not cannot change what the next one is judged by. */
#ifndef ASSAY_VERIFY_TRUTH_STORE_H
#define ASSAY_VERIFY_TRUTH_STORE_H

#include "verify/truth.h"

typedef struct truth_store truth_store;

/* A store for at most `most_bytes`; what does not fit is not kept, and is computed again. NULL: no memory, which every function here
 * takes for a store that keeps nothing. Close with truth_store_close. */
truth_store *truth_store_open(int64_t most_bytes);
void truth_store_close(truth_store *store);

/* Fill *t, which truth_open allocated, with contents number `which` of the problem named `label`: its inputs, with
 * outputs and scale, or with the sampled rows, which must be known to be kept. 0 if they are not there in these sizes; then *t is as before. */
int truth_store_take(const truth_store *store, const char *label, int which, truth *t);

/* Keep a copy of them, if there is room. */
void truth_store_keep(truth_store *store, const char *label, int which, const truth *t);

#endif

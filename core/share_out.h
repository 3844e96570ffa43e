/* Work in pieces that do not depend on each other, shared among threads of this process. */
#ifndef ASSAY_CORE_SHARE_OUT_H
#define ASSAY_CORE_SHARE_OUT_H

#include <stdint.h>

typedef void (*share_fn)(void *context, int64_t piece);

/* Call `work` for the pieces 0 to count - 1, each once, in any order, and wait for all. A thread that cannot be had is done without. */
void share_out(int64_t count, share_fn work, void *context);

/* How many threads share_out() uses, the calling one among them: all processors', or the `most` that share_out_limit() was given by a
 * process that has others beside it. */
int share_out_threads(void);
void share_out_limit(int most);

#endif

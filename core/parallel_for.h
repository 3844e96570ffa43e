/* Work in pieces that do not depend on each other, shared among threads of this process. */
#ifndef ASSAY_CORE_PARALLEL_FOR_H
#define ASSAY_CORE_PARALLEL_FOR_H

#include <stdint.h>

typedef void (*parallel_for_fn)(void *context, int64_t piece);

/* Call `work` for the pieces 0 to count - 1, each once, in any order, and wait for all. A thread that cannot be had is done without. */
void parallel_for(int64_t count, parallel_for_fn work, void *context);

/* How many threads parallel_for() uses, the calling one among them: all processors', or the `most` that parallel_for_limit() was given by a
 * process that has others beside it. */
int parallel_for_threads(void);
void parallel_for_limit(int most);

#endif

/* Measures that the calling process takes upon itself for good, between fork and exec. Each returns 1 if it holds, 0 where the machine does
 * not have it. */
#ifndef ASSAY_CORE_CONFINE_INTERNAL_H
#define ASSAY_CORE_CONFINE_INTERNAL_H

#include "core/confine.h"

/* confine_files.c. `program`: what it may start, or NULL. */
int confine_files(const confine_rules *rules, const char *program);

/* confine_calls.c. No processes of others; `own_processes`: it can only see processes of its own, so that its signals need no rule. */
int confine_calls(int own_processes);
/* Threads, and no processes. */
int confine_to_threads(void);

#endif

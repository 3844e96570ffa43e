/* One run at a time in a folder that runs write: the first holds the lock, the others wait or are refused. */
#ifndef ASSAY_CORE_RUN_LOCK_H
#define ASSAY_CORE_RUN_LOCK_H

#include <assay/status.h>

/* Take the lock file `path`, which is made, its folders too, and left behind. Where another process holds it, a line on stderr says what
 * is waited for, and SIGINT ends the wait (ASSAY_ERR_ENVIRONMENT). Taking it again in the same process does nothing. The lock ends with
 * the process, however that ends; programs that it starts do not inherit it. Thread-safe. */
assay_status run_lock_hold(const char *path, assay_error *error);

/* Take the lock file `path` at once, or not: *lock -1 where another run has it. Until run_lock_release(), or the end of the process. */
assay_status run_lock_try(const char *path, int *lock, assay_error *error);
/* Also where a child was forked meanwhile, which has the file open too. -1: nothing. */
void run_lock_release(int lock);

#endif

/* One run at a time in a folder that runs write: the first holds the lock until its process ends, the others wait. */
#ifndef ASSAY_CORE_RUN_LOCK_H
#define ASSAY_CORE_RUN_LOCK_H

#include <assay/status.h>

/* Take the lock file `path`, which is made, its folders too, and left behind. Where another process holds it, a line on stderr says what
 * is waited for, and SIGINT ends the wait (ASSAY_ERR_ENVIRONMENT). Taking it again in the same process does nothing. The lock ends with
 * the process, however that ends; programs that it starts do not inherit it. Thread-safe. */
assay_status run_lock_hold(const char *path, assay_error *error);

#endif

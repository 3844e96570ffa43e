/* Holding a card's clock at one value while the suite measures: for users who own their card and ask for it.
 *
 * A program of its own, assay-clock-guard, locks the clock and holds a pipe to this process. When the pipe closes, be it because the lock
 * is released, this process ended, or it was killed, the guard gives the clock back. Should the guard be killed instead, a
 * second one gives it back on release. Only a machine that stops keeps the lock until the driver is loaded anew. */
#ifndef ASSAY_BENCH_CLOCK_LOCK_H
#define ASSAY_BENCH_CLOCK_LOCK_H

#include <assay/status.h>

typedef struct clock_lock clock_lock;

/* `guard` is the path of assay-clock-guard, `uuid` that of the card. ASSAY_ERR_ENVIRONMENT: not permitted, not supported, or the guard does
 * not run; the message says which, and nothing is locked. */
assay_status clock_lock_take(const char *guard, const char *uuid, int mhz, clock_lock **lock,
                             assay_error *error);
/* Waits until the clock is given back. The error says so if it could not be. NULL is fine. */
assay_status clock_lock_release(clock_lock *lock, assay_error *error);

#endif

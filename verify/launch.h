/* One guarded run of a kernel: poison, run, wait for its own stream only, look at what it did besides its result.
 *
 * A kernel that works on another stream is found out in two ways: run behind a blocked stream, its output must not change
 * before the stream is let go; and since only the given stream is waited for, its output is still poison when it is
 * read, and changes once the whole device is waited for. */
#ifndef ASSAY_VERIFY_LAUNCH_H
#define ASSAY_VERIFY_LAUNCH_H

#include "verify/guards.h"

enum { LAUNCH_REASON_MAX = 512 };
#define LAUNCH_DEVICE_ERROR "the device reported an error: " /* how such a reason begins */

/* Everything that stays the same for a kernel under test. */
typedef struct check_subject {
    worker *
        worker; /* with the kernel loaded; NULL where outputs are compared without running anything (bench) */
    const opspec *spec;
    const assay_op_impl *impl;
    opspec_tolerance tolerance;
    int contest; /* 1: calls a contest's solve(), which cannot be asked for every problem (build_module/module_solve.h) */
    int synchronises; /* 1: the call may wait for the device */
} check_subject;

typedef struct launch_mode {
    int poison; /* byte that outputs are filled with before */
    int blocked; /* hold the stream back while enqueueing. Not for a kernel's first run: lazy loading would deadlock */
    int sparse; /* compare inputs after the run in one chunk of 64 only: for tensors of many GB */
    int unread; /* leave the outputs on the device */
    int keep;   /* leave outputs and workspace whole, as the last run left them */
    uint64_t
        corrupt; /* not 0: instead of poison, the last run's outputs with spots of noise from this seed */
} launch_mode;

/* ASSAY_OK: it ran, its output may be compared. ASSAY_ERR_CHECK: the kernel is wrong, `reason` says how.
 * ASSAY_ERR_UNSUPPORTED: the kernel said so. Anything else: the worker is lost or the harness failed, see `error`. */
assay_status launch_kernel(const check_subject *subject, guarded_problem *guarded, const assay_problem *host,
                           const launch_mode *mode, char reason[LAUNCH_REASON_MAX], assay_error *error);

/* After a run whose output was found wrong: does waiting for the whole device change it? Then 1: it was written by work on
 * another stream. */
int launch_wrote_late(guarded_problem *guarded);

/* Hash of all outputs' bits (not cryptographic), for comparing runs. */
assay_status launch_hash_outputs(guarded_problem *guarded, uint64_t *hash, assay_error *error);

#endif

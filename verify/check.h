/* One problem judged on a device: the sequence of runs that a kernel must survive.
 *
 *   first contents      fresh seeded inputs, outputs poisoned with NaN
 *   other contents      other inputs (all but one, where there are several) at the same addresses, another poison, behind a blocked stream: a
 *                       kernel that caches, replays, knows contents by one input or works on another stream fails here
 *   repeat              the same inputs again: bitwise equality is reported as determinism, not required
 *   over its own result the same inputs once more, with outputs and workspace as they were but for spots of noise: a kernel that
 *                       finds its work done, by a look at the output or a mark in the workspace, fails here. Timing launches a
 *                       kernel over its own result all the time
 *   over the old result  the same inputs but for a few elements of each, with outputs and workspace whole as the last run left them: a kernel
 *                       that trusts what it finds there fails here, wherever it looks
 *   a few elements changed  the same again over poison: a kernel that knows contents again by looking at some of
 *                       them, and copies a result it kept, fails here
 *   at the start of a page  the same once more with every tensor right behind inaccessible memory, where it ended right before such
 *                       before: on the CPU device, small problems only
 * On the CPU device the three runs over results and of changed elements start a block's threads in reversed and in random order. Results of
 * the same contents must have the same bits in every order (if the kernel repeats at all, and no atomics show the order): else it is a race.
 * Every run is guarded (guards.h, launch.h) and judged against the double reference (compare.h), or by sampling where the
 * reference costs too much (sampled.h). On the CPU device shared memory is poisoned before every block. */
#ifndef ASSAY_VERIFY_CHECK_H
#define ASSAY_VERIFY_CHECK_H

#include "verify/compare.h"
#include "verify/launch.h"
#include "verify/expected_store.h"

/* The checks there are, each at most once in a report. A new one is a value here, a name in check.c, and a run. */
typedef enum check_kind {
    CHECK_FIRST_CONTENTS,
    CHECK_OTHER_CONTENTS,
    CHECK_REPEAT,
    CHECK_OVER_OWN_RESULT,
    CHECK_OVER_OLD_RESULT,
    CHECK_FEW_CHANGED,
    CHECK_PAGE_START,
    CHECK_WHOLE_DEVICE,
    CHECK_EXACT_ALLOCATIONS, /* exact.h, in place of the sequence */
    CHECK_SAMPLED_ROWS,      /* huge.h, in place of the sequence */
    CHECK_KINDS
} check_kind;

/* One run and its judgement. */
typedef struct check_item {
    const char *name; /* check_begin() sets it by the kind */
    int passed;
    char reason[LAUNCH_REASON_MAX]; /* empty if it passed */
    int output; /* which output `compared` is about: the first that failed, else the one with the worst ratio */
    assay_tensor shape; /* of that output */
    compare_result compared;
    int64_t elements; /* over all outputs */
} check_item;

typedef enum check_verdict { CHECK_PASS, CHECK_FAIL, CHECK_SKIPPED } check_verdict;

typedef struct check_report {
    check_verdict verdict;
    int unsupported; /* skipped because the kernel says it does not support the problem, not for lack of memory */
    char reason[LAUNCH_REASON_MAX + 64];
    int item_count;
    check_item items[CHECK_KINDS];
    int deterministic; /* 1, 0, or -1 where it was not found out */
} check_report;

typedef struct check_options {
    uint64_t seed;       /* of the first contents; the other contents use seed + 1 */
    const char *special; /* pattern of special values (inputs.h), or NULL */
    int once;            /* 1: the first contents only */
    int every;           /* 1: a failure does not end the sequence; the report's reason is the first one's */
    const char *label;   /* what the runs belong to, for the reason if the worker ends in one */
    expected_store
        *kept;  /* contents and references under `label`, taken from here and added to it; or NULL */
    int unread; /* exact allocations only. 1: leave the outputs on the device and do not compare them */
} check_options;

/* Append an item to a report, named as verdicts call its check: "first contents", ... */
check_item *check_begin(check_report *report, check_kind kind);

/* Judge a problem given by shapes, dtypes and parameters. ASSAY_OK: judged, see the report (skipped: not enough memory,
 * with need and have, or the kernel says it does not support the problem). Else the worker is lost or the harness itself failed; the
 * report then holds the runs up to there. */
assay_status check_problem(const check_subject *subject, const assay_problem *shapes,
                           const check_options *options, check_report *report, assay_error *error);

/* Compare all outputs of the last run with references in double, chunk by chunk. `scale` belongs to output 0. Fills *item
 * but its name. Status as launch_kernel. */
assay_status check_outputs(const check_subject *subject, guarded_problem *guarded,
                           const assay_problem *references, const double *scale, int poison, check_item *item,
                           uint64_t *hash, assay_error *error);

/* Stray work of a wrong kernel ends before its memory goes. */
void check_let_end(worker *w);

#endif

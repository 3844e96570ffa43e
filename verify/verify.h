/* The correctness runner: worker processes (judge.h), verdict files, one line a case on standard output.
 *
 * A worker that crashes, hangs or is killed by the device's checks becomes a verdict that names how it ended, and every
 * other case goes on. Interrupted (process_watch_interrupts), the run stops after the case in flight, whose old verdict
 * stays; running again with the same filter repeats cases, it never loses them. */
#ifndef ASSAY_VERIFY_VERIFY_H
#define ASSAY_VERIFY_VERIFY_H

#include "verify/options.h"
#include "verify/summary.h"

/* Judge all cases that the filter matches. ws->results must be set (workspace_use_slug). ASSAY_OK: ran, see the summary;
 * else nothing was run. Release the summary either way. */
assay_status verify_run(workspace *ws, const case_filter *filter, const verify_options *options,
                        verify_summary *summary, assay_error *error);

/* Run the golden cases of `directory` (golden.h) through every matching variant of the ops that it names. Cases of ops or
 * dtypes that are not in the workspace count as skipped. */
assay_status verify_golden(workspace *ws, const char *directory, const case_filter *filter,
                           const verify_options *options, verify_summary *summary, assay_error *error);

#endif

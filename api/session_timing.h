/* Options of timing as bench takes them; shared by the files of libassay. */
#ifndef ASSAY_API_SESSION_TIMING_H
#define ASSAY_API_SESSION_TIMING_H

#include "api/session_internal.h"
#include "bench/plan/bench.h"

/* The one mode that is asked for, as a set. `options` may be NULL. */
assay_status session_timing_mode(const assay_timing_options *options, timing_modes *modes,
                                 assay_error *error);
/* Without modes and baselines. */
void session_bench_options(const assay_timing_options *options, bench_options *bench);

#endif

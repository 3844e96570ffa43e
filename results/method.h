/* How a result was timed, in words, and whether two times may be compared as far as that goes. One rule
 * for comparison, trends, reports, targets and exports. Repetitions and lengths make a time more or less
 * certain, not another time, and are not part of it. */
#ifndef ASSAY_RESULTS_METHOD_H
#define ASSAY_RESULTS_METHOD_H

#include "results/result.h"

enum { METHOD_LABEL_BYTES = 96 };

/* Of one mode, only what is not usual: "flush by reading, clock locked at 1500 MHz", "earlier method
 * (version 1, now 2)"; "" for the present version, flushing by memset and a free clock. Two times of a
 * mode may be compared where these are equal. `mode_version` is result_times.method_version. */
void timing_method_label(const result_method *method, int mode_version, timing_mode mode, char *out,
                         size_t bytes);
/* The same of a result. */
void result_method_label(const result *r, timing_mode mode, char *out, size_t bytes);
/* Of one mode, the usual included: "flush by memset", "clock not locked". For readers;
 * timing_method_label() decides. */
void result_method_words(const result *r, timing_mode mode, char *out, size_t bytes);

#endif

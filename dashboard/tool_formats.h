/* The newest results of the history as files that other tools for continuous benchmarking accept as they are. */
#ifndef ASSAY_DASHBOARD_TOOL_FORMATS_H
#define ASSAY_DASHBOARD_TOOL_FORMATS_H

#include "history/history.h"
#include <stdio.h>

typedef enum tool_format {
    /* github-action-benchmark, tool `customSmallerIsBetter`: an array of name, value, unit, range, extra; microseconds */
    TOOL_GITHUB_ACTION_BENCHMARK,
    /* Google Benchmark's JSON, one entry a case and mode: github-action-benchmark's tool `googlecpp`, Bencher's adapter `cpp_google`,
     * Google Benchmark's own compare.py. cpu_time repeats real_time, as a time on a device has no other */
    TOOL_GOOGLE_BENCHMARK,
    /* Bencher Metric Format: latency in nanoseconds with the ends of the 95% interval; tflops and gbs where they are known */
    TOOL_BENCHER
} tool_format;

/* 1 and *format set if `name` is github-action-benchmark, google-benchmark or bencher. */
int tool_format_parse(const char *name, tool_format *format);

/* Of each case, mode, method and card model the newest result that the filter lets through is one entry, named
 * OP.VARIANT.DTYPE.SIZE[.MATH_MODE]/MODE[ (METHOD)]@CARD, MATH_MODE where it is not ieee and METHOD (results/method.h) where it is not
 * the usual one: a tool takes entries of one name for one trend. Without statuses in the filter only results
 * that are ok are written, so that nobody is alarmed by an unstable one. *entries, if not NULL, gets their number.
 * ASSAY_ERR_INVALID: there is none (the tools refuse empty files); ASSAY_ERR_IO: cannot be written. */
assay_status tool_format_write(history *h, const history_filter *filter, tool_format format, FILE *out,
                               long *entries, assay_error *error);

#endif

/* The history as a table for other programs: CSV (RFC 4180) or JSON, streamed row by row. */
#ifndef ASSAY_HISTORY_EXPORT_H
#define ASSAY_HISTORY_EXPORT_H

#include "history/history.h"
#include <stdio.h>

typedef enum export_format { EXPORT_CSV, EXPORT_JSON } export_format;

/* Columns timestamp, name (OP.VARIANT.DTYPE.SIZE), ms (mean), tflops, status, config: one row a timing mode,
 * "" where there is no time. config is a JSON object: mode, dims, params, math_mode, distribution, card,
 * driver, commit, dirty, method. `wide` adds further columns: kind, mode, median_ms, min_ms, p95_ms, low_ms,
 * high_ms, stddev_ms, gbs, percent_of_roofline, card, uuid, driver, runtime, commit, commit_time, dirty,
 * verdict, kernel_hash, reason. JSON has all of them. *rows, if not NULL, gets their number. */
assay_status history_export(history *h, const history_filter *filter, export_format format, int wide,
                            FILE *out, long *rows, assay_error *error);

#endif

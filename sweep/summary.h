/* What a sweep says in numbers: a line a dtype and variant, and what `--require` asks of them. */
#ifndef ASSAY_SWEEP_SUMMARY_H
#define ASSAY_SWEEP_SUMMARY_H

#include "sweep/sweep.h"

enum { SWEEP_MOST_LINES = ASSAY_DTYPE_COUNT * WORKSPACE_MAX_VARIANTS };

/* Ratios are times of the best baseline over the kernel's; NAN where no shape has one. */
typedef struct sweep_line {
    assay_dtype dtype;
    char variant[ASSAY_NAME_MAX];
    int shapes, right, wrong, refused, left, compared; /* `right` includes those compared */
    double minimum, p10, median, geomean;
} sweep_line;

typedef struct sweep_summary {
    int count;
    sweep_line lines[SWEEP_MOST_LINES];
    sweep_line all; /* counts over all lines, without ratios */
} sweep_summary;

void sweep_summarise(const sweep_outcome *out, sweep_summary *summary);

/* Numbers of the compared cases that are worst, the worst first; returns how many (at most `most`). */
int sweep_worst(const sweep_outcome *out, int most, int *cases);

/* The least that is asked of every line; NAN: nothing. */
typedef struct sweep_require {
    double minimum, p10, median, geomean;
} sweep_require;

/* "minimum=0.75,p10=0.9,geomean=1.0". ASSAY_ERR_INVALID: another name, no number, a name twice. */
assay_status sweep_require_parse(const char *text, sweep_require *require, assay_error *error);
/* 1 if every line with right kernels keeps it; else `why` gets what the first misses. A line without ratios keeps nothing. */
int sweep_require_holds(const sweep_require *require, const sweep_summary *summary, char *why, size_t bytes);
int sweep_require_asks(const sweep_require *require);

#endif

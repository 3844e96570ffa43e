/* Table rows: the kernels of an op in one dtype and timing mode, their final times, speedups, and the best
 * of them. */
#ifndef ASSAY_REPORT_REPORT_ROWS_H
#define ASSAY_REPORT_REPORT_ROWS_H

#include "report/report_model.h"

enum { REPORT_MAX_KERNELS = 48 };

/* How a kernel does against the best baseline. */
typedef enum report_outcome {
    REPORT_NOT_JUDGED, /* there is no baseline with its math mode */
    REPORT_WIN,
    REPORT_TIE, /* the times cannot be told apart */
    REPORT_LOSS,
    REPORT_INCOMPLETE, /* unstable, above its roofline bound, or a size lacks the kernel's time or a baseline's */
    REPORT_OUTCOMES
} report_outcome;

/* One line of a table: a kernel of an op in one dtype over all sizes. */
typedef struct report_row {
    const char *name;
    result_kind kind;
    const char *math_mode;                         /* "ieee", "tf32", "" where nothing was timed */
    const report_entry *entries[OPSPEC_MAX_SIZES]; /* NULL where a baseline has no file */
    int timed;                                     /* sizes with a time */
    int unstable, flagged; /* sizes that are unstable; that lie above their roofline bound */
    double final_us;       /* mean over the timed sizes of their means; NAN if none */
    /* Variants only; NAN without a baseline. The best baseline is the fastest at each size. */
    double
        speedup; /* mean of the best baselines' times / mean of the kernel's, over the sizes that have both */
    double geomean; /* of the ratios at these sizes */
    int compared;   /* these sizes */
} report_row;

typedef struct report_rows {
    int op, dtype, count, sizes; /* sizes: of the op */
    timing_mode mode;
    int measured[OPSPEC_MAX_SIZES], measured_count; /* sizes at which any kernel or baseline has a result */
    report_row row[REPORT_MAX_KERNELS];             /* variants first, then baselines */
    int best;                                       /* row of the best kernel, or -1 */
} report_rows;

/* The best kernel has a time at the most sizes; of those, first what is below its bound, then what is
 * stable, then what is fast. */
void report_rows_build(const report_model *model, int op, int dtype, timing_mode mode, report_rows *rows);

/* The fastest stable baseline with the entry's math mode at its size, or NULL. */
const report_entry *report_best_baseline(const report_rows *rows, const report_entry *entry);

/* 1 if the kernel's group of candidates held the other too, so that both saw the same card at the same heat. */
int report_of_one_group(const report_entry *kernel, const report_entry *other);
/* At one size: 1 if the two times cannot be told apart. Their 95% intervals overlap, and both were measured
 * in one group, so that no other run stands between them. */
int report_is_tie(const report_entry *kernel, const report_entry *baseline, timing_mode mode);
/* REPORT_WIN, REPORT_TIE or REPORT_LOSS at one size. */
report_outcome report_outcome_at(const report_entry *kernel, const report_entry *baseline, timing_mode mode);
/* Of the best kernel over all sizes that were measured: the means over the sizes are compared, and their
 * intervals. */
report_outcome report_rows_outcome(const report_rows *rows);

/* "win", "tie", "loss", "incomplete", "not judged" */
const char *report_outcome_name(report_outcome outcome);

#endif

/* Reports: from the JSON files of one card's results to op logs, a summary, plots, a terminal table and
 * compact results.
 *
 * Everything here reads the files described in docs/formats-results.md and nothing else: no clock, no device, no
 * environment. The same files give the same bytes. A file that cannot be used (truncated, empty, another
 * schema version, not finite) is named with its reason, skipped, and makes the call end in ASSAY_ERR_FORMAT
 * after everything else was written. */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H

#include "core/workspace.h"
#include <jansson.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct report_options { /* zero-initialise; NULL means all defaults */
    const char *gnuplot;        /* program that draws the plots; NULL: "gnuplot" */
    int no_plots;               /* 1: draw nothing */
    FILE *messages; /* one line for each thing worth saying (a broken file, no gnuplot); NULL: silent */
} report_options;

struct report_model;

typedef struct report_summary { /* filled also when the call fails; free with report_summary_release */
    int timed;                  /* variants' cases with a time (unstable ones included) */
    int verified, failed;       /* variants' cases whose last verdict is a pass / is not */
    int wins, ties, losses, incomplete; /* of the best kernels of op x dtype against the best baselines */
    int unreadable_count;               /* files that could not be used */
    int plots_drawn;                    /* 0 without gnuplot */
    json_t *files;                      /* array of the paths written, in the order they were written */
    json_t *json;                       /* what summary.json holds */
    struct report_model *model; /* what was read, so that report_table() need not read it again; internal */
} report_summary;

/* Write ws->logs/OP_log.md for each op that has files, summary.md and summary.json, and into ws->plots
 * roofline_OP, roofline_all and speedup as .gp (the gnuplot script with its data), .svg and .png. Reads
 * RESULTS_DIR/{verify,bench}/ *.json and RESULTS_DIR/ceilings.json; NULL means ws->results. Templates come
 * from ws->templates.
 *
 * ASSAY_ERR_INVALID: there is nothing to report. ASSAY_ERR_IO: the folders cannot be written to, and nothing
 * was written. ASSAY_ERR_FORMAT: some files were skipped (each is among the messages, their number in the
 * error), or a template is wrong. The error is the first failure, further ones are among the messages.
 * ASSAY_ERR_ENVIRONMENT: gnuplot is there and failed. A missing gnuplot is no error. */
assay_status report_write(const workspace *ws, const char *results_dir, const report_options *options,
                          report_summary *summary, assay_error *error);
void report_summary_release(report_summary *summary);

/* Print the best kernel of each op and dtype beside its best baseline: times at each size, speedup, win, tie
 * or loss. Up to three ops and dtypes have a line a kernel; `all` gives every kernel, baseline and reason a
 * line, whatever their number. At most 110 columns without `all`. `shown`, if not NULL, selects ops and
 * dtypes; it needs `summary` to be NULL. Ends with the files in `summary` if it is not NULL. ASSAY_ERR_FORMAT if files were skipped: each is named below the table, unless there is a
 * `summary`, whose writing has named them. */
assay_status report_table(const workspace *ws, const char *results_dir, const report_summary *summary,
                          const case_filter *shown, int all, FILE *out, assay_error *error);

typedef struct report_standings {
    int wins, ties, losses; /* problems, of the fastest kernel at each */
    char text[96];          /* "5 wins, 2 ties, 1 loss"; "" where none counts */
} report_standings;

/* How the kernels that `filter` selects stand against the best baselines in cold times, by the rules of the
 * reports. A problem (op, dtype and size) counts once, by its fastest kernel; where that or every baseline
 * has no time to be trusted, it does not count. Each kernel that ties is a line on `ties` (NULL: none).
 * ASSAY_ERR_INVALID: there are no results. */
assay_status report_stand(const workspace *ws, const char *results_dir, const case_filter *filter, FILE *ties,
                          report_standings *out, assay_error *error);

/* Copy the usable files of a results folder into OUT_DIR for keeping, as one archive an op; a report of the
 * copy reads like one of the original. In a result all samples become 21 quantiles (minimum, 5%, ... 95%,
 * maximum; 5 digits), and repetitions are rounded to 6 digits. In a verdict the checks that passed lose
 * tolerance and empty lists. ceilings.json and env.json are copied as they are. *exported, if not NULL, gets
 * the number of results and verdicts. ASSAY_ERR_FORMAT if files were skipped; ASSAY_ERR_INVALID if OUT_DIR
 * is the folder itself. */
assay_status report_export(const char *results_dir, const char *out_dir, int *exported, FILE *messages,
                           assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

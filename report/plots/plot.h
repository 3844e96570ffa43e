/* Draws a model's plots with gnuplot: a roofline an op, one of all best kernels, and the speedups.
 *
 * Each plot is a complete gnuplot script, NAME.gp, made from a template with the data in it, so it can be
 * drawn again or changed anywhere; NAME.svg and NAME.png are what gnuplot makes of it. What is plotted is
 * decided here, how it looks mostly in the templates (logs/templates/ *.gp). */
#ifndef ASSAY_REPORT_PLOTS_PLOT_H
#define ASSAY_REPORT_PLOTS_PLOT_H

#include "report/report_rows.h"
#include <jansson.h>

enum { PLOT_ALL_OPS = -1 };

/* What roofline.gp may name: points of an op's kernels (cold times, all sizes) or, for PLOT_ALL_OPS, of the
 * best kernel of each op and dtype at its largest size. New reference; NULL if there is no point to draw. */
json_t *plot_roofline_context(const report_model *model, int op, const char *name);

/* What speedup.gp may name: speedups of the best kernels over the best baseline, a point a size. NULL if
 * there is none. */
json_t *plot_speedup_context(const report_model *model, const char *name);

typedef enum plot_outcome { PLOT_DRAWN, PLOT_NO_GNUPLOT, PLOT_FAILED } plot_outcome;

typedef struct plot_job {
    char name[128];
    plot_outcome outcome; /* after plot_draw_all(): are the pictures there? */
    char reason[512];     /* one line: why not */
} plot_job;

typedef struct plot_list {
    plot_job *jobs; /* owned */
    int count, capacity;
} plot_list;

/* Render TEMPLATE with `context` into ws->plots/NAME.gp and add the plot to the list. A script that is there
 * already stays untouched. */
assay_status plot_add(const workspace *ws, const char *template_name, const char *name, const json_t *context,
                      plot_list *list, assay_error *error);

/* Run `gnuplot` on the scripts, as many at a time as there are processors. A plot whose complete pictures
 * are no older than its script is not drawn again. Pictures are replaced only when both were drawn. One
 * process a plot, because what gnuplot writes depends a little on what it drew before. */
void plot_draw_all(const workspace *ws, const char *gnuplot, plot_list *list);

/* NULL if there is no such plot. */
const plot_job *plot_find(const plot_list *list, const char *name);
void plot_list_release(plot_list *list);

/* Text for a single-quoted gnuplot string. */
void plot_quote(char *out, size_t bytes, const char *text);

/* Colours by position: of variants and ops (filled points), of baselines (hollow points), of sizes from
 * light to dark. */
const char *plot_color(int index);
const char *plot_baseline_color(int index);
const char *plot_size_color(int index, int count);

#endif

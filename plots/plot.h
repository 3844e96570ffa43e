/* Draws a model's plots with gnuplot: a roofline an op, one of all best kernels, and the speedups.
 *
 * Each plot is a complete gnuplot script, NAME.gp, made from a template with the data in it, so it can be drawn again or changed
 * anywhere; NAME.svg and NAME.png are what gnuplot makes of it. What is plotted is decided here, how it looks mostly in the
 * templates (logs/templates/ *.gp). */
#ifndef ASSAY_PLOTS_PLOT_H
#define ASSAY_PLOTS_PLOT_H

#include "report_model.h"

enum { PLOT_ALL_OPS = -1 };

/* What roofline.gp may name: points of an op's kernels (cold figures, all sizes) or, for PLOT_ALL_OPS, of the best kernel of each
 * op and dtype at its largest size. New reference; NULL if there is no point to draw. */
json_t *plot_roofline_context(const report_model *model, int op, const char *name);

/* What speedup.gp may name: speedups of the best kernels over the fastest peer, a bar a size. NULL if there is none. */
json_t *plot_speedup_context(const report_model *model, const char *name);

typedef enum plot_outcome { PLOT_DRAWN, PLOT_NO_GNUPLOT, PLOT_FAILED } plot_outcome;

/* Render TEMPLATE with `context` into ws->plots/NAME.gp and run `gnuplot` on it. The status is that of writing the script; *outcome
 * says whether the pictures are there, `reason` (one line) why not. Pictures are replaced only when both were drawn. */
assay_status plot_draw(const workspace *ws, const char *template_name, const char *name,
                       const json_t *context, const char *gnuplot, plot_outcome *outcome, char *reason,
                       size_t reason_bytes, assay_error *error);

/* Text for a single-quoted gnuplot string. */
void plot_quote(char *out, size_t bytes, const char *text);

/* Colours by position: of variants and ops (filled points), of peers (hollow points), of sizes from light to dark. */
const char *plot_color(int index);
const char *plot_peer_color(int index);
const char *plot_size_color(int index, int count);

#endif

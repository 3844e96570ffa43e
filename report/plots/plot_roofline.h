/* What the files of the roofline share. Only report/plots/plot_roofline.c, plot_bounds.c and plot_points.c
 * include it. */
#ifndef ASSAY_REPORT_PLOTS_PLOT_ROOFLINE_H
#define ASSAY_REPORT_PLOTS_PLOT_ROOFLINE_H

#include "report/plots/plot.h"

/* Size of the canvas and of the drawing area in pixels; roofline.gp gets it from here, for labels must
 * follow the lines' slope. */
enum {
    ROOFLINE_WIDTH = 1200,
    ROOFLINE_HEIGHT = 760,
    ROOFLINE_LEFT = 100,
    ROOFLINE_RIGHT = 930,
    ROOFLINE_BOTTOM = 90,
    ROOFLINE_TOP = 690
};

typedef struct roofline_view { /* axis ranges, in FLOP/byte and FLOP/s */
    double x0, x1, y0, y1;
} roofline_view;

typedef struct roofline_point {
    const report_entry *entry;
    double x, y; /* FLOP/byte, FLOP/s */
} roofline_point;

typedef struct roofline_bound { /* of arithmetic, in FLOP/s */
    const char *name;
    double flops;
} roofline_bound;

double roofline_x_pixels_a_decade(const roofline_view *v);

/* Bounds of arithmetic that the points' dtypes are held against, highest first; `bounds` has room for
 * REPORT_MAX_CEILINGS. */
int roofline_collect_bounds(const report_model *model, const roofline_point *points, int count,
                            roofline_bound *bounds);
roofline_view roofline_choose_view(const report_model *model, const roofline_point *points, int count,
                                   const roofline_bound *bounds, int bound_count);

void roofline_add_line(json_t *out, double x0, double y0, double x1, double y1, const char *style,
                       const char *color);
void roofline_add_memory_bounds(const report_model *model, json_t *out, const roofline_view *v, double top);
void roofline_add_compute_bounds(const report_model *model, json_t *out, const roofline_view *v,
                                 const roofline_bound *bounds, int count);

/* Points and the key: all kernels of an op, or the best kernel of each op. */
void roofline_add_kernel_points(const report_model *model, int op, const roofline_point *points, int count,
                                const roofline_view *v, json_t *out);
void roofline_add_op_points(const report_model *model, const roofline_point *points, int count,
                            const roofline_view *v, json_t *out);

#endif

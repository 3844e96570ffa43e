/* Bounds, axis ranges, and the labels along the bounds. */
#include "report/plots/plot_roofline.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUND_COLOR "#404040"

static int compare_bounds(const void *a, const void *b)
{
    const double x = ((const roofline_bound *)a)->flops, y = ((const roofline_bound *)b)->flops;
    return (x < y) - (x > y);
}

int roofline_collect_bounds(const report_model *model, const roofline_point *points, int count,
                            roofline_bound *bounds)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        const char *name = "";
        const report_entry *entry = points[i].entry;
        const double rate =
            report_compute_bound(model, entry->op, entry->dtype, report_is_tf32(entry), &name);
        int known = !isfinite(rate);
        for (int r = 0; r < found; r++)
            known |= strcmp(bounds[r].name, name) == 0;
        if (!known && found < REPORT_MAX_CEILINGS)
            bounds[found++] = (roofline_bound){name, rate * 1e12};
    }
    qsort(bounds, (size_t)found, sizeof *bounds, compare_bounds);
    return found;
}

/* Round a bound outwards to 1, 2 or 5 times a power of ten. */
static double round_out(double value, int up)
{
    const double power = pow(10, floor(log10(value)));
    static const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (steps[i] * power >= value * (up ? 0.999999 : 1.000001))
            return up ? steps[i] * power : (i ? steps[i - 1] : 0.5) * power;
    return value;
}

static double y_pixels_a_decade(const roofline_view *v)
{
    return (ROOFLINE_TOP - ROOFLINE_BOTTOM) / log10(v->y1 / v->y0);
}

double roofline_x_pixels_a_decade(const roofline_view *v)
{
    return (ROOFLINE_RIGHT - ROOFLINE_LEFT) / log10(v->x1 / v->x0);
}

roofline_view roofline_choose_view(const report_model *model, const roofline_point *points, int count,
                                   const roofline_bound *bounds, int bound_count)
{
    double x_low = points[0].x, x_high = points[0].x, y_low = points[0].y, y_high = points[0].y;
    for (int i = 0; i < count; i++) {
        x_low = fmin(x_low, points[i].x);
        const result *r = points[i].entry->result;
        const double l2_bytes = result_fact_number(&r->counters, "l2_bytes", 0);
        if (l2_bytes > 0.0) /* a kernel moves more through L2 than it must */
            x_low = fmin(x_low, r->flops / l2_bytes);
        x_high = fmax(x_high, points[i].x);
        y_low = fmin(y_low, points[i].y);
        y_high = fmax(y_high, points[i].y);
    }
    const double copy = report_ceiling_of(model, "copy") * 1e9;
    if (bound_count) {
        y_high = fmax(y_high, bounds[0].flops);
        if (isfinite(copy))
            x_high = fmax(x_high, 2 * bounds[0].flops / copy);
    }
    roofline_view v = {round_out(x_low / 6, 0), round_out(x_high * 2, 1), round_out(y_low / 1.8, 0),
                       round_out(y_high * 2, 1)};
    if (isfinite(
            copy)) /* let the memory bound start on the left edge, away from the points: its labels are there */
        v.y0 = fmin(v.y0, round_out(copy * v.x0 / 1.5, 0));
    return v;
}

void roofline_add_line(json_t *out, double x0, double y0, double x1, double y1, const char *style,
                       const char *color)
{
    json_t *line = context_add(out, "lines");
    json_object_set_new(line, "index",
                        json_integer((json_int_t)json_array_size(json_object_get(out, "lines"))));
    context_put(line, "x0", "%.6g", x0);
    context_put(line, "y0", "%.6g", y0);
    context_put(line, "x1", "%.6g", x1);
    context_put(line, "y1", "%.6g", y1);
    context_put(line, "style", "%s", style);
    context_put(line, "color", "%s", color);
}

static void add_label(json_t *out, double x, double y, double angle, const char *align, const char *text)
{
    json_t *label = context_add(out, "labels");
    context_put(label, "x", "%.6g", x);
    context_put(label, "y", "%.6g", y);
    context_put(label, "angle", "%.1f", angle);
    context_put(label, "align", "%s", align);
    json_object_set_new(label, "flat", json_boolean(angle == 0)); /* a box does not turn with its text */
    context_put(label, "text", "%s", text);
}

/* A bandwidth's sloped line up to `top`, with its label near the left end, above the line or below it. */
static void add_slope(json_t *out, const roofline_view *v, const char *name, double bandwidth, double top,
                      int above, const char *style)
{
    const double x0 = fmax(v->x0, v->y0 / bandwidth), x1 = fmin(v->x1, fmin(v->y1, top) / bandwidth);
    if (!isfinite(bandwidth) || x1 <= x0)
        return;
    char rate[32], text[80];
    roofline_add_line(out, x0, x0 * bandwidth, x1, x1 * bandwidth, style, BOUND_COLOR);
    text_scaled(rate, sizeof rate, bandwidth, "B/s");
    snprintf(text, sizeof text, "%s %s", name, rate);
    /* A little along the line, then away from it at a right angle, in pixels. */
    const double px = roofline_x_pixels_a_decade(v), py = y_pixels_a_decade(v), angle = atan2(py, px);
    const double along = 16, away = above ? 10 : -12;
    const double dx = along * cos(angle) - away * sin(angle), dy = along * sin(angle) + away * cos(angle);
    add_label(out, x0 * pow(10, dx / px), x0 * bandwidth * pow(10, dy / py), angle * 180 / 3.14159265358979,
              "left", text);
}

void roofline_add_memory_bounds(const report_model *model, json_t *out, const roofline_view *v, double top)
{
    add_slope(out, v, "L2", report_ceiling_of(model, "l2") * 1e9, top, 1, "dt 4 lw 1.4");
    const double copy = report_ceiling_of(model, "copy") * 1e9, read = report_ceiling_of(model, "read") * 1e9;
    /* Copy and read lie close together: one label above both lines, one below both. */
    add_slope(out, v, "copy", copy, top, copy >= read || !isfinite(read), "dt 1 lw 2");
    add_slope(out, v, "read", read, top, read > copy || !isfinite(copy), "dt 3 lw 1.4");
}

/* Bounds of arithmetic, which are flat. Rates too close for two lines of text share one label above the
 * highest of them. */
void roofline_add_compute_bounds(const report_model *model, json_t *out, const roofline_view *v,
                                 const roofline_bound *bounds, int count)
{
    const double l2 = report_ceiling_of(model, "l2") * 1e9, copy = report_ceiling_of(model, "copy") * 1e9;
    const double steepest = isfinite(l2) ? fmax(l2, isfinite(copy) ? copy : 0) : copy;
    const double label_decades = 18 / y_pixels_a_decade(v);
    for (int i = 0; i < count;) {
        char text[256], rate[32];
        size_t n = 0;
        int k = i;
        for (; k < count && log10(bounds[i].flops / bounds[k].flops) < label_decades; k++) {
            const double x0 = isfinite(steepest) ? fmax(v->x0, bounds[k].flops / steepest) : v->x0;
            roofline_add_line(out, x0, bounds[k].flops, v->x1, bounds[k].flops, "dt 1 lw 2", BOUND_COLOR);
            text_scaled(rate, sizeof rate, bounds[k].flops, "FLOP/s");
            char name[32];
            snprintf(name, sizeof name, "%s", bounds[k].name);
            for (char *c = name; *c; c++)
                if (*c == '_')
                    *c = ' ';
            if (n < sizeof text)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "", name, rate);
        }
        add_label(out, v->x1 * pow(10, -8 / roofline_x_pixels_a_decade(v)),
                  bounds[i].flops * pow(10, 10 / y_pixels_a_decade(v)), 0, "right", text);
        i = k;
    }
}

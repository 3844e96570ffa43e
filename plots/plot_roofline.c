/* The data of rooflines: roofs from the measured ceilings, points from the cold figures, and where their labels go. */
#include "plot.h"
#include "json_file.h"
#include "report_context.h"
#include "report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Size of the drawing area in pixels; roofline.gp gets it from here, for labels must follow the lines' slope. */
enum { CANVAS_W = 1200, CANVAS_H = 760, AREA_LEFT = 100, AREA_RIGHT = 900, AREA_BOTTOM = 80, AREA_TOP = 690 };

typedef struct view { /* axis ranges, in FLOP/byte and FLOP/s */
    double x0, x1, y0, y1;
} view;

typedef struct point {
    const report_entry *entry;
    double x, y;
} point;

/* Marker of a dtype: gnuplot's number of the filled form; the hollow one is one less. */
static int marker_of(const report_model *model, const report_entry *entry)
{
    if (report_is_tf32(entry))
        return 13; /* diamond */
    switch (model->ws->ops[entry->op].spec->dtypes[entry->dtype]) {
    case ASSAY_F16:
        return 9; /* triangle */
    case ASSAY_BF16:
        return 5; /* square */
    default:
        return 7; /* circle */
    }
}

static int make_point(const report_entry *entry, point *out)
{
    if (!report_has_time(entry, REPORT_COLD) || !(entry->flops > 0) || !(entry->bytes > 0))
        return 0;
    *out = (point){entry, entry->flops / entry->bytes,
                   entry->flops / (entry->figures[REPORT_COLD].mean_us * 1e-6)};
    return 1;
}

static int add_best(const report_model *model, point *points)
{
    int count = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, REPORT_COLD, &rows);
            for (int s = rows.sizes - 1; rows.best >= 0 && s >= 0; s--)
                if (make_point(rows.row[rows.best].entries[s], &points[count])) {
                    count++;
                    break;
                }
        }
    return count;
}

static point *collect(const report_model *model, int op, int *count)
{
    point *points = malloc((size_t)(model->count + 1) * sizeof *points);
    *count = 0;
    if (points && op == PLOT_ALL_OPS)
        *count = add_best(model, points);
    else
        for (int i = 0; points && i < model->count; i++)
            if (model->entries[i].op == op && make_point(&model->entries[i], &points[*count]))
                ++*count;
    return points;
}

/* Compute roofs that matter for the points: the ones their dtypes are held against. Sorted, highest first. */
typedef struct roof {
    const char *name;
    double flops;
} roof;

static int compare_roofs(const void *a, const void *b)
{
    const double x = ((const roof *)a)->flops, y = ((const roof *)b)->flops;
    return (x < y) - (x > y);
}

static int collect_roofs(const report_model *model, const point *points, int count, roof *roofs)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        const char *name = "";
        const report_entry *entry = points[i].entry;
        const double rate = report_compute_roof(model, entry->op, entry->dtype, report_is_tf32(entry), &name);
        int known = !isfinite(rate);
        for (int r = 0; r < found; r++)
            known |= strcmp(roofs[r].name, name) == 0;
        if (!known && found < REPORT_MAX_CEILINGS)
            roofs[found++] = (roof){name, rate * 1e12};
    }
    qsort(roofs, (size_t)found, sizeof *roofs, compare_roofs);
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

static view choose_view(const report_model *model, const point *points, int count, const roof *roofs,
                        int roof_count)
{
    double x_low = points[0].x, x_high = points[0].x, y_low = points[0].y, y_high = points[0].y;
    for (int i = 1; i < count; i++) {
        x_low = fmin(x_low, points[i].x);
        x_high = fmax(x_high, points[i].x);
        y_low = fmin(y_low, points[i].y);
        y_high = fmax(y_high, points[i].y);
    }
    const double copy = report_ceiling_of(model, "copy") * 1e9;
    if (roof_count) {
        y_high = fmax(y_high, roofs[0].flops);
        if (isfinite(copy))
            x_high = fmax(x_high, 2 * roofs[0].flops / copy);
    }
    view v = {round_out(x_low / 8, 0), round_out(x_high * 3, 1), round_out(y_low / 1.8, 0),
              round_out(y_high * 2, 1)};
    if (isfinite(copy) && copy * v.x0 > v.y0) /* let the memory roof start on the left edge, not above it */
        v.y1 = fmax(v.y1, copy * v.x0 * 2);
    return v;
}

static double x_pixels_a_decade(const view *v)
{
    return (AREA_RIGHT - AREA_LEFT) / log10(v->x1 / v->x0);
}
static double y_pixels_a_decade(const view *v)
{
    return (AREA_TOP - AREA_BOTTOM) / log10(v->y1 / v->y0);
}

static void add_line(json_t *out, double x0, double y0, double x1, double y1, const char *style)
{
    json_t *line = context_add(out, "lines");
    json_object_set_new(line, "index",
                        json_integer((json_int_t)json_array_size(json_object_get(out, "lines"))));
    context_put(line, "x0", "%.6g", x0);
    context_put(line, "y0", "%.6g", y0);
    context_put(line, "x1", "%.6g", x1);
    context_put(line, "y1", "%.6g", y1);
    context_put(line, "style", "%s", style);
}

static void add_label(json_t *out, double x, double y, double angle, const char *align, const char *text)
{
    json_t *label = context_add(out, "labels");
    context_put(label, "x", "%.6g", x);
    context_put(label, "y", "%.6g", y);
    context_put(label, "angle", "%.1f", angle);
    context_put(label, "align", "%s", align);
    context_put(label, "text", "%s", text);
}

/* A bandwidth's sloped line up to `top`, with its label above the line near the left end. */
static void add_slope(json_t *out, const view *v, double bandwidth, double top, const char *style,
                      const char *text)
{
    const double x0 = fmax(v->x0, v->y0 / bandwidth), x1 = fmin(v->x1, fmin(v->y1, top) / bandwidth);
    if (x1 <= x0)
        return;
    add_line(out, x0, x0 * bandwidth, x1, x1 * bandwidth, style);
    if (!*text)
        return;
    const double px = x_pixels_a_decade(v), py = y_pixels_a_decade(v), angle = atan2(py, px);
    const double x =
        x0 * pow(10, 14 / px); /* a little along the line, then 11 pixels away from it at a right angle */
    add_label(out, x * pow(10, -sin(angle) * 11 / px), x * bandwidth * pow(10, cos(angle) * 11 / py),
              angle * 180 / 3.14159265358979, "left", text);
}

static void add_memory_roofs(const report_model *model, json_t *out, const view *v, double top)
{
    const double copy = report_ceiling_of(model, "copy"), read = report_ceiling_of(model, "read"),
                 l2 = report_ceiling_of(model, "l2");
    char text[128], rate[2][32];
    if (isfinite(l2)) {
        text_scaled(rate[0], sizeof rate[0], l2 * 1e9, "B/s");
        snprintf(text, sizeof text, "L2 %s", rate[0]);
        add_slope(out, v, l2 * 1e9, top, "dt 4 lw 1.4", text);
    }
    if (isfinite(read)) /* close to copy: named in copy's label */
        add_slope(out, v, read * 1e9, top, "dt 3 lw 1.2", isfinite(copy) ? "" : "read");
    if (isfinite(copy)) {
        text_scaled(rate[0], sizeof rate[0], copy * 1e9, "B/s");
        text_scaled(rate[1], sizeof rate[1], read * 1e9, "B/s");
        snprintf(text, sizeof text, "memory copy %s%s%s", rate[0], isfinite(read) ? ", read " : "",
                 isfinite(read) ? rate[1] : "");
        add_slope(out, v, copy * 1e9, top, "dt 1 lw 2", text);
    }
}

/* Horizontal roofs. Rates too close for two lines of text share one label above the highest of them. */
static void add_compute_roofs(const report_model *model, json_t *out, const view *v, const roof *roofs,
                              int count)
{
    const double l2 = report_ceiling_of(model, "l2") * 1e9, copy = report_ceiling_of(model, "copy") * 1e9;
    const double steepest = isfinite(l2) ? fmax(l2, isfinite(copy) ? copy : 0) : copy;
    const double label_decades = 18 / y_pixels_a_decade(v);
    for (int i = 0; i < count;) {
        char text[256], rate[32];
        size_t n = 0;
        int k = i;
        for (; k < count && log10(roofs[i].flops / roofs[k].flops) < label_decades; k++) {
            const double x0 = isfinite(steepest) ? fmax(v->x0, roofs[k].flops / steepest) : v->x0;
            add_line(out, x0, roofs[k].flops, v->x1, roofs[k].flops, "dt 1 lw 2");
            text_scaled(rate, sizeof rate, roofs[k].flops, "FLOP/s");
            char name[32];
            snprintf(name, sizeof name, "%s", roofs[k].name);
            for (char *c = name; *c; c++)
                if (*c == '_')
                    *c = ' ';
            if (n < sizeof text)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "", name, rate);
        }
        add_label(out, v->x1 * pow(10, -8 / x_pixels_a_decade(v)),
                  roofs[i].flops * pow(10, 10 / y_pixels_a_decade(v)), 0, "right", text);
        i = k;
    }
}

static void add_key(json_t *out, const char *text, int marker, const char *color, double size)
{
    json_t *item = context_add(out, "key");
    char quoted[128];
    plot_quote(quoted, sizeof quoted, text);
    context_put(item, "text", "%s", quoted);
    json_object_set_new(item, "marker", json_integer(marker));
    context_put(item, "color", "%s", color);
    context_put(item, "size", "%.2f", size);
}

static double size_of_marker(int size, int sizes)
{
    return sizes < 2 ? 1.5 : 0.8 + 0.9 * size / (sizes - 1);
}

/* Position of a kernel among those of its kind (their colour), and among all plotted. */
typedef struct kernel_list {
    const char *names[REPORT_MAX_KERNELS];
    report_kind kinds[REPORT_MAX_KERNELS];
    int count;
} kernel_list;

static int kernel_index(kernel_list *list, const report_entry *entry)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], entry->name) == 0 && list->kinds[i] == entry->kind)
            return i;
    if (list->count == REPORT_MAX_KERNELS)
        return REPORT_MAX_KERNELS - 1;
    list->names[list->count] = entry->name;
    list->kinds[list->count] = entry->kind;
    return list->count++;
}

static const char *kernel_color(const kernel_list *list, int index)
{
    int position = 0;
    for (int i = 0; i < index; i++)
        position += list->kinds[i] == list->kinds[index];
    return list->kinds[index] == REPORT_VARIANT ? plot_color(position)
           : list->kinds[index] == REPORT_PEER  ? plot_peer_color(position)
                                                : "#909090";
}

static void add_point(json_t *out, const point *p, double x, int marker, const char *color, double size,
                      double width)
{
    json_t *item = context_add(out, "points");
    json_object_set_new(item, "index",
                        json_integer((json_int_t)json_array_size(json_object_get(out, "points"))));
    (void)p;
    context_put(item, "x", "%.6g", x);
    context_put(item, "y", "%.6g", p->y);
    json_object_set_new(item, "marker", json_integer(marker));
    context_put(item, "color", "%s", color);
    context_put(item, "size", "%.2f", size);
    context_put(item, "width", "%.1f", width);
}

static void add_dtype_keys(const report_model *model, const point *points, int count, json_t *out)
{
    static const struct {
        int marker;
        const char *name;
    } shapes[] = {{7, "f32"}, {13, "f32 as tf32"}, {9, "f16"}, {5, "bf16"}};
    add_key(out, "Dtypes", 0, "#000000", 0);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int i = 0; i < count; i++)
            if (marker_of(model, points[i].entry) == shapes[s].marker) {
                add_key(out, shapes[s].name, shapes[s].marker, "#606060", 1.4);
                break;
            }
}

static void add_kernel_points(const report_model *model, int op, const point *points, int count,
                              const view *v, json_t *out)
{
    const opspec *spec = model->ws->ops[op].spec;
    kernel_list list = {.count = 0};
    for (int i = 0; i < count; i++)
        kernel_index(&list, points[i].entry);
    for (int pass = 0; pass < 2; pass++) /* hollow ones first, so that they surround and do not cover */
        for (int i = 0; i < count; i++) {
            const report_entry *entry = points[i].entry;
            const int own = entry->kind == REPORT_VARIANT, index = kernel_index(&list, entry);
            if (own != pass)
                continue;
            /* Kernels of one op, dtype and size share their intensity: spread them sideways so that each can be seen. */
            const double shift = (index - (list.count - 1) / 2.0) * 9;
            const int marker = marker_of(model, entry);
            add_point(out, &points[i], points[i].x * pow(10, shift / x_pixels_a_decade(v)),
                      own ? marker : marker - 1, kernel_color(&list, index),
                      size_of_marker(entry->size, spec->size_count), own ? 1.0 : 1.8);
        }
    for (int kind = REPORT_VARIANT; kind <= REPORT_BOUND; kind++) {
        static const char *const heads[] = {"Kernels", "Peers", "Bounds"};
        int any = 0;
        for (int i = 0; i < list.count; i++) {
            if ((int)list.kinds[i] != kind)
                continue;
            if (!any++)
                add_key(out, heads[kind], 0, "#000000", 0);
            add_key(out, report_display_name(list.names[i]), kind == REPORT_VARIANT ? 7 : 6,
                    kernel_color(&list, i), 1.4);
        }
    }
    add_dtype_keys(model, points, count, out);
    add_key(out, "Sizes", 0, "#000000", 0);
    for (int s = 0; s < spec->size_count; s++)
        for (int i = 0; i < count; i++)
            if (points[i].entry->size == s) {
                add_key(out, spec->sizes[s].name, 7, "#606060", size_of_marker(s, spec->size_count));
                break;
            }
}

static void add_op_points(const report_model *model, const point *points, int count, json_t *out)
{
    add_key(out, "Ops (best kernel)", 0, "#000000", 0);
    for (int i = 0, colors = 0; i < count; i++) {
        const report_entry *entry = points[i].entry;
        const int is_new = i == 0 || points[i - 1].entry->op != entry->op;
        colors += is_new;
        add_point(out, &points[i], points[i].x, marker_of(model, entry), plot_color(colors - 1), 1.7, 1.0);
        if (is_new)
            add_key(out, model->ws->ops[entry->op].spec->name, 7, plot_color(colors - 1), 1.4);
    }
    add_dtype_keys(model, points, count, out);
}

static void put_frame(const report_model *model, int op, const char *name, const view *v, json_t *out)
{
    char text[512], quoted[600];
    const double px = x_pixels_a_decade(v);
    snprintf(text, sizeof text, "Roofline of %s: %s, %.10s",
             op == PLOT_ALL_OPS ? "all ops" : model->ws->ops[op].spec->name, model->device,
             *model->time ? model->time : "date unknown");
    plot_quote(quoted, sizeof quoted, text);
    context_put(out, "name", "%s", name);
    context_put(out, "title", "%s", quoted);
    snprintf(text, sizeof text, "%s%s",
             model->cpu ? "CPU SIMT device timings, never comparable with a GPU. " : "",
             op == PLOT_ALL_OPS ? "Cold figures at the largest size."
                                : "Cold figures. Points of one intensity are spread sideways.");
    context_put(out, "subtitle", "%s%s", text, model->ceiling_count ? "" : " No ceilings were measured.");
    context_put(out, "width", "%d", CANVAS_W);
    context_put(out, "height", "%d", CANVAS_H);
    context_put(out, "left", "%.5f", (double)AREA_LEFT / CANVAS_W);
    context_put(out, "right", "%.5f", (double)AREA_RIGHT / CANVAS_W);
    context_put(out, "bottom", "%.5f", (double)AREA_BOTTOM / CANVAS_H);
    context_put(out, "top", "%.5f", (double)AREA_TOP / CANVAS_H);
    context_put(out, "x0", "%.6g", v->x0);
    context_put(out, "x1", "%.6g", v->x1);
    context_put(out, "y0", "%.6g", v->y0);
    context_put(out, "y1", "%.6g", v->y1);
    (void)px;
}

json_t *plot_roofline_context(const report_model *model, int op, const char *name)
{
    int count;
    point *points = collect(model, op, &count);
    if (!points || count == 0) {
        free(points);
        return NULL;
    }
    roof roofs[REPORT_MAX_CEILINGS];
    const int roof_count = collect_roofs(model, points, count, roofs);
    const view v = choose_view(model, points, count, roofs, roof_count);
    json_t *out = json_object();
    put_frame(model, op, name, &v, out);
    add_memory_roofs(model, out, &v, roof_count ? roofs[0].flops : v.y1);
    add_compute_roofs(model, out, &v, roofs, roof_count);
    if (op == PLOT_ALL_OPS)
        add_op_points(model, points, count, out);
    else
        add_kernel_points(model, op, points, count, &v, out);
    context_close_list(out, "lines");
    context_close_list(out, "labels");
    context_close_list(out, "points");
    context_close_list(out, "key");
    free(points);
    return out;
}

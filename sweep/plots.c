/* The plots of a sweep: see report.h. How they look is in logs/templates/sweep_dims.gp and sweep_heat.gp. */
#include "report/plots/plot.h"
#include "report/text_buffer.h"
#include "sweep/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_WIDTH = 420, PANEL_HEIGHT = 260, COLUMNS = 2, MOST_PANELS = OPSPEC_MAX_DIMS };

static double log2_at_least_one(double value)
{
    return log2(value < 1 ? 1 : value);
}

typedef struct panel {
    const char *name;
    double least, most;
} panel;

/* The dimensions that vary among compared cases. */
static int find_panels(const sweep_outcome *out, panel panels[MOST_PANELS])
{
    const opspec_dims *dims = &opspec_find_size(out->op->spec, "small")->dims;
    int count = 0;
    for (int d = 0; d < dims->count; d++) {
        panel p = {.name = dims->dim[d].name, .least = INFINITY, .most = -INFINITY};
        for (int i = 0; i < out->count; i++) {
            const double value = shape_value(out->shapes->shapes[out->cases[i].shape].shape, p.name, 0);
            if (out->cases[i].status != SWEEP_COMPARED)
                continue;
            p.least = fmin(p.least, value);
            p.most = fmax(p.most, value);
        }
        if (p.most > p.least)
            panels[count++] = p;
    }
    return count;
}

static void put(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

static void put_number(json_t *object, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    put(object, key, text);
}

static json_t *frame(const sweep_outcome *out, const char *name, int width, int height)
{
    json_t *c = json_object();
    put(c, "name", name);
    put(c, "op", out->op->spec->name);
    put_number(c, "width", width);
    put_number(c, "height", height);
    return c;
}

static json_t *dtypes_json(const sweep_outcome *out)
{
    json_t *list = json_array();
    unsigned seen = 0;
    for (int i = 0; i < out->count; i++) {
        const sweep_case *c = &out->cases[i];
        if (c->status != SWEEP_COMPARED || (seen >> c->dtype & 1u))
            continue;
        json_t *item = json_object();
        seen |= 1u << c->dtype;
        put(item, "dtype", assay_dtype_name(c->dtype));
        put_number(item, "number", c->dtype);
        put(item, "color", plot_color((int)c->dtype));
        put(item, "comma", "");
        json_array_append_new(list, item);
    }
    for (size_t i = 0; i + 1 < json_array_size(list); i++)
        put(json_array_get(list, i), "comma", ", ");
    return list;
}

/* A row a case: the ratio, the dtype, then the value of each panel's dimension. */
static json_t *dims_context(const sweep_outcome *out, const char *name, const panel *panels, int count)
{
    const int rows = (count + COLUMNS - 1) / COLUMNS;
    json_t *c = frame(out, name, PANEL_WIDTH * COLUMNS, 40 + PANEL_HEIGHT * rows), *points = json_array(),
           *list = json_array();
    put_number(c, "rows", rows);
    put_number(c, "columns", COLUMNS);
    for (int i = 0; i < out->count; i++) {
        char row[400];
        int used;
        if (out->cases[i].status != SWEEP_COMPARED)
            continue;
        used = snprintf(row, sizeof row, "%.5g %d", out->cases[i].ratio, (int)out->cases[i].dtype);
        for (int p = 0; p < count; p++)
            used += snprintf(
                row + used, sizeof row - (size_t)used, " %.0f",
                fmax(1, shape_value(out->shapes->shapes[out->cases[i].shape].shape, panels[p].name, 1)));
        json_array_append_new(points, json_string(row));
    }
    for (int p = 0; p < count; p++) {
        json_t *item = json_object();
        put(item, "dim", panels[p].name);
        put_number(item, "column", 3 + p);
        put_number(item, "x0", fmax(1, panels[p].least) / 1.3);
        put_number(item, "x1", fmax(1, panels[p].most) * 1.3);
        json_object_set_new(item, "dtypes", dtypes_json(out));
        json_array_append_new(list, item);
    }
    json_object_set_new(c, "points", points);
    json_object_set_new(c, "panels", list);
    return c;
}

static int by_range(const void *a, const void *b)
{
    const panel *x = a, *y = b;
    const double rx = log2_at_least_one(x->most) - log2_at_least_one(x->least),
                 ry = log2_at_least_one(y->most) - log2_at_least_one(y->least);
    return (rx < ry) - (rx > ry);
}

/* Cells of a power of two by a power of two. */
static json_t *cells_json(const sweep_outcome *out, const panel *x, const panel *y)
{
    enum { SIDE = 64 };
    double(*logs)[SIDE] = calloc(SIDE, sizeof *logs);
    int(*counts)[SIDE] = calloc(SIDE, sizeof *counts);
    json_t *cells = json_array();
    for (int i = 0; logs && counts && i < out->count; i++) {
        const json_t *shape = out->shapes->shapes[out->cases[i].shape].shape;
        const int at = (int)log2_at_least_one(shape_value(shape, x->name, 1)),
                  row = (int)log2_at_least_one(shape_value(shape, y->name, 1));
        if (out->cases[i].status != SWEEP_COMPARED || at >= SIDE || row >= SIDE)
            continue;
        logs[row][at] += log(out->cases[i].ratio);
        counts[row][at]++;
    }
    for (int row = 0; logs && counts && row < SIDE; row++)
        for (int at = 0; at < SIDE; at++)
            if (counts[row][at] > 0) {
                char text[80];
                snprintf(text, sizeof text, "%d %d %.5g %d", at, row, exp(logs[row][at] / counts[row][at]),
                         counts[row][at]);
                json_array_append_new(cells, json_string(text));
            }
    free(logs);
    free(counts);
    return cells;
}

static json_t *heat_context(const sweep_outcome *out, const char *name, panel *panels, int count)
{
    qsort(panels, (size_t)count, sizeof *panels, by_range);
    json_t *c = frame(out, name, 760, 560);
    put(c, "x", panels[0].name);
    put(c, "y", panels[1].name);
    put_number(c, "x0", floor(log2_at_least_one(panels[0].least)) - 0.5);
    put_number(c, "x1", floor(log2_at_least_one(panels[0].most)) + 0.5);
    put_number(c, "y0", floor(log2_at_least_one(panels[1].least)) - 0.5);
    put_number(c, "y1", floor(log2_at_least_one(panels[1].most)) + 0.5);
    json_object_set_new(c, "cells", cells_json(out, &panels[0], &panels[1]));
    return c;
}

assay_status sweep_plots_draw(const workspace *ws, const sweep_outcome *out, const char *name, int *heat,
                              char *why, size_t bytes, assay_error *error)
{
    char part[ASSAY_NAME_MAX + 32];
    panel panels[MOST_PANELS];
    plot_list list = {0};
    const int count = find_panels(out, panels);
    why[0] = '\0';
    *heat = count >= 2;
    if (count == 0) {
        snprintf(why, bytes, "No plots: all shapes have the same dimensions.");
        return ASSAY_OK;
    }
    snprintf(part, sizeof part, "%s_dims", name);
    json_t *context = dims_context(out, part, panels, count);
    assay_status status = plot_add(ws, "sweep_dims.gp", part, context, &list, error);
    json_decref(context);
    if (status == ASSAY_OK && *heat) {
        snprintf(part, sizeof part, "%s_heat", name);
        context = heat_context(out, part, panels, count);
        status = plot_add(ws, "sweep_heat.gp", part, context, &list, error);
        json_decref(context);
    }
    if (status == ASSAY_OK)
        plot_draw_all(ws, "gnuplot", &list);
    for (int i = 0; i < list.count && status == ASSAY_OK && !why[0]; i++)
        if (list.jobs[i].outcome != PLOT_DRAWN)
            snprintf(why, bytes, "%s", list.jobs[i].reason);
    plot_list_release(&list);
    return status;
}

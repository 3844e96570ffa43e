/* The data of the speedup chart: a row an op and dtype, a point a size, on a logarithmic axis around 1x. */
#include "report/plots/plot.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 128,
    MOST_POINTS = 1024,
    MOST_COLUMNS = OPSPEC_MAX_SIZES, /* size names that get a colour; shapes of models share the last */
    WIDTH = 900,                     /* what a README shows without shrinking */
    ROW_PIXELS = 21,
    TOP_PIXELS = 108,
    BOTTOM_PIXELS = 58,
    LEFT_PIXELS = 190,
    RIGHT_PIXELS = 80
};

typedef struct point {
    int row, column, is_tie;
    double ratio;
} point;

typedef struct chart {
    const char *columns[MOST_COLUMNS + 1]; /* size names over all ops, in their order */
    int column_count, row_count, point_count;
    point points[MOST_POINTS];
    struct {
        char name[80];
        int op;
        double low, high, mean; /* of its points' ratios; the geometric mean */
    } rows[MOST_ROWS];
    double low, high;
} chart;

static const char shapes_of_models[] = "shapes of models";

static int column_of(chart *c, const char *name)
{
    for (int i = 0; i < c->column_count; i++)
        if (strcmp(c->columns[i], name) == 0)
            return i;
    if (c->column_count == MOST_COLUMNS)
        return MOST_COLUMNS - 1;
    c->columns[c->column_count] = name;
    return c->column_count++;
}

static void add_row(const report_model *model, const report_rows *rows, chart *c)
{
    const opspec *spec = model->ws->ops[rows->op].spec;
    const report_row *best = &rows->row[rows->best];
    const int before = c->point_count;
    double low = INFINITY, high = 0, logs = 0;
    for (int s = 0; s < rows->sizes && c->point_count < MOST_POINTS && c->row_count < MOST_ROWS; s++) {
        const report_entry *own = best->entries[s];
        const report_entry *baseline =
            report_has_time(own, TIMING_COLD) ? report_best_baseline(rows, own) : NULL;
        if (!baseline)
            continue;
        const double ratio = baseline->times[TIMING_COLD].mean_us / own->times[TIMING_COLD].mean_us;
        const char *column = spec->sizes[s].source[0] ? shapes_of_models : spec->sizes[s].name;
        c->points[c->point_count++] =
            (point){c->row_count, column_of(c, column), report_is_tie(own, baseline, TIMING_COLD), ratio};
        low = fmin(low, ratio);
        high = fmax(high, ratio);
        logs += log(ratio);
    }
    const int count = c->point_count - before;
    if (count == 0)
        return;
    snprintf(c->rows[c->row_count].name, sizeof c->rows[0].name, "%s %s%s", spec->name,
             report_dtype_name(spec, rows->dtype), strcmp(best->math_mode, "tf32") == 0 ? " (tf32)" : "");
    c->rows[c->row_count].op = rows->op;
    c->rows[c->row_count].low = low;
    c->rows[c->row_count].high = high;
    c->rows[c->row_count++].mean = exp(logs / count);
    c->low = fmin(c->low, low);
    c->high = fmax(c->high, high);
}

/* Round numbers within the range that stand at least 42 pixels apart; 1x is always among them. */
static void put_ticks(double x0, double x1, json_t *out)
{
    static const double steps[] = {1, 0.5,  2,  0.8,  1.25, 0.1,  10, 0.2,
                                   5, 0.05, 20, 0.01, 100,  0.02, 50, 1000};
    double kept[sizeof steps / sizeof *steps];
    int count = 0;
    const double pixels = (WIDTH - LEFT_PIXELS - RIGHT_PIXELS) / log(x1 / x0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int fits = steps[i] >= x0 && steps[i] <= x1;
        for (int k = 0; k < count; k++)
            fits &= fabs(log(steps[i] / kept[k])) * pixels >= 42;
        if (!fits)
            continue;
        if (count > 0)
            context_put(json_array_get(json_object_get(out, "ticks"), (size_t)count - 1), "comma", ", ");
        json_t *tick = context_add(out, "ticks");
        context_put(tick, "x", "%g", steps[i]);
        context_put(tick, "text", "%gx", steps[i]);
        context_put(tick, "comma", "%s", "");
        kept[count++] = steps[i];
    }
}

static void put_rows(const chart *c, json_t *out)
{
    char quoted[200], mean[32];
    for (int r = 0; r < c->row_count; r++) {
        json_t *row = context_add(out, "rows");
        plot_quote(quoted, sizeof quoted, c->rows[r].name);
        text_ratio(mean, sizeof mean, c->rows[r].mean);
        context_put(row, "text", "%s", quoted);
        context_put(row, "y", "%d", -r);
        context_put(row, "low", "%.5g", c->rows[r].low);
        context_put(row, "high", "%.5g", c->rows[r].high);
        context_put(row, "mean", "%s", mean);
        context_put(row, "comma", "%s", r + 1 < c->row_count ? ", " : "");
        if (r > 0 && c->rows[r].op != c->rows[r - 1].op)
            context_put(context_add(out, "separators"), "y", "%.1f", 0.5 - r);
    }
    context_close_list(out, "separators");
}

static void put_points(const chart *c, json_t *out)
{
    char quoted[200];
    for (int i = 0; i < c->point_count; i++) {
        json_t *item = context_add(out, "points");
        context_put(item, "x", "%.5g", c->points[i].ratio);
        context_put(item, "y", "%d", -c->points[i].row);
        context_put(item, "column", "%d", c->points[i].column);
        context_put(item, "tie", "%d", c->points[i].is_tie);
    }
    int named = 0, at = 0;
    for (int k = 0; k < c->column_count; k++)
        named += c->columns[k] != shapes_of_models;
    for (int k = 0; k < c->column_count; k++) {
        json_t *item = context_add(out, "sizes");
        const int is_shape = c->columns[k] == shapes_of_models;
        plot_quote(quoted, sizeof quoted, c->columns[k]);
        context_put(item, "column", "%d", k);
        context_put(item, "text", "%s", quoted);
        context_put(item, "color", "%s", is_shape ? "#E69F00" : plot_size_color(at, named));
        at += !is_shape;
    }
}

static void put_frame(const report_model *model, const chart *c, const char *name, json_t *out)
{
    char text[512], quoted[600];
    const int height = TOP_PIXELS + BOTTOM_PIXELS + ROW_PIXELS * c->row_count;
    const double x0 = fmin(0.75, c->low / 1.08), x1 = fmax(1.35, c->high * 1.08);
    snprintf(text, sizeof text, "Speedup of the best kernels: %s, %.10s", model->device,
             *model->time ? model->time : "date unknown");
    plot_quote(quoted, sizeof quoted, text);
    context_put(out, "name", "%s", name);
    context_put(out, "title", "%s", quoted);
    context_put(out, "warning", "%s",
                model->cpu ? "CPU SIMT device timings, never comparable with a GPU." : "");
    context_put(out, "width", "%d", WIDTH);
    context_put(out, "height", "%d", height);
    context_put(out, "left", "%.5f", (double)LEFT_PIXELS / WIDTH);
    context_put(out, "right", "%.5f", 1 - (double)RIGHT_PIXELS / WIDTH);
    context_put(out, "top", "%.5f", 1 - (double)TOP_PIXELS / height);
    context_put(out, "bottom", "%.5f", (double)BOTTOM_PIXELS / height);
    context_put(out, "title_y", "%.5f", 1 - 22.0 / height);
    context_put(out, "warning_y", "%.5f", 1 - 45.0 / height);
    context_put(out, "key_y", "%.5f", 1 - 56.0 / height);
    context_put(out, "note_y", "%.5f", 16.0 / height);
    context_put(out, "mean_x", "%.5f", 1 - 14.0 / WIDTH);
    context_put(out, "x0", "%.4g", x0);
    context_put(out, "x1", "%.4g", x1);
    context_put(out, "y0", "%.1f", 0.4 - c->row_count);
    context_put(out, "y1", "%.1f", 0.6);
    put_ticks(x0, x1, out);
}

json_t *plot_speedup_context(const report_model *model, const char *name)
{
    chart *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->low = INFINITY;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, TIMING_COLD, &rows);
            if (rows.best >= 0)
                add_row(model, &rows, c);
        }
    json_t *out = NULL;
    if (c->point_count) {
        out = json_object();
        put_frame(model, c, name, out);
        put_rows(c, out);
        put_points(c, out);
    }
    free(c);
    return out;
}

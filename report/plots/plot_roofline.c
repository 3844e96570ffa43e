/* Puts a roofline together: which cases are points, and the frame around them. */
#include "report/plots/plot_roofline.h"
#include "report/report_context.h"
#include <math.h>
#include <stdlib.h>

/* `rows`: those of the entry's op and dtype. */
static int make_point(const report_rows *rows, const report_entry *entry, roofline_point *out)
{
    if (!entry) /* no file speaks of this size: the results are of a kernel that is no longer there */
        return 0;
    if (entry->size >= rows->sizes) /* edge cases are no size that is timed, whatever a file says */
        return 0;
    if (entry->kind == REPORT_BOUND) /* a copy does none of the op's work, and its rate is a roof already */
        return 0;
    if (!report_has_time(entry, REPORT_COLD) || !(entry->flops > 0) || !(entry->bytes > 0))
        return 0;
    *out = (roofline_point){entry, entry->flops / entry->bytes,
                            entry->flops / (entry->figures[REPORT_COLD].mean_us * 1e-6),
                            report_rows_mark(rows, entry) != 0};
    return 1;
}

static int add_best(const report_model *model, roofline_point *points)
{
    int count = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, REPORT_COLD, &rows);
            for (int s = rows.sizes - 1; rows.best >= 0 && s >= 0; s--)
                if (make_point(&rows, rows.row[rows.best].entries[s], &points[count])) {
                    count++;
                    break;
                }
        }
    return count;
}

static int add_kernels(const report_model *model, int op, roofline_point *points)
{
    const int dtypes = model->ws->ops[op].spec->dtype_count;
    report_rows *rows = calloc((size_t)dtypes, sizeof *rows);
    int count = 0;
    for (int d = 0; rows && d < dtypes; d++)
        report_rows_build(model, op, d, REPORT_COLD, &rows[d]);
    for (int i = 0; rows && i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        count += entry->op == op && make_point(&rows[entry->dtype], entry, &points[count]);
    }
    free(rows);
    return count;
}

static roofline_point *collect(const report_model *model, int op, int *count)
{
    roofline_point *points = malloc((size_t)(model->count + 1) * sizeof *points);
    *count = !points ? 0 : op == PLOT_ALL_OPS ? add_best(model, points) : add_kernels(model, op, points);
    return points;
}

static void put_frame(const report_model *model, int op, const char *name, const roofline_view *v,
                      json_t *out)
{
    char text[512], quoted[600];
    snprintf(text, sizeof text, "Roofline of %s: %s, %.10s",
             op == PLOT_ALL_OPS ? "all ops" : model->ws->ops[op].spec->name, model->device,
             *model->time ? model->time : "date unknown");
    plot_quote(quoted, sizeof quoted, text);
    context_put(out, "name", "%s", name);
    context_put(out, "title", "%s", quoted);
    context_put(out, "warning", "%s",
                model->cpu ? "CPU SIMT device timings, never comparable with a GPU." : "");
    context_put(
        out, "note", "%s%s",
        op == PLOT_ALL_OPS
            ? "Cold figures of the best kernel of each op and dtype at its largest size; points of "
              "one intensity stand side by side."
            : "Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.",
        model->ceiling_count ? "" : " No ceilings were measured, so there are no roofs.");
    context_put(out, "width", "%d", ROOFLINE_WIDTH);
    context_put(out, "height", "%d", ROOFLINE_HEIGHT);
    context_put(out, "left", "%.5f", (double)ROOFLINE_LEFT / ROOFLINE_WIDTH);
    context_put(out, "right", "%.5f", (double)ROOFLINE_RIGHT / ROOFLINE_WIDTH);
    context_put(out, "bottom", "%.5f", (double)ROOFLINE_BOTTOM / ROOFLINE_HEIGHT);
    context_put(out, "top", "%.5f", (double)ROOFLINE_TOP / ROOFLINE_HEIGHT);
    context_put(out, "x0", "%.6g", v->x0);
    context_put(out, "x1", "%.6g", v->x1);
    context_put(out, "y0", "%.6g", v->y0);
    context_put(out, "y1", "%.6g", v->y1);
}

json_t *plot_roofline_context(const report_model *model, int op, const char *name)
{
    int count;
    roofline_point *points = collect(model, op, &count);
    if (!points || count == 0) {
        free(points);
        return NULL;
    }
    roofline_roof roofs[REPORT_MAX_CEILINGS];
    const int roof_count = roofline_collect_roofs(model, points, count, roofs);
    const roofline_view v = roofline_choose_view(model, points, count, roofs, roof_count);
    json_t *out = json_object();
    put_frame(model, op, name, &v, out);
    roofline_add_memory_roofs(model, out, &v, roof_count ? roofs[0].flops : v.y1);
    roofline_add_compute_roofs(model, out, &v, roofs, roof_count);
    if (op == PLOT_ALL_OPS)
        roofline_add_op_points(model, points, count, &v, out);
    else
        roofline_add_kernel_points(model, op, points, count, &v, out);
    context_close_list(out, "lines");
    context_close_list(out, "labels");
    context_close_list(out, "points");
    context_close_list(out, "key");
    free(points);
    return out;
}

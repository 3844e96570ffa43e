/* Puts a roofline together: which cases are points, and the frame around them. */
#include "report/plots/plot_roofline.h"
#include "report/report_context.h"
#include <math.h>
#include <stdlib.h>

static int make_point(const report_model *model, const report_entry *entry, roofline_point *out)
{
    /* edge cases are no size that is timed, whatever a file says */
    if (!report_has_time(entry, TIMING_COLD) || entry->size >= model->ws->ops[entry->op].spec->size_count)
        return 0;
    const result *r = entry->result;
    if (entry->kind == RESULT_UNRANKED_BASELINE || !(r->flops > 0) ||
        !(r->bytes > 0)) /* a copy does no work */
        return 0;
    *out =
        (roofline_point){entry, r->flops / r->bytes, r->flops / (entry->times[TIMING_COLD].mean_us * 1e-6)};
    return 1;
}

static int add_best(const report_model *model, roofline_point *points)
{
    int count = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, TIMING_COLD, &rows);
            for (int s = rows.sizes - 1; rows.best >= 0 && s >= 0; s--)
                if (make_point(model, rows.row[rows.best].entries[s], &points[count])) {
                    count++;
                    break;
                }
        }
    return count;
}

static int add_kernels(const report_model *model, int op, roofline_point *points)
{
    int count = 0, first, end;
    report_range(model, op, -1, &first, &end);
    for (int i = first; i < end; i++)
        count += make_point(model, &model->entries[i], &points[count]);
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
            ? "Cold times of the best kernel of each op and dtype at its last size; points of "
              "one intensity stand side by side."
            : "Cold times. Points of one intensity stand side by side under a red cap, their memory bound.",
        model->ceiling_count ? "" : " No ceilings were measured, so there are no bounds.");
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
    roofline_bound bounds[REPORT_MAX_CEILINGS];
    const int bound_count = roofline_collect_bounds(model, points, count, bounds);
    const roofline_view v = roofline_choose_view(model, points, count, bounds, bound_count);
    json_t *out = json_object();
    put_frame(model, op, name, &v, out);
    roofline_add_memory_bounds(model, out, &v, bound_count ? bounds[0].flops : v.y1);
    roofline_add_compute_bounds(model, out, &v, bounds, bound_count);
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

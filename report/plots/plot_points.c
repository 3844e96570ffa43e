/* Points of a roofline and its key. Kernels that would cover each other stand side by side. */
#include "report/plots/plot_roofline.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void add_key(json_t *out, const char *text, int marker, const char *color, double size)
{
    json_t *item = context_add(out, "key");
    char quoted[128];
    plot_quote(quoted, sizeof quoted, text);
    context_put(item, "text", "%s", quoted);
    json_object_set_new(item, "head", json_boolean(marker == 0)); /* a heading has no sample */
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
    result_kind kinds[REPORT_MAX_KERNELS];
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
    return list->kinds[index] == RESULT_VARIANT ? plot_color(position) : plot_baseline_color(position);
}

static void add_point(json_t *out, double x, double y, int marker, const char *color, double size,
                      double width)
{
    json_t *item = context_add(out, "points");
    json_object_set_new(item, "index",
                        json_integer((json_int_t)json_array_size(json_object_get(out, "points"))));
    context_put(item, "x", "%.6g", x);
    context_put(item, "y", "%.6g", y);
    json_object_set_new(item, "marker", json_integer(marker));
    context_put(item, "color", "%s", color);
    context_put(item, "size", "%.2f", size);
    context_put(item, "width", "%.1f", width);
}

static void add_dtype_keys(const report_model *model, const roofline_point *points, int count, json_t *out)
{
    static const struct {
        int marker;
        const char *name;
    } shapes[] = {{7, "f32"}, {13, "f32 as tf32"}, {9, "f16"}, {5, "bf16"}};
    add_key(out, "Dtypes", 0, "", 0);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int i = 0; i < count; i++)
            if (marker_of(model, points[i].entry) == shapes[s].marker) {
                add_key(out, shapes[s].name, shapes[s].marker, "#606060", 1.4);
                break;
            }
}

/* Kernels of one op, dtype and size share their intensity, and good ones nearly share their rate. Each
 * (kernel, dtype) of an intensity gets a column of its own beside the true position; the step keeps
 * neighbouring groups apart. */
enum { MAX_GROUPS = 64 };

typedef struct intensity_group {
    double x;
    int columns;
    struct {
        const char *name;
        result_kind kind;
        int op, dtype;
    } column[3 * REPORT_MAX_KERNELS];
} intensity_group;

typedef struct point_spread {
    int count;
    double step; /* pixels */
    intensity_group groups[MAX_GROUPS];
} point_spread;

static int same_intensity(double a, double b)
{
    return fabs(log(a / b)) < 0.01;
}

static int column_of(const intensity_group *g, const report_entry *entry)
{
    for (int i = 0; i < g->columns; i++)
        if (g->column[i].op == entry->op && g->column[i].dtype == entry->dtype &&
            g->column[i].kind == entry->kind && strcmp(g->column[i].name, entry->name) == 0)
            return i;
    return -1;
}

static void spread_add(point_spread *s, const roofline_point *p)
{
    int i = 0;
    while (i < s->count && !same_intensity(s->groups[i].x, p->x))
        i++;
    if (i == MAX_GROUPS)
        return;
    intensity_group *g = &s->groups[i];
    if (i == s->count) {
        s->count++;
        *g = (intensity_group){.x = p->x};
    }
    if (g->columns == 3 * REPORT_MAX_KERNELS || column_of(g, p->entry) >= 0)
        return;
    g->column[g->columns].name = p->entry->name;
    g->column[g->columns].op = p->entry->op;
    g->column[g->columns].kind = p->entry->kind;
    g->column[g->columns++].dtype = p->entry->dtype;
}

static point_spread *spread_make(const roofline_point *points, int count, double pixels_a_decade)
{
    point_spread *s = calloc(1, sizeof *s);
    for (int i = 0; s && i < count; i++)
        spread_add(s, &points[i]);
    if (!s)
        return NULL;
    s->step = 9;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->count; k++) {
            const double gap = log10(s->groups[k].x / s->groups[i].x) * pixels_a_decade;
            if (gap > 0)
                s->step = fmin(s->step, gap / ((s->groups[i].columns + s->groups[k].columns) / 2.0 + 1));
        }
    s->step = fmax(s->step, 1.5);
    return s;
}

/* Pixels that a point stands beside its true intensity. */
static double spread_shift(const point_spread *s, const roofline_point *p)
{
    for (int i = 0; i < s->count; i++)
        if (same_intensity(s->groups[i].x, p->x))
            return (column_of(&s->groups[i], p->entry) - (s->groups[i].columns - 1) / 2.0) * s->step;
    return 0;
}

/* The memory bound of a group, drawn flat over its columns: what each point beside the true position is to
 * be held against. */
static void add_caps(const report_model *model, int op, const intensity_group *g,
                     const roofline_point *points, int count, const roofline_view *v, double step,
                     json_t *out)
{
    double drawn[4];
    int drawn_count = 0;
    for (int i = 0; i < count; i++) {
        if (!same_intensity(points[i].x, g->x))
            continue;
        const report_entry *entry = points[i].entry;
        const double ceiling =
            1e12 * report_roofline_tflops(model, op, entry->dtype, report_is_tf32(entry), g->x);
        const double compute =
            1e12 * report_compute_bound(model, op, entry->dtype, report_is_tf32(entry), NULL);
        int known = !isfinite(ceiling) || ceiling >= compute; /* a bound of arithmetic is flat as it is */
        for (int k = 0; k < drawn_count; k++)
            known |= same_intensity(drawn[k], ceiling);
        if (known || drawn_count == 4)
            continue;
        drawn[drawn_count++] = ceiling;
        const double half = pow(10, ((g->columns + 1) / 2.0 * step) / roofline_x_pixels_a_decade(v));
        roofline_add_line(out, g->x / half, ceiling, g->x * half, ceiling, "dt 1 lw 1.6", "#D62728");
    }
}

static void add_kernel_keys(const report_model *model, int op, const roofline_point *points, int count,
                            const kernel_list *list, json_t *out)
{
    static const char *const heads[] = {"Kernels", "Baselines"};
    const opspec *spec = model->ws->ops[op].spec;
    for (int kind = RESULT_VARIANT; kind <= RESULT_BASELINE; kind++) {
        int any = 0;
        for (int i = 0; i < list->count; i++) {
            if ((int)list->kinds[i] != kind)
                continue;
            if (!any++)
                add_key(out, heads[kind], 0, "", 0);
            add_key(out, list->names[i], kind == RESULT_VARIANT ? 7 : 6, kernel_color(list, i), 1.4);
        }
    }
    add_dtype_keys(model, points, count, out);
    add_key(out, "Sizes", 0, "", 0);
    for (int s = 0; s < spec->size_count; s++)
        for (int i = 0; i < count; i++)
            if (points[i].entry->size == s) {
                add_key(out, spec->sizes[s].name, 7, "#606060", size_of_marker(s, spec->size_count));
                break;
            }
}

/* Where a kernel stands by the bytes that it really moved: left of its point by as much as it moved more. */
static void add_traffic_points(const roofline_point *points, int count, const opspec *spec, kernel_list *list,
                               json_t *out)
{
    enum { PLUS = 1, CROSS = 2 };
    int any = 0;
    for (int i = 0; i < count; i++) {
        const report_entry *entry = points[i].entry;
        const result *r = entry->result;
        const char *color = kernel_color(list, kernel_index(list, entry));
        const double size = size_of_marker(entry->size, spec->size_count);
        const double dram_bytes = result_fact_number(&r->counters, "dram_bytes", 0),
                     l2_bytes = result_fact_number(&r->counters, "l2_bytes", 0);
        if (!(dram_bytes > 0.0) || !(l2_bytes > 0.0))
            continue;
        add_point(out, r->flops / dram_bytes, points[i].y, PLUS, color, size, 1.4);
        add_point(out, r->flops / l2_bytes, points[i].y, CROSS, color, size, 1.4);
        any = 1;
    }
    if (!any)
        return;
    add_key(out, "Bytes really moved", 0, "", 0);
    add_key(out, "to and from DRAM", PLUS, "#606060", 1.4);
    add_key(out, "through L2", CROSS, "#606060", 1.4);
}

void roofline_add_kernel_points(const report_model *model, int op, const roofline_point *points, int count,
                                const roofline_view *v, json_t *out)
{
    const opspec *spec = model->ws->ops[op].spec;
    kernel_list list = {.count = 0};
    point_spread *spread = spread_make(points, count, roofline_x_pixels_a_decade(v));
    for (int i = 0; i < count; i++)
        kernel_index(&list, points[i].entry);
    for (int g = 0; spread && g < spread->count; g++)
        add_caps(model, op, &spread->groups[g], points, count, v, spread->step, out);
    for (int pass = 0; spread && pass < 2;
         pass++) /* hollow ones first, so that they surround and do not cover */
        for (int i = 0; i < count; i++) {
            const report_entry *entry = points[i].entry;
            const int own = entry->kind == RESULT_VARIANT, marker = marker_of(model, entry);
            if (own != pass)
                continue;
            const char *color = kernel_color(&list, kernel_index(&list, entry));
            add_point(out,
                      points[i].x * pow(10, spread_shift(spread, &points[i]) / roofline_x_pixels_a_decade(v)),
                      points[i].y, own ? marker : marker - 1, color,
                      size_of_marker(entry->size, spec->size_count), own ? 1.0 : 1.8);
        }
    free(spread);
    add_traffic_points(points, count, spec, &list, out);
    add_kernel_keys(model, op, points, count, &list, out);
}

void roofline_add_op_points(const report_model *model, const roofline_point *points, int count,
                            const roofline_view *v, json_t *out)
{
    point_spread *spread = spread_make(points, count, roofline_x_pixels_a_decade(v));
    add_key(out, "Ops (best kernel)", 0, "", 0);
    for (int i = 0, colors = 0; i < count; i++) {
        const report_entry *entry = points[i].entry;
        const int is_new = i == 0 || points[i - 1].entry->op != entry->op;
        const double shift = spread ? spread_shift(spread, &points[i]) : 0;
        colors += is_new;
        const char *color = plot_color(colors - 1);
        add_point(out, points[i].x * pow(10, shift / roofline_x_pixels_a_decade(v)), points[i].y,
                  marker_of(model, entry), color, 1.7, 1.0);
        if (is_new)
            add_key(out, model->ws->ops[entry->op].spec->name, 7, plot_color(colors - 1), 1.4);
    }
    free(spread);
    add_dtype_keys(model, points, count, out);
}

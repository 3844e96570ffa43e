/* The data of the speedup chart: a group of bars for each op and dtype, a bar for each size. */
#include "report/plots/plot.h"
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values stand across their bars while these are few, along them while they fit, and are left out beyond: the tables have them. */
enum {
    MAX_COLUMNS = 2 * OPSPEC_MAX_SIZES,
    UPRIGHT_SLOTS = 60, /* slots are places for bars, missing ones included */
    UPRIGHT_PIXELS = 38,
    TURNED_PIXELS = 15,
    FRAME_PIXELS = 330,
    MOST_PIXELS = 2600
};

typedef struct bar {
    int group, size;
    double ratio;
} bar;

typedef struct chart {
    const char *sizes[MAX_COLUMNS]; /* size names over all ops, in their order */
    int size_count, group_count, bar_count;
    bar bars[512];
    char groups[128][80];
    double low, high;
} chart;

static int size_column(chart *c, const char *name)
{
    for (int i = 0; i < c->size_count; i++)
        if (strcmp(c->sizes[i], name) == 0)
            return i;
    if (c->size_count == MAX_COLUMNS)
        return MAX_COLUMNS - 1;
    c->sizes[c->size_count] = name;
    return c->size_count++;
}

static void add_bars(const report_model *model, const report_rows *rows, chart *c)
{
    const opspec *spec = model->ws->ops[rows->op].spec;
    const report_row *best = &rows->row[rows->best];
    const int before = c->bar_count;
    for (int s = 0; s < rows->sizes && c->bar_count < 512 && c->group_count < 128; s++) {
        /* Shapes from the real world are each one op's: columns for all of them would leave no room for bars. */
        if (spec->sizes[s].source[0] != '\0' || !report_has_time(best->entries[s], REPORT_COLD))
            continue;
        const report_entry *peer = report_fastest_peer(model, best->entries[s], REPORT_COLD);
        if (!peer)
            continue;
        const double ratio =
            peer->figures[REPORT_COLD].mean_us / best->entries[s]->figures[REPORT_COLD].mean_us;
        c->bars[c->bar_count++] = (bar){c->group_count, size_column(c, spec->sizes[s].name), ratio};
        c->low = fmin(c->low, ratio);
        c->high = fmax(c->high, ratio);
    }
    if (c->bar_count > before)
        snprintf(c->groups[c->group_count++], sizeof c->groups[0], "%s %s%s", spec->name,
                 report_dtype_name(spec, rows->dtype), strcmp(best->math_mode, "tf32") == 0 ? " (tf32)" : "");
}

static double bottom_of(const chart *c, int is_log)
{
    return is_log ? fmin(0.8, c->low / 1.5) : 0.0;
}
static int slots_of(const chart *c)
{
    return c->group_count * c->size_count;
}

static double top_of(const chart *c, int is_log)
{
    return is_log ? fmax(1.25, c->high * 1.6)
                  : fmax(1.2, c->high * (slots_of(c) > UPRIGHT_SLOTS ? 1.2 : 1.12));
}

/* On top of the bar, but above the line at 1 where that would run through the text. */
static double label_height(const chart *c, double ratio, int is_log)
{
    const double low = bottom_of(c, is_log), high = top_of(c, is_log);
    const double below = is_log ? log(1 / ratio) / log(high / low) : (1 - ratio) / (high - low);
    return is_log || (below > 0 && below < 0.08) ? fmax(1.0, ratio) : ratio;
}

static void put_bars(const chart *c, int is_log, json_t *out)
{
    const double width = 0.84 / c->size_count;
    for (int i = 0; i < c->bar_count; i++) {
        const bar *b = &c->bars[i];
        const double middle = b->group + (b->size - (c->size_count - 1) / 2.0) * width,
                     base = is_log ? 1.0 : 0.0;
        json_t *item = context_add(out, "bars");
        context_put(item, "middle", "%.4f", middle);
        context_put(item, "low_x", "%.4f", middle - width * 0.46);
        context_put(item, "high_x", "%.4f", middle + width * 0.46);
        context_put(item, "low_y", "%.5g", fmin(base, b->ratio));
        context_put(item, "high_y", "%.5g", fmax(base, b->ratio));
        context_put(item, "size", "%d", b->size);
        if (slots_of(c) * TURNED_PIXELS + FRAME_PIXELS > MOST_PIXELS)
            continue;
        char text[32];
        json_t *label = context_add(out, "values");
        text_ratio(text, sizeof text, b->ratio);
        context_put(label, "x", "%.4f", middle);
        context_put(label, "y", "%.5g", label_height(c, b->ratio, is_log));
        context_put(label, "text", "%.*s", (int)strlen(text) - 1, text);
    }
    for (int g = 0; g < c->group_count; g++) {
        char quoted[200];
        json_t *item = context_add(out, "groups");
        plot_quote(quoted, sizeof quoted, c->groups[g]);
        context_put(item, "x", "%d", g);
        context_put(item, "text", "%s", quoted);
        context_put(item, "comma", "%s", g + 1 < c->group_count ? ", " : "");
    }
    for (int s = 0; s < c->size_count; s++) {
        char quoted[200];
        json_t *item = context_add(out, "sizes");
        plot_quote(quoted, sizeof quoted, c->sizes[s]);
        context_put(item, "column", "%d", s);
        context_put(item, "text", "%s", quoted);
        context_put(item, "color", "%s", plot_size_color(s, c->size_count));
    }
}

static void put_frame(const report_model *model, const chart *c, int is_log, const char *name, json_t *out)
{
    char text[512], quoted[600];
    snprintf(text, sizeof text, "Speedup of the best kernels: %s, %.10s", model->device,
             *model->time ? model->time : "date unknown");
    plot_quote(quoted, sizeof quoted, text);
    const int slots = slots_of(c), turned = slots > UPRIGHT_SLOTS;
    int width = FRAME_PIXELS + slots * (turned ? TURNED_PIXELS : UPRIGHT_PIXELS);
    width = width < 900 ? 900 : width > MOST_PIXELS ? MOST_PIXELS : width;
    context_put(out, "name", "%s", name);
    context_put(out, "title", "%s", quoted);
    context_put(out, "warning", "%s",
                model->cpu ? "CPU SIMT device timings, never comparable with a GPU." : "");
    context_put(out, "note",
                "Fastest peer at each size / kernel, cold figures; above 1 the kernel is faster.");
    context_put(out, "width", "%d", width);
    size_t longest =
        0; /* names are slanted where they would not fit side by side, at about 8 pixels a letter */
    for (int g = 0; g < c->group_count; g++)
        longest = strlen(c->groups[g]) > longest ? strlen(c->groups[g]) : longest;
    const int slanted = (double)longest * 8 > (width - 250.0) / c->group_count;
    context_put(out, "height", "%d", slanted ? 600 : 520);
    context_put(out, "left", "%.5f", 85.0 / width);
    context_put(out, "right", "%.5f", 1 - 165.0 / width);
    context_put(out, "key_left", "%.5f", 1 - 150.0 / width);
    context_put(out, "x0", "%.2f", -0.6);
    context_put(out, "x1", "%.2f", c->group_count - 0.4);
    context_put(out, "y0", "%.4g", bottom_of(c, is_log));
    context_put(out, "y1", "%.4g", top_of(c, is_log));
    json_object_set_new(out, "log", json_boolean(is_log));
    json_object_set_new(out, "slanted", json_boolean(slanted));
    json_object_set_new(out, "turned", json_boolean(turned));
}

json_t *plot_speedup_context(const report_model *model, const char *name)
{
    chart *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->low = INFINITY;
    c->high = 0;
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            report_rows rows;
            report_rows_build(model, o, d, REPORT_COLD, &rows);
            if (rows.best >= 0)
                add_bars(model, &rows, c);
        }
    json_t *out = NULL;
    if (c->bar_count) {
        const int is_log = c->high / fmin(c->low, 1.0) > 10 || c->low < 0.1;
        out = json_object();
        put_frame(model, c, is_log, name, out);
        put_bars(c, is_log, out);
        context_close_list(out, "values");
    }
    free(c);
    return out;
}

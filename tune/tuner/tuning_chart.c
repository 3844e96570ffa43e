/* The chart of a tuning run: see tuning_chart.h. */
#include "tune/tuner/tuning_chart.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 320, LEFT = 70, RIGHT = 20, TOP = 20, BOTTOM = 40 };

typedef struct chart_scale {
    double least_us, most_us, most_s;
} chart_scale;

static double x_of(const chart_scale *s, double seconds)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (s->most_s > 0 ? seconds / s->most_s : 0);
}

/* Logarithmic: the worst configuration may be a hundred times slower than the best. */
static double y_of(const chart_scale *s, double us)
{
    const double range = log(s->most_us / s->least_us);
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (range > 0 ? log(us / s->least_us) / range : 0.5);
}

static int find_scale(const tune_outcome *out, chart_scale *s)
{
    int count = 0;
    *s = (chart_scale){.least_us = INFINITY};
    for (int i = 0; i < out->count; i++) {
        s->most_s = fmax(s->most_s, out->elapsed_s[i]);
        if (out->candidates[i].status != EVALUATION_SUCCESS)
            continue;
        s->least_us = fmin(s->least_us, out->candidates[i].time_us);
        s->most_us = fmax(s->most_us, out->candidates[i].time_us);
        count++;
    }
    return count;
}

static void draw_axes(FILE *f, const chart_scale *s)
{
    fprintf(f, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP, HEIGHT - BOTTOM,
            WIDTH - RIGHT);
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g us</text>\n", LEFT - 6, TOP + 4, s->most_us);
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g us</text>\n", LEFT - 6, HEIGHT - BOTTOM + 4,
            s->least_us);
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f s</text>\n", WIDTH - RIGHT,
            HEIGHT - BOTTOM + 18, s->most_s);
    fprintf(f, "<text x=\"%d\" y=\"%d\">0</text>\n", LEFT, HEIGHT - BOTTOM + 18);
}

static void draw(FILE *f, const tune_outcome *out, const chart_scale *s)
{
    double best = NAN;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"11\" fill=\"#444\">\n"
            "<title>Time of every configuration, and the best so far</title>\n<rect width=\"%d\" "
            "height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(f, s);
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        const double x = x_of(s, out->elapsed_s[i]);
        if (c->status == EVALUATION_SUCCESS)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#4477aa\"/>\n", x,
                    y_of(s, c->time_us));
        else
            fprintf(f, "<path d=\"M%.1f %dv8\" stroke=\"#cc3311\"/>\n", x, TOP - 8);
    }
    fputs("<path fill=\"none\" stroke=\"#228833\" stroke-width=\"1.5\" d=\"", f);
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        if (c->status != EVALUATION_SUCCESS || c->time_us >= best)
            continue;
        fprintf(f, "%s%.1f%s%.1f", isnan(best) ? "M" : "H", x_of(s, out->elapsed_s[i]),
                isnan(best) ? " " : "V", y_of(s, c->time_us));
        best = c->time_us;
    }
    fprintf(f,
            "H%d\"/>\n<text x=\"%d\" y=\"%d\">dots: configurations; line: best so far; red: "
            "failed</text>\n</svg>\n",
            WIDTH - RIGHT, LEFT + 60, HEIGHT - BOTTOM + 32);
}

assay_status tuning_chart_write(const tune_outcome *out, const char *path, assay_error *error)
{
    chart_scale scale;
    char *text = NULL;
    size_t bytes = 0;
    if (find_scale(out, &scale) < 2)
        return assay_error_set(error, ASSAY_ERR_INVALID, "fewer than two configurations have a time");
    FILE *f = open_memstream(&text, &bytes);
    if (f)
        draw(f, out, &scale);
    if (!f || fclose(f) != 0) {
        free(text);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

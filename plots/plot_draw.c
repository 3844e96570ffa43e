/* Scripts to pictures: renders a template, runs gnuplot, replaces the pictures only when it succeeded. */
#include "plot.h"
#include "json_file.h"
#include "process.h"
#include "template.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *plot_color(int index)
{
    /* Okabe and Ito's palette, told apart with colour-blind eyes too, then darker relatives for long lists. */
    static const char *const colors[] = {"#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7",
                                         "#8C6D1F", "#7A5195", "#4D4D4D", "#A3123F", "#5B8C00", "#1B4F9C"};
    return colors[(unsigned)index % (sizeof colors / sizeof *colors)];
}

const char *plot_peer_color(int index)
{
    static const char *const colors[] = {"#000000", "#7B2CBF", "#0A58CA", "#B02A37", "#146C43", "#6C4A00"};
    return colors[(unsigned)index % (sizeof colors / sizeof *colors)];
}

const char *plot_size_color(int index, int count)
{
    static const char *const colors[] = {"#BFD7EA", "#7FB0D5", "#3F7FB5", "#0B3C6F", "#062038"};
    const int all = (int)(sizeof colors / sizeof *colors);
    return colors[count <= all ? index : index * all / count];
}

void plot_quote(char *out, size_t bytes, const char *text)
{
    size_t n = 0;
    for (; *text && n + 3 < bytes; text++) {
        if (*text == '\'')
            out[n++] = '\'';
        out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    out[n] = '\0';
}

/* Does the picture end as its format demands? gnuplot succeeds although the disk was full. */
static int is_complete(const char *path, const char *ending)
{
    char tail[64] = "";
    const size_t length = strlen(ending);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    size_t bytes = fseek(file, -(long)(sizeof tail), SEEK_END) == 0 ? fread(tail, 1, sizeof tail, file) : 0;
    fclose(file);
    for (; bytes >= length; bytes--)
        if (memcmp(tail + bytes - length, ending, length) == 0)
            return 1;
    return 0;
}

static void first_line(const char *text, char *out, size_t bytes)
{
    while (*text == '\n' || *text == ' ' || *text == '\t')
        text++;
    snprintf(out, bytes, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Run gnuplot with the pictures' temporary names set by -e; rename them if both are there. */
static plot_outcome run_gnuplot(const char *gnuplot, const char *base, char *reason, size_t reason_bytes)
{
    char script[4400], svg[4400], png[4400], svg_new[4500], png_new[4500], quoted[2][4600], set[9400],
        detail[300], ended[128];
    snprintf(script, sizeof script, "%s.gp", base);
    snprintf(svg, sizeof svg, "%s.svg", base);
    snprintf(png, sizeof png, "%s.png", base);
    snprintf(svg_new, sizeof svg_new, "%s.tmp.%ld", svg, (long)getpid());
    snprintf(png_new, sizeof png_new, "%s.tmp.%ld", png, (long)getpid());
    plot_quote(quoted[0], sizeof quoted[0], svg_new);
    plot_quote(quoted[1], sizeof quoted[1], png_new);
    snprintf(set, sizeof set, "svg='%s'; png='%s'", quoted[0], quoted[1]);
    const char *const arguments[] = {gnuplot, "-e", set, script, NULL};
    process_result result;
    process_run(arguments, 120, 1, &result);
    const int drawn = result.end == PROCESS_EXITED && result.code == 0 && is_complete(svg_new, "</svg>") &&
                      is_complete(png_new, "IEND");
    plot_outcome outcome = PLOT_DRAWN;
    if (drawn && rename(svg_new, svg) == 0 && rename(png_new, png) == 0) {
        process_result_release(&result);
        return outcome;
    }
    unlink(svg_new);
    unlink(png_new);
    if (result.end == PROCESS_NOT_STARTED || (result.end == PROCESS_EXITED && result.code == 127)) {
        snprintf(reason, reason_bytes,
                 "no plots were drawn: '%s' is not there; install it (Debian, Ubuntu: gnuplot-nox) and run "
                 "'assay report' again, or run gnuplot on the .gp files elsewhere",
                 gnuplot);
        outcome = PLOT_NO_GNUPLOT;
    } else {
        process_describe(&result, ended, sizeof ended);
        first_line(result.output ? result.output : "", detail, sizeof detail);
        const int cut = !drawn && result.end == PROCESS_EXITED && result.code == 0;
        snprintf(reason, reason_bytes, "%s: %s %s%s%s", script, gnuplot,
                 drawn ? strerror(errno)
                 : cut ? "left pictures that are not complete: is the disk full?"
                       : ended,
                 *detail ? ": " : "", detail);
        outcome = PLOT_FAILED;
    }
    process_result_release(&result);
    return outcome;
}

assay_status plot_draw(const workspace *ws, const char *template_name, const char *name,
                       const json_t *context, const char *gnuplot, plot_outcome *outcome, char *reason,
                       size_t reason_bytes, assay_error *error)
{
    char base[4352], script[4400];
    text_buffer text = {0};
    snprintf(base, sizeof base, "%s/%s", ws->plots, name);
    snprintf(script, sizeof script, "%s.gp", base);
    assay_status status = template_render_file(ws->templates, template_name, context, &text, error);
    if (status == ASSAY_OK)
        status = text_file_write(script, text_get(&text), text.length, error);
    text_release(&text);
    if (status == ASSAY_OK)
        *outcome = run_gnuplot(gnuplot, base, reason, reason_bytes);
    return status;
}

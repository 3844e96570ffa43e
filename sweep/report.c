/* logs/OP_sweep.md: see report.h. */
#include "sweep/report.h"
#include "core/json_file.h"
#include "core/output_folder.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

/* Where the time went; of shapes that were known before, none. */
static void put_seconds(text_buffer *text, const sweep_outcome *out, int timed)
{
    double told_s = 0;
    text_printf(text, "\nSeconds: %.1f verifying", out->verify_s);
    for (int i = 0; timed && i < GROUP_PHASES; i++) {
        text_printf(text, "%s %s %.1f",
                    i ? "," : "; of the processes that time:", group_phase_name((group_phase)i),
                    out->phases_s[i]);
        told_s += out->phases_s[i];
    }
    if (timed)
        text_printf(text, ", other %.1f", fmax(out->timing_s - told_s, 0));
    text_puts(text, ".\n");
}

static void put_head(text_buffer *text, const sweep_outcome *out, const sweep_summary *summary,
                     const sweep_request *request)
{
    text_printf(text, "# %s over %d unseen shapes\n\n", out->op->spec->name, out->shapes->count);
    text_printf(text, "    %s\n\n", request->command);
    text_printf(text, "Device: %s. %d cases: %d right, **%d wrong**, %d refused, %d left; %.0f s.\n",
                request->device, summary->all.shapes, summary->all.right, summary->all.wrong,
                summary->all.refused, summary->all.left, out->seconds);
    if (request->timed)
        text_printf(text,
                    "A ratio is the time of the best baseline over the kernel's, timing mode %s: above 1 the "
                    "kernel is faster. "
                    "Baselines: %s.\n",
                    timing_mode_name(request->mode), request->baselines);
    put_seconds(text, out, request->timed);
    if (request->timed && strncmp(request->device, "cpu", 3) == 0)
        text_puts(text, "These are times of the CPU device, never comparable with a GPU's.\n");
    if (request->missed[0])
        text_printf(text, "\n**Required and missed: %s.**\n", request->missed);
    if (out->interrupted)
        text_puts(text, "\nThe run was interrupted; the same command goes on.\n");
}

static void put_wrong(text_buffer *text, const sweep_outcome *out)
{
    char shape[256], reason[600];
    int shown = 0;
    for (int i = 0; i < out->count; i++) {
        const sweep_case *c = &out->cases[i];
        if (c->status != SWEEP_WRONG)
            continue;
        if (shown++ == 0)
            text_puts(
                text,
                "\n## Wrong\n\n| variant | dtype | shape | what | repeat with |\n|---|---|---|---|---|\n");
        shape_text(out->shapes->shapes[c->shape].shape, shape, sizeof shape);
        text_markdown(reason, sizeof reason, c->reason, 0);
        text_printf(text, "| %s | %s | %s | %s | `%s` |\n", c->variant, assay_dtype_name(c->dtype), shape,
                    reason, c->command);
    }
}

/* Without times there is nothing to say of ratios. */
static void put_lines(text_buffer *text, const sweep_summary *summary, int timed)
{
    text_puts(text, "\n## Distribution\n\n| variant | dtype | shapes | right | wrong | refused |");
    text_puts(text, timed ? " compared | minimum | p10 | median | geometric mean |\n" : "\n");
    text_puts(text, "|---|---|--:|--:|--:|--:|");
    text_puts(text, timed ? "--:|--:|--:|--:|--:|\n" : "\n");
    for (int i = 0; i < summary->count; i++) {
        const sweep_line *l = &summary->lines[i];
        const double values[] = {l->minimum, l->p10, l->median, l->geomean};
        text_printf(text, "| %s | %s | %d | %d | %d | %d |", l->variant, assay_dtype_name(l->dtype),
                    l->shapes, l->right, l->wrong, l->refused);
        if (timed)
            text_printf(text, " %d |", l->compared);
        for (int k = 0; timed && k < 4; k++) {
            char ratio[32];
            sweep_ratio_text(ratio, sizeof ratio, values[k]);
            text_printf(text, " %s |", ratio);
        }
        text_puts(text, "\n");
    }
}

typedef struct family_line {
    const char *name;
    int cases, wrong, compared;
    double logs, least;
} family_line;

static void add_to_family(family_line *line, const sweep_case *c)
{
    const int compared = c->status == SWEEP_COMPARED;
    line->cases++;
    line->wrong += c->status == SWEEP_WRONG;
    line->compared += compared;
    line->logs += compared ? log(c->ratio) : 0;
    line->least = compared ? fmin(line->least, c->ratio) : line->least;
}

static void put_family(text_buffer *text, const family_line *line, int timed)
{
    char least[32], mean[32];
    sweep_ratio_text(least, sizeof least, line->compared ? line->least : NAN);
    sweep_ratio_text(mean, sizeof mean, line->compared ? exp(line->logs / line->compared) : NAN);
    text_printf(text, "| %s | %d | %d |", line->name, line->cases, line->wrong);
    if (timed)
        text_printf(text, " %s | %s |", least, mean);
    text_puts(text, "\n");
}

/* Where a kernel is weak, by the kind of shape. A list that was given may have any number of names. */
static void put_families(text_buffer *text, const sweep_outcome *out, int timed)
{
    enum { MOST_FAMILIES = 64 };
    family_line lines[MOST_FAMILIES];
    int count = 0;
    for (int i = 0; i < out->count; i++) {
        const char *name = out->shapes->shapes[out->cases[i].shape].family;
        int at = 0;
        while (at < count && strcmp(lines[at].name, name) != 0)
            at++;
        if (name[0] == '\0' || at == MOST_FAMILIES)
            continue;
        if (at == count)
            lines[count++] = (family_line){.name = name, .least = INFINITY};
        add_to_family(&lines[at], &out->cases[i]);
    }
    if (count == 0)
        return;
    text_puts(text, "\n## Families\n\n| family | cases | wrong |");
    text_puts(text, timed ? " minimum | geometric mean |\n|---|--:|--:|--:|--:|\n" : "\n|---|--:|--:|\n");
    for (int i = 0; i < count; i++)
        put_family(text, &lines[i], timed);
}

static void put_worst(text_buffer *text, const sweep_outcome *out)
{
    int worst[SWEEP_WORST];
    const int count = sweep_worst(out, SWEEP_WORST, worst);
    if (count > 0)
        text_puts(text, "\n## Worst\n\n| ratio | dtype | family | kernel (us) | best baseline | its time "
                        "(us) | repeat with |\n"
                        "|--:|---|---|--:|---|--:|---|\n");
    for (int i = 0; i < count; i++) {
        const sweep_case *c = &out->cases[worst[i]];
        char ratio[32], ours[32], best[32];
        sweep_ratio_text(ratio, sizeof ratio, c->ratio);
        text_us(ours, sizeof ours, c->time_us);
        text_us(best, sizeof best, c->best_us);
        text_printf(text, "| %s | %s | %s | %s | %s | %s | `%s` |\n", ratio, assay_dtype_name(c->dtype),
                    out->shapes->shapes[c->shape].family, ours, c->best, best, c->command);
    }
}

static void put_refused(text_buffer *text, const sweep_outcome *out)
{
    char shape[256], reason[300];
    int shown = 0;
    for (int i = 0; i < out->count; i++) {
        const sweep_case *c = &out->cases[i];
        if (c->status != SWEEP_REFUSED)
            continue;
        if (shown++ == 0)
            text_puts(text, "\n## Refused\n\n| variant | dtype | shape | why |\n|---|---|---|---|\n");
        shape_text(out->shapes->shapes[c->shape].shape, shape, sizeof shape);
        text_markdown(reason, sizeof reason, c->reason, 160);
        text_printf(text, "| %s | %s | %s | %s |\n", c->variant, assay_dtype_name(c->dtype), shape, reason);
    }
}

static void put_plot(text_buffer *text, const workspace *ws, const char *log, const char *name,
                     const char *about)
{
    char picture[4500], relative[4500], folder[4500];
    snprintf(picture, sizeof picture, "%s/%s.svg", ws->plots, name);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(log, '/') - log), log);
    text_relative(relative, sizeof relative, folder, picture);
    text_printf(text, "\n![%s](%s)\n", about, relative);
}

static assay_status put_plots(text_buffer *text, const workspace *ws, const sweep_outcome *out,
                              const char *log, assay_error *error)
{
    char name[ASSAY_NAME_MAX + 16], part[ASSAY_NAME_MAX + 32], why[600];
    int heat = 0;
    snprintf(name, sizeof name, "%s_sweep", out->op->spec->name);
    assay_status status = output_folder_prepare(ws->plots, error);
    if (status == ASSAY_OK)
        status = sweep_plots_draw(ws, out, name, &heat, why, sizeof why, error);
    if (status != ASSAY_OK)
        return status;
    text_puts(text, "\n## Plots\n");
    if (why[0]) {
        text_printf(text, "\n%s\n", why);
        return ASSAY_OK;
    }
    snprintf(part, sizeof part, "%s_dims", name);
    put_plot(text, ws, log, part, "Ratio against each dimension");
    snprintf(part, sizeof part, "%s_heat", name);
    if (heat)
        put_plot(text, ws, log, part, "Geometric mean of the ratio over two dimensions");
    return ASSAY_OK;
}

assay_status sweep_report_write(const workspace *ws, const sweep_outcome *out, const sweep_summary *summary,
                                const sweep_request *request, int no_plots, char *path, size_t path_bytes,
                                assay_error *error)
{
    text_buffer text = {0};
    snprintf(path, path_bytes, "%s/%s_sweep.md", ws->logs, out->op->spec->name);
    put_head(&text, out, summary, request);
    put_wrong(&text, out);
    put_lines(&text, summary, request->timed);
    put_families(&text, out, request->timed);
    put_worst(&text, out);
    put_refused(&text, out);
    assay_status status = output_folder_prepare(ws->logs, error);
    if (status == ASSAY_OK && !no_plots && summary->all.compared > 0)
        status = put_plots(&text, ws, out, path, error);
    if (status == ASSAY_OK && text.failed)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for %s", path);
    if (status == ASSAY_OK)
        status = text_file_write(path, text_get(&text), text.length, error);
    text_release(&text);
    return status;
}

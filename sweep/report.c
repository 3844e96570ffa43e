/* logs/OP_sweep.md: see report.h. */
#include "sweep/report.h"
#include "core/json_file.h"
#include "core/output_folder.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

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

static void put_lines(text_buffer *text, const sweep_summary *summary)
{
    text_puts(text, "\n## Distribution\n\n| variant | dtype | shapes | right | wrong | refused | compared | "
                    "minimum | p10 | median | "
                    "geometric mean |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < summary->count; i++) {
        const sweep_line *l = &summary->lines[i];
        char ratio[4][32];
        text_ratio(ratio[0], sizeof ratio[0], l->minimum);
        text_ratio(ratio[1], sizeof ratio[1], l->p10);
        text_ratio(ratio[2], sizeof ratio[2], l->median);
        text_ratio(ratio[3], sizeof ratio[3], l->geomean);
        text_printf(text, "| %s | %s | %d | %d | %d | %d | %d | %s | %s | %s | %s |\n", l->variant,
                    assay_dtype_name(l->dtype), l->shapes, l->right, l->wrong, l->refused, l->compared,
                    ratio[0], ratio[1], ratio[2], ratio[3]);
    }
}

/* Shape families: where a kernel is weak, by the kind of shape. */
static void put_families(text_buffer *text, const sweep_outcome *out)
{
    char done[64][ASSAY_NAME_MAX];
    int count = 0;
    for (int i = 0; i < out->shapes->count; i++) {
        const char *family = out->shapes->shapes[i].family;
        int known = family[0] == '\0' || count == 64, cases = 0, wrong = 0, compared = 0;
        double logs = 0, least = INFINITY;
        char ratio[2][32];
        for (int k = 0; k < count && !known; k++)
            known = strcmp(done[k], family) == 0;
        if (known)
            continue;
        if (count == 0)
            text_puts(text, "\n## Families\n\n| family | cases | wrong | minimum | geometric mean "
                            "|\n|---|--:|--:|--:|--:|\n");
        snprintf(done[count++], ASSAY_NAME_MAX, "%s", family);
        for (int k = 0; k < out->count; k++) {
            const sweep_case *c = &out->cases[k];
            if (strcmp(out->shapes->shapes[c->shape].family, family) != 0)
                continue;
            cases++;
            wrong += c->status == SWEEP_WRONG;
            compared += c->status == SWEEP_COMPARED;
            logs += c->status == SWEEP_COMPARED ? log(c->ratio) : 0;
            least = c->status == SWEEP_COMPARED ? fmin(least, c->ratio) : least;
        }
        text_ratio(ratio[0], sizeof ratio[0], compared ? least : NAN);
        text_ratio(ratio[1], sizeof ratio[1], compared ? exp(logs / compared) : NAN);
        text_printf(text, "| %s | %d | %d | %s | %s |\n", family, cases, wrong, ratio[0], ratio[1]);
    }
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
        text_ratio(ratio, sizeof ratio, c->ratio);
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
    put_lines(&text, summary);
    put_families(&text, out);
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

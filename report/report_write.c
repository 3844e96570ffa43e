/* Writes all reports of a results folder: plots first, all at once, for the logs show them, then logs, then
 * the summary that lists them. */
#include "report/report.h"
#include "core/json_file.h"
#include "core/output_folder.h"
#include "report/report_context.h"
#include "report/report_load.h"
#include "report/report_model.h"
#include "report/report_summary.h"
#include "report/report_text.h"
#include "report/template.h"
#include "report/plots/plot.h"
#include <stdlib.h>
#include <string.h>

/* One run of report_write: where it stands. The first failure is the call's, and the rest is still written;
 * further failures are messages. */
typedef struct writer {
    const report_model *model;
    const report_options *options;
    report_summary *summary;
    assay_status status;
    assay_error *error;
    plot_list plots;
    int gnuplot_missing;
    char no_plots[512];
} writer;

static void say(const writer *w, const char *text)
{
    if (w->options->messages)
        fprintf(w->options->messages, "%s\n", text);
}

static void keep(writer *w, assay_status status, const assay_error *error)
{
    if (status == ASSAY_OK)
        return;
    if (w->status != ASSAY_OK) {
        say(w, error->message);
        return;
    }
    w->status = assay_error_set(w->error, status, "%s", error->message);
}

static void add_file(writer *w, const char *path)
{
    json_array_append_new(w->summary->files, json_string(path));
}

static void write_rendered(writer *w, const char *template_name, const char *path, const json_t *context)
{
    text_buffer text = {0};
    assay_error error = {0};
    assay_status status =
        template_render_file(w->model->ws->templates, template_name, context, &text, &error);
    if (status == ASSAY_OK)
        status = text_file_write(path, text_get(&text), text.length, &error);
    if (status == ASSAY_OK)
        add_file(w, path);
    text_release(&text);
    keep(w, status, &error);
}

/* Takes over `context`; NULL: nothing to draw. */
static void add_plot(writer *w, const char *template_name, const char *name, json_t *context)
{
    assay_error error = {0};
    if (!context)
        return;
    keep(w, plot_add(w->model->ws, template_name, name, context, &w->plots, &error), &error);
    json_decref(context);
}

static void name_roofline(const writer *w, int op, char *out, size_t bytes)
{
    snprintf(out, bytes, "roofline_%s", w->model->ws->ops[op].spec->name);
}

static void draw_all(writer *w)
{
    char name[128];
    if (w->options->no_plots)
        return;
    for (int op = 0; op < w->model->ws->op_count; op++) {
        name_roofline(w, op, name, sizeof name);
        if (report_op_has_files(w->model, op))
            add_plot(w, "roofline.gp", name, plot_roofline_context(w->model, op, name));
    }
    add_plot(w, "roofline.gp", "roofline_all", plot_roofline_context(w->model, PLOT_ALL_OPS, "roofline_all"));
    add_plot(w, "speedup.gp", "speedup", plot_speedup_context(w->model, "speedup"));
    plot_draw_all(w->model->ws, w->options->gnuplot ? w->options->gnuplot : "gnuplot", &w->plots);
}

/* Lists the plot's files and says what went wrong; 1 if NAME.svg and NAME.png are there now. */
static int take_plot(writer *w, const char *name)
{
    static const char *const ends[] = {"gp", "svg", "png"};
    assay_error error = {0};
    char path[4400];
    const plot_job *job = plot_find(&w->plots, name);
    if (!job)
        return 0;
    for (int i = 0; i < (job->outcome == PLOT_DRAWN ? 3 : 1); i++) {
        snprintf(path, sizeof path, "%s/%s.%s", w->model->ws->plots, name, ends[i]);
        add_file(w, path);
    }
    if (job->outcome == PLOT_NO_GNUPLOT && !w->gnuplot_missing++)
        say(w, job->reason);
    if (job->outcome == PLOT_FAILED)
        keep(w, assay_error_set(&error, ASSAY_ERR_ENVIRONMENT, "%s", job->reason), &error);
    if (job->outcome != PLOT_DRAWN && (job->outcome == PLOT_FAILED || w->gnuplot_missing == 1))
        snprintf(w->no_plots, sizeof w->no_plots, "%s", job->reason);
    w->summary->plots_drawn += job->outcome == PLOT_DRAWN;
    return job->outcome == PLOT_DRAWN;
}

static void relative_plot(const writer *w, const char *name, char *out, size_t bytes)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s.svg", w->model->ws->plots, name);
    text_relative(out, bytes, w->model->ws->logs, path);
}

static void write_op(writer *w, int op)
{
    char name[128], roofline[4400] = "", path[4400];
    const char *op_name = w->model->ws->ops[op].spec->name;
    if (!report_op_has_files(w->model, op))
        return;
    name_roofline(w, op, name, sizeof name);
    if (take_plot(w, name))
        relative_plot(w, name, roofline, sizeof roofline);
    snprintf(path, sizeof path, "%s/%s_log.md", w->model->ws->logs, op_name);
    json_t *context = context_op_log(w->model, op, roofline);
    write_rendered(w, "op_log.md", path, context);
    json_decref(context);
}

/* The files written, summary.md and summary.json included, as paths relative to the log folder, sorted. */
static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *relative_files(const writer *w)
{
    const size_t count = json_array_size(w->summary->files);
    json_t *out = json_array();
    char(*paths)[1024] = calloc(count + 2, sizeof *paths);
    const char **sorted = calloc(count + 2, sizeof *sorted);
    for (size_t i = 0; paths && sorted && i < count + 2; i++) {
        if (i < count)
            text_relative(paths[i], sizeof paths[i], w->model->ws->logs,
                          json_string_value(json_array_get(w->summary->files, i)));
        else
            snprintf(paths[i], sizeof paths[i], "%s", i == count ? "summary.md" : "summary.json");
        sorted[i] = paths[i];
    }
    if (paths && sorted) {
        qsort(sorted, count + 2, sizeof *sorted, compare_texts);
        for (size_t i = 0; i < count + 2; i++)
            json_array_append_new(out, json_string(sorted[i]));
    }
    free(sorted);
    free(paths);
    return out;
}

static void write_summary(writer *w)
{
    char roofline[4400] = "", speedup[4400] = "", path[4400];
    if (take_plot(w, "roofline_all"))
        relative_plot(w, "roofline_all", roofline, sizeof roofline);
    if (take_plot(w, "speedup"))
        relative_plot(w, "speedup", speedup, sizeof speedup);
    json_t *files = relative_files(w);
    json_t *context = summary_context(w->model, w->summary, files, roofline, speedup, w->no_plots);
    snprintf(path, sizeof path, "%s/summary.md", w->model->ws->logs);
    write_rendered(w, "summary.md", path, context);
    json_decref(context);
    assay_error error = {0};
    json_object_set_new(w->summary->json, "files", files);
    snprintf(path, sizeof path, "%s/summary.json", w->model->ws->logs);
    const assay_status status = json_file_write(path, w->summary->json, 0, &error);
    if (status == ASSAY_OK)
        add_file(w, path);
    keep(w, status, &error);
}

static void name_unreadable(const writer *w)
{
    char line[1100];
    for (int i = 0; i < w->model->unreadable.count; i++) {
        snprintf(line, sizeof line, "%s: skipped: %s", w->model->unreadable.items[i].file,
                 w->model->unreadable.items[i].reason);
        say(w, line);
    }
}

/* A folder that cannot be written to is one failure, not one a file. Links are relative to the logs' folder,
 * so it is made first. */
static assay_status prepare_folders(const writer *w)
{
    const workspace *ws = w->model->ws;
    const assay_status status = output_folder_prepare(ws->logs, w->error);
    return status == ASSAY_OK && !w->options->no_plots ? output_folder_prepare(ws->plots, w->error) : status;
}

assay_status report_write(const workspace *ws, const char *results_dir, const report_options *options,
                          report_summary *summary, assay_error *error)
{
    static const report_options defaults = {0};
    report_summary unused = {0};
    report_summary *filled = summary ? summary : &unused;
    *filled = (report_summary){.files = json_array(), .model = calloc(1, sizeof(report_model))};
    report_model *model = filled->model;
    if (!model)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a report");
    assay_status status = report_model_read(ws, results_dir, model, error);
    if (status == ASSAY_OK) {
        writer w = {
            .model = model, .options = options ? options : &defaults, .summary = filled, .error = error};
        assay_error unreadable = {0};
        summary_collect(model, filled);
        status = prepare_folders(&w);
        if (status == ASSAY_OK) {
            name_unreadable(&w);
            draw_all(&w);
            for (int op = 0; op < ws->op_count; op++)
                write_op(&w, op);
            write_summary(&w);
            keep(&w, report_model_verdict(model, &unreadable), &unreadable);
            status = w.status;
        }
        plot_list_release(&w.plots);
    }
    report_summary_release(&unused);
    return status;
}

void report_summary_release(report_summary *summary)
{
    json_decref(summary->files);
    json_decref(summary->json);
    if (summary->model)
        report_model_release(summary->model);
    free(summary->model);
    *summary = (report_summary){0};
}

/* dashboard_write: the order in which a site comes about. */
#include "core/json_file.h"
#include "dashboard/site.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void finish_op(site *s)
{
    char **op = site_grow(s, &s->ops, &s->op_count, &s->op_capacity, sizeof *op);
    if (op == NULL)
        return;
    *op = site_copy(s, s->op);
    site_find_trends(s);
    site_find_static_metrics(s);
    site_write_op_data(s);
    site_add_overview(s);
    site_release_series(s);
}

static void release(site *s)
{
    site_release_series(s);
    for (int i = 0; i < s->commit_count; i++) {
        free(s->commits[i].hash);
        free(s->commits[i].subject);
    }
    for (int i = 0; i < s->card_count; i++) {
        free(s->cards[i].uuid);
        free(s->cards[i].driver);
        free(s->cards[i].runtime);
        free(s->cards[i].compute);
    }
    for (int i = 0; i < s->model_count; i++) {
        free(s->models[i].slug);
        free(s->models[i].name);
        free(s->models[i].device_kind);
    }
    for (int i = 0; i < s->log_count; i++) {
        free(s->logs[i].op);
        free(s->logs[i].page);
        free(s->logs[i].roofline);
        free(s->logs[i].title);
    }
    for (int i = 0; i < s->op_count; i++)
        free(s->ops[i]);
    free(s->commits);
    free(s->cards);
    free(s->models);
    free(s->logs);
    free(s->ops);
    free(s->op);
    text_release(&s->overview);
}

static assay_status check_options(const dashboard_options *options, assay_error *error)
{
    const char *url = options->commit_url;
    if (url != NULL && strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "commit URL \"%s\": it must begin with https:// or http://", url);
    return ASSAY_OK;
}

/* Whoever's pages lie there already stay: an earlier site is known by its style sheet. */
static assay_status check_folder(const char *out, assay_error *error)
{
    char path[PATH_MAX], *text = NULL;
    if (out[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_INVALID, "the name of the folder for the pages is empty");
    snprintf(path, sizeof path, "%s/index.html", out);
    if (text_file_read(path, &text, NULL, NULL) != ASSAY_OK)
        return ASSAY_OK;
    const int ours = strstr(text, "assets/dashboard.css") != NULL;
    free(text);
    return ours ? ASSAY_OK
                : assay_error_set(error, ASSAY_ERR_INVALID,
                                  "%s is no page of a dashboard and would be replaced; name another folder",
                                  path);
}

assay_status dashboard_write(history *h, const char *out, const dashboard_options *options,
                             dashboard_summary *summary, assay_error *error)
{
    static const dashboard_options defaults = {0};
    dashboard_summary unused;
    site s = {.h = h,
              .out = out,
              .options = options ? options : &defaults,
              .summary = summary ? summary : &unused,
              .error = error};
    *s.summary = (dashboard_summary){0};
    s.status = check_options(s.options, error);
    if (s.status == ASSAY_OK)
        s.status = check_folder(out, error);
    if (s.status == ASSAY_OK && site_collect(&s, finish_op) == ASSAY_OK && s.op_count == 0)
        s.status = assay_error_set(error, ASSAY_ERR_INVALID,
                                   "the history holds no matching results; `assay ingest RESULTS` adds some");
    if (s.status == ASSAY_OK) {
        site_write_logs(&s);
        site_write_environment(&s);
        site_write_pages(&s);
        site_write_overview_data(&s);
    }
    s.summary->ops = s.op_count;
    s.summary->commits = s.commit_count;
    const assay_status status = s.status;
    release(&s);
    return status;
}

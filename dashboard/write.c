/* dashboard_write: the order in which a site comes about, and what its parts share. */
#include "json_file.h"
#include "site.h"
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void site_fail(site *s, assay_status status, const assay_error *error)
{
    if (status == ASSAY_OK)
        return;
    if (s->status == ASSAY_OK)
        s->status = assay_error_set(s->error, status, "%s", error->message);
    else
        site_say(s, "%s", error->message);
}

void site_say(const site *s, const char *format, ...)
{
    if (s->options->messages == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(s->options->messages, format, arguments);
    va_end(arguments);
    fputc('\n', s->options->messages);
}

static void fail_for_memory(site *s)
{
    const assay_error error = {.status = ASSAY_ERR_NO_MEMORY, .message = "no memory for the dashboard"};
    site_fail(s, error.status, &error);
}

void *site_grow(site *s, void *items, int *count, int *capacity, size_t bytes)
{
    char *array; /* read and written through memcpy: `items` points to a pointer of some other type */
    memcpy(&array, items, sizeof array);
    if (*count == *capacity) {
        const int larger = *capacity ? 2 * *capacity : 16;
        array = realloc(array, (size_t)larger * bytes);
        if (array == NULL) {
            fail_for_memory(s);
            return NULL;
        }
        memcpy(items, &array, sizeof array);
        *capacity = larger;
    }
    char *item = array + (size_t)(*count)++ * bytes;
    memset(item, 0, bytes);
    return item;
}

char *site_copy(site *s, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        fail_for_memory(s);
        abort(); /* a few bytes: there is nothing left to report with */
    }
    return copy;
}

void site_write_file(site *s, const char *name, const char *text, size_t bytes)
{
    char path[PATH_MAX];
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", s->out, name);
    site_fail(s, text_file_write(path, text, bytes, &error), &error);
}

static void finish_op(site *s)
{
    char **op = site_grow(s, &s->ops, &s->op_count, &s->op_capacity, sizeof *op);
    if (op == NULL)
        return;
    *op = site_copy(s, s->op);
    site_find_trends(s);
    site_find_static_figures(s);
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

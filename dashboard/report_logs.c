/* The logs of reports as pages of the site: OP_log.md and summary.md of each report folder, with the plots they show copied into
 * plots/. Which card a folder is of, its summary.json says. */
#include "core/json_file.h"
#include "dashboard/markdown.h"
#include "dashboard/site.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct log_folder {
    site *s;
    const char *path;
    char slug[128], name[160];
    int model;
    char roofline[512]; /* of the log at hand */
} log_folder;

static int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void page_name(const log_folder *folder, const char *op, char *out, size_t out_bytes)
{
    char before[256];
    site_file_name("log-", folder->slug, op[0] ? "-" : "", before, sizeof before);
    site_file_name(before, op, ".html", out, out_bytes);
}

/* Copy a plot that a log shows into the site. Only what an <img> shows is taken, and only below a name made here. */
static int copy_plot(log_folder *folder, const char *url, char *out, size_t out_bytes)
{
    char from[PATH_MAX], before[256], stem[256];
    const char *base = strrchr(url, '/') ? strrchr(url, '/') + 1 : url;
    const char *end = ends_with(base, ".svg") ? ".svg" : ends_with(base, ".png") ? ".png" : NULL;
    if (end == NULL || strstr(url, "://") != NULL)
        return 0;
    snprintf(from, sizeof from, "%s%s%s", url[0] == '/' ? "" : folder->path, url[0] == '/' ? "" : "/", url);
    char *text = NULL;
    size_t bytes = 0;
    if (text_file_read(from, &text, &bytes, NULL) != ASSAY_OK) {
        site_say(folder->s, "%s: not there; the log is shown without it", from);
        return 0;
    }
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(base) - strlen(end)), base);
    site_file_name("plots/", folder->slug, "-", before, sizeof before);
    site_file_name(before, stem, end, out, out_bytes);
    site_write_file(folder->s, out, text, bytes);
    free(text);
    if (folder->roofline[0] == '\0' && strncmp(base, "roofline_", 9) == 0)
        snprintf(folder->roofline, sizeof folder->roofline, "%s", out);
    return 1;
}

/* Links between logs lead to their pages, web links stay, all else (files that the site does not hold) loses its link. */
static int map_reference(void *context, const char *url, int is_image, char *out, size_t out_bytes)
{
    log_folder *folder = context;
    if (is_image)
        return copy_plot(folder, url, out, out_bytes);
    if (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0) {
        snprintf(out, out_bytes, "%s", url);
        return 1;
    }
    char op[128] = "";
    if (strchr(url, '/') != NULL || !(ends_with(url, "_log.md") || strcmp(url, "summary.md") == 0))
        return 0;
    if (ends_with(url, "_log.md"))
        snprintf(op, sizeof op, "%.*s", (int)(strlen(url) - strlen("_log.md")), url);
    page_name(folder, op, out, out_bytes);
    return 1;
}

static void keep_log(log_folder *folder, const char *op, const char *page, const char *title)
{
    site *s = folder->s;
    site_log *log = site_grow(s, &s->logs, &s->log_count, &s->log_capacity, sizeof *log);
    if (log == NULL)
        return;
    log->model = folder->model;
    log->op = site_copy(s, op);
    log->page = site_copy(s, page);
    log->roofline = site_copy(s, folder->roofline);
    log->title = site_copy(s, title);
    s->summary->logs++;
}

static int has_op_page(const site *s, const char *op)
{
    for (int i = 0; i < s->op_count; i++)
        if (strcmp(s->ops[i], op) == 0)
            return 1;
    return 0;
}

static void write_log(log_folder *folder, const char *file, const char *op)
{
    char path[PATH_MAX], page[512], title[320], op_page[256];
    assay_error error = {0};
    char *text = NULL;
    size_t bytes = 0;
    text_buffer html = {0};
    snprintf(path, sizeof path, "%s/%s", folder->path, file);
    folder->roofline[0] = '\0';
    assay_status status = text_file_read(path, &text, &bytes, &error);
    if (status == ASSAY_OK)
        status = markdown_to_html(text, bytes, map_reference, folder, &html, &error);
    free(text);
    if (status == ASSAY_OK) {
        snprintf(title, sizeof title, op[0] ? "%s on %s" : "%s%s", op, folder->name);
        page_name(folder, op, page, sizeof page);
        site_file_name("op-", op, ".html", op_page, sizeof op_page);
        site_write_page(folder->s, "log.html", page,
                        json_pack("{s:o, s:s, s:b, s:o, s:s}", "title", html_json(title), "content",
                                  text_get(&html), "has_op", has_op_page(folder->s, op), "op", html_json(op),
                                  "op_page", op_page));
        keep_log(folder, op, page, title);
    }
    site_fail(folder->s, status, &error);
    text_release(&html);
}

static int is_log(const struct dirent *entry)
{
    return ends_with(entry->d_name, "_log.md") || strcmp(entry->d_name, "summary.md") == 0;
}

static void read_identity(log_folder *folder)
{
    char path[PATH_MAX];
    json_t *summary = NULL;
    snprintf(path, sizeof path, "%s/summary.json", folder->path);
    if (json_file_read(path, &summary, NULL) != ASSAY_OK)
        site_say(folder->s, "%s: not there or broken, so the card of these logs is not known", path);
    const json_t *device = json_object_get(summary, "device");
    snprintf(folder->slug, sizeof folder->slug, "%s", json_get_text(device, "slug", "card"));
    snprintf(folder->name, sizeof folder->name, "%s", json_get_text(device, "name", "an unknown card"));
    json_decref(summary);
    folder->model = -1;
    for (int i = 0; i < folder->s->model_count; i++)
        if (strcmp(folder->s->models[i].slug, folder->slug) == 0)
            folder->model = i;
}

static void write_folder(site *s, const char *path)
{
    log_folder folder = {.s = s, .path = path};
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_log, alphasort);
    assay_error error = {0};
    if (count < 0)
        site_fail(s,
                  assay_error_set(&error, ASSAY_ERR_INVALID, "%s: cannot be read: %s", path, strerror(errno)),
                  &error);
    else if (count == 0)
        site_say(s, "%s: no logs there (OP_log.md); run `assay report` first", path);
    else
        read_identity(&folder);
    for (int i = 0; i < count; i++) {
        char op[256] = "";
        if (ends_with(entries[i]->d_name, "_log.md"))
            snprintf(op, sizeof op, "%.*s", (int)(strlen(entries[i]->d_name) - strlen("_log.md")),
                     entries[i]->d_name);
        write_log(&folder, entries[i]->d_name, op);
        free(entries[i]);
    }
    free(entries);
}

void site_write_logs(site *s)
{
    for (int i = 0; i < s->options->report_count && s->status == ASSAY_OK; i++)
        write_folder(s, s->options->reports[i]);
}

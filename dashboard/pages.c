/* Pages from the embedded templates, and the assets that they share. */
#include "dashboard/assets.h"
#include "dashboard/site.h"
#include "report/template.h"
#include <string.h>

static const dashboard_asset *find_asset(const char *name)
{
    const dashboard_asset *asset = dashboard_assets;
    while (asset->name != NULL && strcmp(asset->name, name) != 0)
        asset++;
    return asset; /* every name asked for is in CMakeLists.txt; a wrong one would render nothing and fail all tests */
}

static const char *site_title(const site *s)
{
    return s->options->title ? s->options->title : "Assay";
}

/* A page: the template inside the frame with navigation. "title" of the context, if any, is the page's title; "scripts" its scripts. */
void site_write_page(site *s, const char *template_name, const char *file, json_t *context)
{
    text_buffer inner = {0}, page = {0};
    assay_error error = {0};
    json_object_set_new_nocheck(context, "site", html_json(site_title(s)));
    assay_status status = template_render(template_name, (const char *)find_asset(template_name)->data,
                                          context, &inner, &error);
    const json_t *title = json_object_get(context, "title"), *scripts = json_object_get(context, "scripts");
    json_t *frame =
        json_pack("{s:o, s:s, s:b, s:s, s:b, s:b, s:b, s:O?}", "site", html_json(site_title(s)), "title",
                  title ? json_string_value(title) : "", "has_title", title != NULL, "content",
                  text_get(&inner), "on_overview", strcmp(template_name, "index.html") == 0, "on_cases",
                  strcmp(template_name, "cases.html") == 0, "on_environment",
                  strcmp(template_name, "environment.html") == 0, "scripts", scripts);
    if (scripts == NULL)
        json_object_set_new(frame, "scripts", json_array());
    if (status == ASSAY_OK)
        status =
            template_render("frame.html", (const char *)find_asset("frame.html")->data, frame, &page, &error);
    if (status == ASSAY_OK)
        site_write_file(s, file, text_get(&page), page.length);
    site_fail(s, status, &error);
    s->summary->pages += status == ASSAY_OK;
    json_decref(frame);
    json_decref(context);
    text_release(&inner);
    text_release(&page);
}

/* The logs of an op, "" for the reports' summaries. */
static json_t *logs_json(const site *s, const char *op)
{
    json_t *out = json_array();
    for (int i = 0; i < s->log_count; i++)
        if (strcmp(s->logs[i].op, op) == 0)
            json_array_append_new(
                out, json_pack("{s:s, s:o}", "page", s->logs[i].page, "title", html_json(s->logs[i].title)));
    return out;
}

static json_t *rooflines_json(const site *s, const char *op)
{
    json_t *out = json_array();
    for (int i = 0; i < s->log_count; i++)
        if (strcmp(s->logs[i].op, op) == 0 && s->logs[i].roofline[0] != '\0')
            json_array_append_new(out, json_pack("{s:s, s:o}", "path", s->logs[i].roofline, "title",
                                                 html_json(s->logs[i].title)));
    return out;
}

static json_t *ops_json(const site *s)
{
    json_t *out = json_array();
    for (int i = 0; i < s->op_count; i++) {
        char page[256];
        site_file_name("op-", s->ops[i], ".html", page, sizeof page);
        json_array_append_new(out, json_pack("{s:s, s:o}", "page", page, "name", html_json(s->ops[i])));
    }
    return out;
}

static void write_op_page(site *s, const char *op)
{
    char page[256], data[256];
    site_file_name("op-", op, ".html", page, sizeof page);
    site_file_name("data/op-", op, ".js", data, sizeof data);
    json_t *logs = logs_json(s, op), *rooflines = rooflines_json(s, op);
    site_write_page(s, "op.html", page,
                    json_pack("{s:o, s:o, s:b, s:o, s:b, s:o, s:[s, s, s, s, s]}", "title", html_json(op),
                              "ops", ops_json(s), "has_logs", json_array_size(logs) > 0, "logs", logs,
                              "has_rooflines", json_array_size(rooflines) > 0, "rooflines", rooflines,
                              "scripts", "assets/common.js", "data/site.js", data, "assets/chart.js",
                              "assets/op.js"));
}

void site_write_pages(site *s)
{
    json_t *reports = logs_json(s, "");
    site_write_page(s, "index.html", "index.html",
                    json_pack("{s:o, s:o, s:[s, s, s, s]}", "reports", reports, "ops", ops_json(s), "scripts",
                              "assets/common.js", "data/site.js", "data/overview.js", "assets/best.js"));
    site_write_page(s, "cases.html", "cases.html",
                    json_pack("{s:s, s:[s, s, s, s]}", "title", "Cases", "scripts", "assets/common.js",
                              "data/site.js", "data/overview.js", "assets/overview.js"));
    for (int i = 0; i < s->op_count; i++)
        write_op_page(s, s->ops[i]);
    for (const dashboard_asset *asset = dashboard_assets; asset->name != NULL; asset++) {
        char path[256];
        const size_t n = strlen(asset->name);
        if (n > 5 && strcmp(asset->name + n - 5, ".html") == 0)
            continue;
        snprintf(path, sizeof path, "assets/%s", asset->name);
        site_write_file(s, path, (const char *)asset->data, asset->bytes);
    }
}

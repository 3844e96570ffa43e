/* assay dashboard: the history as a folder of pages. */
#include "dashboard/dashboard.h"
#include "cli/history_db.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_REPORTS = 32 };

typedef struct dashboard_arguments {
    cli_options common;
    history_options history;
    dashboard_options site;
    const char *out;
    const char *reports[MAX_REPORTS];
} dashboard_arguments;

enum { KEY_TITLE = 0x400, KEY_COMMIT_URL };

static const struct argp_option options_list[] = {
    {"out", 'O', "DIR", 0, "write the pages there (default: dashboard/ in the build folder, else here)", 1},
    {"logs", 'l', "DIR", 0,
     "logs of a report to show, with their plots; may be given for each card (default: the build's)", 1},
    {"title", KEY_TITLE, "TEXT", 0, "title of the site (default: Assay)", 1},
    {"commit-url", KEY_COMMIT_URL, "URL", 0, "link commits to URL followed by their hash", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    dashboard_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->history;
        return 0;
    case 'O':
        a->out = argument;
        return 0;
    case 'l':
        if (a->site.report_count == MAX_REPORTS)
            argp_error(state, "--logs: at most %d folders", MAX_REPORTS);
        a->reports[a->site.report_count++] = argument;
        return 0;
    case KEY_TITLE:
        a->site.title = argument;
        return 0;
    case KEY_COMMIT_URL:
        a->site.commit_url = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_summary(const dashboard_arguments *a, const char *out, const dashboard_summary *s)
{
    if (a->common.json)
        cli_print_json(json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "folder", out, "pages", s->pages,
                                 "ops", s->ops, "series", s->series, "points", s->points, "commits",
                                 s->commits, "changes", s->changes, "logs", s->logs));
    else
        printf("%s/index.html: %d pages, %d ops, %d trends over %d commits with %d changes, %d logs\n", out,
               s->pages, s->ops, s->series, s->commits, s->changes, s->logs);
}

/* What was not said: the workspace's folder and logs, where there is a workspace. */
static void use_workspace(dashboard_arguments *a, const workspace *ws, char out[PATH_MAX])
{
    char summary[PATH_MAX];
    if (a->out != NULL)
        snprintf(out, PATH_MAX, "%s", a->out);
    else
        snprintf(out, PATH_MAX, "%s%sdashboard", ws ? ws->path : "", ws ? "/" : "");
    snprintf(summary, sizeof summary, "%s/summary.json", ws ? ws->logs : "");
    if (a->site.report_count == 0 && ws != NULL && access(summary, R_OK) == 0)
        a->reports[a->site.report_count++] = ws->logs;
}

static int run(dashboard_arguments *a, history *h, const workspace *ws)
{
    char out[PATH_MAX];
    dashboard_summary summary = {0};
    assay_error error = {0};
    use_workspace(a, ws, out);
    a->site.reports = a->reports;
    a->site.messages = stderr;
    const history_filter *filter = cli_history_filter(&a->history, &a->common);
    a->site.filter = filter;
    if (a->common.dry_run) {
        printf("would write %s/index.html with %d folders of logs\n", out, a->site.report_count);
        return ASSAY_EXIT_OK;
    }
    if (dashboard_write(h, out, &a->site, &summary, &error) != ASSAY_OK)
        return cli_fail("dashboard", &error);
    print_summary(a, out, &summary);
    return ASSAY_EXIT_OK;
}

int command_dashboard(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .doc = "Write the history as web pages: trends over commits with change points, rooflines, logs, "
               "environment.\v"
               "Open DIR/index.html in a browser; no server and no network are needed. Exit status: 0 done, "
               "2 wrong use or an "
               "empty history, 3 the history cannot be read or the pages not be written.",
        .children = cli_history_children,
    };
    dashboard_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    history *h = NULL;
    workspace *ws = NULL;
    int exit_status = a.common.build ? cli_open("dashboard", &a.common, &ws) : ASSAY_EXIT_OK;
    if (exit_status == ASSAY_EXIT_OK && a.common.build == NULL)
        workspace_open(NULL, &ws, NULL); /* a history alone is enough */
    if (exit_status == ASSAY_EXIT_OK)
        exit_status = cli_open_history("dashboard", &a.common, a.history.db, HISTORY_READ, &h);
    if (exit_status == ASSAY_EXIT_OK) {
        exit_status = run(&a, h, ws);
        history_close(h);
    }
    workspace_close(ws);
    return exit_status;
}

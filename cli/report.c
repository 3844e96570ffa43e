/* assay report: logs, summary, plots and the terminal table from a folder of results. */
#include "cli/cli.h"
#include "outside/results_json.h"
#include "report/report.h"
#include <limits.h>
#include <stdio.h>

typedef struct report_arguments {
    cli_options common;
    const char *folder, *compact, *logs, *plots;
    int no_plots, table_only, all;
} report_arguments;

static const struct argp_option report_options_list[] = {
    {"compact", 'c', "OUT", 0,
     "copy the results into OUT with samples as quantiles, for keeping in a repository", 1},
    {"logs", 'l', "DIR", 0, "write logs there instead of the build's logs folder", 1},
    {"plots", 'p', "DIR", 0, "write plots there instead of the build's plots folder", 1},
    {"no-plots", 'P', NULL, 0, "write logs only", 1},
    {"table", 'T', NULL, 0, "print the table only, of what --op and --dtype select; write nothing", 1},
    {"all", 'a', NULL, 0, "in the table every kernel, baseline, size and reason", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    report_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'c':
        a->compact = argument;
        return 0;
    case 'l':
        a->logs = argument;
        return 0;
    case 'p':
        a->plots = argument;
        return 0;
    case 'P':
        a->no_plots = 1;
        return 0;
    case 'T':
        a->table_only = 1;
        return 0;
    case 'a':
        a->all = 1;
        return 0;
    case ARGP_KEY_END:
        if (a->common.filter.variants != NULL || a->common.filter.sizes != NULL)
            argp_error(state, "--%s: an op's kernels are compared with each other over all sizes",
                       a->common.filter.variants != NULL ? "variant" : "size");
        if (!a->table_only && (a->common.filter.ops != NULL || a->common.filter.dtypes != NULL))
            argp_error(state, "--%s: needs --table; logs and plots cover all cases",
                       a->common.filter.ops != NULL ? "op" : "dtype");
        return 0;
    case ARGP_KEY_ARG:
        if (a->folder != NULL)
            argp_error(state, "one results folder is expected");
        a->folder = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static assay_status write_all(const report_arguments *a, const workspace *ws, const char *results,
                              assay_error *error)
{
    int exported = 0;
    if (a->compact != NULL) {
        const assay_status kept = report_export(results, a->compact, &exported, stderr, error);
        if (a->common.json)
            cli_print_json(json_pack("{s:i}", "exported", exported));
        return kept;
    }
    if (a->table_only && a->common.json) {
        cli_print_json(json_pack("{s:o}", "results", results_json(results, &a->common.filter)));
        return ASSAY_OK;
    }
    if (a->table_only)
        return report_table(ws, results, NULL, &a->common.filter, a->all, stdout, error);
    report_summary summary = {0};
    const report_options options = {.no_plots = a->no_plots, .messages = stderr};
    assay_status status = report_write(ws, results, &options, &summary, error);
    if (a->common.json) {
        json_dumpf(summary.json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else if (status == ASSAY_OK || status == ASSAY_ERR_FORMAT) {
        const assay_status table = report_table(ws, results, &summary, NULL, a->all, stdout, NULL);
        if (status == ASSAY_OK)
            status = table;
    }
    report_summary_release(&summary);
    return status;
}

int command_report(int argc, char **argv)
{
    static const struct argp argp = {
        .options = report_options_list,
        .parser = parse,
        .args_doc = "[RESULTS]",
        .doc =
            "Write OP_log.md, summary.md and the plots from the results of one card, and print the table.\v"
            "RESULTS is a folder of results (of one card, of a build, or an unpacked bundle that has run); "
            "default: the build's. "
            "A file that cannot be read is named, skipped and makes the exit status 2; the rest is written.",
        .children = cli_filter_children,
    };
    report_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    const int exit_status = cli_open("report", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    char results[PATH_MAX];
    if (a.logs != NULL)
        snprintf(ws->logs, sizeof ws->logs, "%s", a.logs);
    if (a.plots != NULL)
        snprintf(ws->plots, sizeof ws->plots, "%s", a.plots);
    assay_status status = cli_check_filter(ws, &a.common.filter, &error);
    if (status == ASSAY_OK)
        status = cli_find_card(a.folder ? a.folder : ws->results_base, results, &error);
    if (status == ASSAY_OK && a.common.dry_run)
        printf("would report %s into %s and %s\n", results, ws->logs, ws->plots);
    else if (status == ASSAY_OK)
        status = write_all(&a, ws, results, &error);
    workspace_close(ws);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("report", &error);
}

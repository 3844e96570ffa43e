/* assay targets: what the best kernels should reach against what they did. */
#include "cli/cli.h"
#include "report/targets.h"
#include "report/report_load.h"
#include <limits.h>
#include <stdio.h>

typedef struct targets_arguments {
    cli_options common;
    const char *results;
    int markdown, all;
} targets_arguments;

static const struct argp_option options_list[] = {
    {"markdown", 'M', NULL, 0, "print a table of Markdown", 1},
    {"all", 'a', NULL, 0, "a line for each size, not only for the worst", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    targets_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'M':
        a->markdown = 1;
        return 0;
    case 'a':
        a->all = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (a->results != NULL)
            argp_error(state, "one results folder is expected");
        a->results = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->common.filter.variants != NULL)
            argp_error(state, "--variant: targets are of the best kernel");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(const workspace *ws, const targets_arguments *a)
{
    char results[PATH_MAX];
    assay_error error = {0};
    report_model model = {0};
    target_list list = {0};
    assay_status status = cli_check_filter(ws, &a->common.filter, &error);
    if (status == ASSAY_OK)
        status = cli_find_card(a->results ? a->results : ws->results_base, results, &error);
    if (status == ASSAY_OK)
        status = report_model_read(ws, results, &model, &error);
    if (status == ASSAY_OK)
        status = targets_judge(&model, &a->common.filter, &list, &error);
    if (status == ASSAY_OK && a->common.json)
        cli_print_json(targets_json(&model, &list));
    else if (status == ASSAY_OK)
        targets_print(&model, &list, a->all, a->markdown, stdout);
    const int exit_status = status != ASSAY_OK                     ? cli_fail("targets", &error)
                            : list.counts[TARGET_MET] < list.count ? ASSAY_EXIT_CHECK
                                                                   : ASSAY_EXIT_OK;
    targets_release(&list);
    report_model_release(&model);
    return exit_status;
}

int command_targets(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[RESULTS]",
        .doc = "Hold the best kernels against a copy of the same bytes and the best baselines, and print "
               "each rule "
               "with what was measured.\v"
               "RESULTS is a folder of results as for `assay report`; default: the build's. Exit status 1 if "
               "a target is missed or was not measured.",
        .children = cli_filter_children,
    };
    targets_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("targets", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    exit_status = run(ws, &a);
    workspace_close(ws);
    return exit_status;
}

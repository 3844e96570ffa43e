/* assay export: the history as a table for other programs. */
#include "history/export.h"
#include "cli/history_db.h"
#include "core/json_file.h"
#include "dashboard/tool_formats.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct export_arguments {
    cli_options common;
    history_options history;
    const char *output;
    int csv, wide, is_tool_format;
    tool_format tool;
} export_arguments;

enum { KEY_CSV = 0x300, KEY_WIDE, KEY_FORMAT };

static const struct argp_option options_list[] = {
    {"csv", KEY_CSV, NULL, 0, "CSV with timestamp, name, ms, tflops, status, config (the default)", 1},
    {"format", KEY_FORMAT, "NAME", 0,
     "the newest results for another tool: github-action-benchmark (customSmallerIsBetter), google-benchmark "
     "or bencher "
     "(Bencher Metric Format); or csv or json",
     1},
    {"wide", KEY_WIDE, NULL, 0, "further columns: median, interval, card, driver, commit, ...", 1},
    {"output", 'O', "FILE", 0, "write there instead of to standard output", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    export_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->history;
        return 0;
    case KEY_CSV:
        a->csv = 1;
        return 0;
    case KEY_FORMAT:
        if (strcmp(argument, "csv") == 0)
            a->csv = 1;
        else if (strcmp(argument, "json") == 0)
            a->common.json = 1;
        else if (!(a->is_tool_format = tool_format_parse(argument, &a->tool)))
            argp_error(state,
                       "--format: csv, json, github-action-benchmark, google-benchmark or bencher is "
                       "expected, not \"%s\"",
                       argument);
        return 0;
    case KEY_WIDE:
        a->wide = 1;
        return 0;
    case 'O':
        if (argument[0] == '\0')
            argp_error(state, "--output: the name of the file is empty");
        a->output = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->csv + a->common.json + a->is_tool_format > 1)
            argp_error(state, "--csv, --json or a --format, not several");
        if (a->is_tool_format && a->wide)
            argp_error(state, "--wide is for CSV");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static assay_status write_rows(history *h, const export_arguments *a, FILE *out, assay_error *error)
{
    const export_format format = a->common.json ? EXPORT_JSON : EXPORT_CSV;
    if (a->is_tool_format)
        return tool_format_write(h, &a->history.filter, a->tool, out, NULL, error);
    return history_export(h, &a->history.filter, format, a->wide, out, NULL, error);
}

/* To a temporary name beside FILE, renamed when whole; what is no file is written as it is. */
static assay_status write_file(history *h, const export_arguments *a, assay_error *error)
{
    char temporary[4400];
    const int stream = path_is_stream(a->output);
    if (stream)
        snprintf(temporary, sizeof temporary, "%s", a->output);
    else
        snprintf(temporary, sizeof temporary, "%s.tmp.%ld", a->output, (long)getpid());
    FILE *out = fopen(temporary, "w");
    if (!out)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
    assay_status status = write_rows(h, a, out, error);
    if (fclose(out) != 0 && status == ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
    if (stream)
        return status;
    if (status == ASSAY_OK && rename(temporary, a->output) != 0)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot replace %s: %s", a->output, strerror(errno));
    if (status != ASSAY_OK)
        unlink(temporary);
    return status;
}

int command_export(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .doc = "Write the history as CSV, or with --json as JSON: one row a timing mode of a result; or with "
               "--format the newest results for "
               "another tool.\v"
               "Exit status: 0 done, 2 wrong use or a file that is no history, 3 the history cannot be read "
               "or the output not be written.",
        .children = cli_history_children,
    };
    export_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    history *h = NULL;
    assay_error error = {0};
    int exit_status = cli_open_history("export", &a.common, a.history.db, HISTORY_READ, &h);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    if (a.common.dry_run) {
        printf("would write %s\n", a.output ? a.output : "to standard output");
        history_close(h);
        return ASSAY_EXIT_OK;
    }
    cli_history_filter(&a.history, &a.common);
    const assay_status status = a.output ? write_file(h, &a, &error) : write_rows(h, &a, stdout, &error);
    if (status != ASSAY_OK)
        exit_status = cli_fail("export", &error);
    history_close(h);
    return exit_status;
}

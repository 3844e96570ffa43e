/* assay archive: what tuning runs have tried. */
#include "tune/archive/archive_export.h"
#include "tune/archive/archive_stats.h"
#include "cli/numbers.h"
#include "cli/archive_db.h"
#include "core/utf8.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct archive_arguments {
    cli_options common;
    const char *action, *file, *db, *output, *dims, *device, *run;
    int limit, full;
    archive_format format;
    json_t *rows;
    archive *open;
    int shown; /* rows */
} archive_arguments;

enum { KEY_DIMS = 0x400, KEY_RUN, KEY_FORMAT, KEY_FULL };

static const struct argp_option options_list[] = {
    {"db", 'D', "FILE", 0,
     "the archive (default: $ASSAY_ARCHIVE, else the only results/CARD/tuning.db of the build folder)", 1},
    {"limit", 'l', "N", 0, "best: rows of each problem (default: 5); history: rows (default: 20); 0: all", 1},
    {"device", 'c', "LIST", 0, "only these cards, by slug", 1},
    {"dims", KEY_DIMS, "TEXT", 0, "only problems of these dimensions: M=4096,N=4096,K=4096", 1},
    {"run", KEY_RUN, "ID", 0, "only this run; the beginning of its identifier is enough", 1},
    {"full", KEY_FULL, NULL, 0, "best and history with --json: sources, compiler reports and verdicts, too",
     1},
    {"format", KEY_FORMAT, "NAME", 0, "export: csv (the default), json or t4", 1},
    {"output", 'O', "FILE", 0, "export: write there instead of to standard output", 1},
    {0},
};

static error_t parse_argument(archive_arguments *a, char *argument, struct argp_state *state)
{
    static const char *const actions[] = {"best", "history", "stats", "export", "import"};
    if (a->action) {
        if (strcmp(a->action, "import") != 0 || a->file)
            argp_error(state, "\"%s\" is one argument too many", argument);
        a->file = argument;
        return 0;
    }
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i], argument) == 0)
            a->action = argument;
    if (a->action == NULL)
        argp_error(state, "best, history, stats, export or import is expected, not \"%s\"", argument);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    archive_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'D':
        a->db = argument;
        return 0;
    case 'l':
        a->limit = (int)cli_parse_whole(state, "limit", argument, 0, 1000000);
        return 0;
    case 'c':
        a->device = argument;
        return 0;
    case KEY_DIMS:
        a->dims = argument;
        return 0;
    case KEY_RUN:
        a->run = argument;
        return 0;
    case KEY_FULL:
        a->full = 1;
        return 0;
    case KEY_FORMAT:
        if (!archive_format_parse(argument, &a->format))
            argp_error(state, "--format: csv, json or t4 is expected, not \"%s\"", argument);
        return 0;
    case 'O':
        a->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(a, argument, state);
    case ARGP_KEY_END:
        if (a->action == NULL || (strcmp(a->action, "import") == 0 && a->file == NULL))
            argp_error(state, "%s",
                       a->action ? "import needs the T4 file" : "best, history, stats, export or import?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *number_text(double number, const char *format, char out[32])
{
    if (isfinite(number))
        snprintf(out, 32, format, number); // NOLINT(format-nonliteral): two formats of this file
    else
        snprintf(out, 32, "-");
    return out;
}

static void print_row(const archive_run *run, const archive_candidate *c)
{
    char us[32], speedup[32], when[32];
    const time_t seconds = (time_t)(c->recorded_ms / 1000);
    struct tm t;
    gmtime_r(&seconds, &t);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%MZ", &t);
    number_text(c->time_us, "%.3f", us);
    number_text(c->speedup, "%.3fx", speedup);
    clean_printf(stdout, "%s  %s %s %s %s  %11s us  %8s  %-18s %s  %s%s%s\n", when, run->problem.op,
                 run->problem.variant, run->problem.dtype, run->problem.size, us, speedup,
                 evaluation_status_name(c->status), c->values, c->provider, c->reason[0] ? ": " : "",
                 c->reason);
}

static assay_status take_row(void *context, const archive_run *run, const archive_candidate *c,
                             assay_error *error)
{
    archive_arguments *a = context;
    (void)error;
    a->shown++;
    if (!a->common.json) {
        print_row(run, c);
        return ASSAY_OK;
    }
    archive_candidate own = *c;
    if (!a->full)
        own.source = own.compile_report = own.verdict = "";
    json_array_append_new(a->rows, archive_candidate_json(run, &own));
    return ASSAY_OK;
}

static void print_title(size_t row, const char *title)
{
    if (row == 0)
        printf("\n%s\n", title);
}

static void print_stats(json_t *stats)
{
    size_t i;
    json_t *row;
    printf("%lld attempts in %lld runs, %.1f%% success\n",
           (long long)json_integer_value(json_object_get(stats, "attempts")),
           (long long)json_integer_value(json_object_get(stats, "runs")),
           100 * json_number_value(json_object_get(stats, "success_rate")));
    json_array_foreach(json_object_get(stats, "failures"), i, row)
    {
        print_title(i, "Failures");
        clean_printf(stdout, "%8lld  %s  %s\n", (long long)json_integer_value(json_object_get(row, "count")),
                     json_string_value(json_object_get(row, "status")),
                     json_string_value(json_object_get(row, "reason")));
    }
    json_array_foreach(json_object_get(stats, "parameters"), i, row)
    {
        print_title(i, "Parameter impact (share of the variance of log time)");
        clean_printf(stdout, "  %5.1f%%  %-24s best %-10s %s\n",
                     100 * json_number_value(json_object_get(row, "impact")),
                     json_string_value(json_object_get(row, "name")),
                     json_string_value(json_object_get(row, "best_value")),
                     json_string_value(json_object_get(row, "problem")));
    }
    json_array_foreach(json_object_get(stats, "stability"), i, row)
    {
        print_title(i, "Stability across sizes (share of the best time of each size)");
        clean_printf(stdout, "  worst %5.1f%%  mean %5.1f%%  of %lld sizes  %s  %s\n",
                     100 * json_number_value(json_object_get(row, "worst")),
                     100 * json_number_value(json_object_get(row, "mean")),
                     (long long)json_integer_value(json_object_get(row, "sizes")),
                     json_string_value(json_object_get(row, "kernel")),
                     json_string_value(json_object_get(row, "values")));
    }
}

static assay_status run_stats(archive_arguments *a, const archive_filter *filter, assay_error *error)
{
    json_t *stats = NULL;
    const assay_status status = archive_stats(a->open, filter, &stats, error);
    if (status != ASSAY_OK)
        return status;
    if (a->common.json) {
        cli_print_json(stats);
        return ASSAY_OK;
    }
    print_stats(stats);
    json_decref(stats);
    return ASSAY_OK;
}

/* To a temporary name, which is renamed when all of it is there. */
static assay_status run_export(const archive_arguments *a, const archive_filter *filter, assay_error *error)
{
    char temporary[4300];
    if (a->output == NULL)
        return archive_export(a->open, filter, a->format, stdout, NULL, error);
    snprintf(temporary, sizeof temporary, "%s.part", a->output);
    FILE *out = fopen(temporary, "w");
    if (out == NULL)
        return assay_error_set(error, ASSAY_ERR_IO, "%s: %s", temporary, strerror(errno));
    assay_status status = archive_export(a->open, filter, a->format, out, NULL, error);
    if (fclose(out) != 0 && status == ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_IO, "%s: %s", temporary, strerror(errno));
    if (status == ASSAY_OK && rename(temporary, a->output) != 0)
        status = assay_error_set(error, ASSAY_ERR_IO, "%s: %s", a->output, strerror(errno));
    if (status != ASSAY_OK)
        remove(temporary);
    return status;
}

static assay_status run_import(archive_arguments *a, assay_error *error)
{
    const case_filter *f = &a->common.filter;
    long added = 0;
    const archive_problem problem = {.op = f->ops ? f->ops : "imported",
                                     .variant = f->variants ? f->variants : "imported",
                                     .dtype = f->dtypes ? f->dtypes : "",
                                     .size = f->sizes ? f->sizes : "",
                                     .dims = a->dims ? a->dims : "",
                                     .device = a->device ? a->device : "",
                                     .arch = ""};
    const assay_status status = archive_import_t4(a->open, a->file, &problem, &added, error);
    if (status == ASSAY_OK)
        printf(a->common.json ? "{\"added\": %ld}\n" : "%ld candidates added\n", added);
    return status;
}

static assay_status run_action(archive_arguments *a, assay_error *error)
{
    const case_filter *f = &a->common.filter;
    const archive_filter filter = {.op = f->ops,
                                   .variant = f->variants,
                                   .dtype = f->dtypes,
                                   .size = f->sizes,
                                   .dims = a->dims,
                                   .device = a->device,
                                   .run = a->run};
    assay_status status = ASSAY_OK;
    if (strcmp(a->action, "stats") == 0)
        return run_stats(a, &filter, error);
    if (strcmp(a->action, "export") == 0)
        return run_export(a, &filter, error);
    if (strcmp(a->action, "import") == 0)
        return run_import(a, error);
    a->rows = json_array();
    if (strcmp(a->action, "best") == 0)
        status = archive_best(a->open, &filter, a->limit < 0 ? 5 : a->limit, take_row, a, error);
    else
        status = archive_history(a->open, &filter, a->limit < 0 ? 20 : a->limit, take_row, a, error);
    if (status == ASSAY_OK && a->common.json)
        cli_print_json(a->rows);
    else
        json_decref(a->rows);
    if (status == ASSAY_OK && !a->common.json && a->shown == 0)
        fputs("no candidate matches; `assay archive stats` counts all that there are\n", stderr);
    return status;
}

int command_archive(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "best|history|stats|export\nimport FILE",
        .doc = "Show what tuning runs have tried: the best configurations of each problem, the latest "
               "candidates, "
               "statistics, or all of it for another program. import adds the rows of a T4 file.",
        .children = cli_filter_children};
    archive_arguments a = {.limit = -1};
    assay_error error = {0};
    char path[4200];
    cli_parse(&argp, argc, argv, &a);
    const int writes = strcmp(a.action, "import") == 0;
    assay_status status = cli_archive_path(&a.common, a.db, path, &error);
    if (status == ASSAY_OK)
        status = archive_open(path, writes ? ARCHIVE_WRITE : ARCHIVE_READ, &a.open, &error);
    if (status == ASSAY_OK)
        status = run_action(&a, &error);
    archive_close(a.open);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("archive", &error);
}

/* assay ingest: put result files into the history. */
#include "cli/history_db.h"
#include "history/ingest.h"
#include "results/results_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct ingest_arguments {
    cli_options common;
    history_options history;
    const char *source;
    const char **paths;
    int count;
} ingest_arguments;

static const struct argp_option options_list[] = {
    {"source", 'S', "DIR", 0,
     "git tree that is asked for the commits' times (default: the workspace's, else here)", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    ingest_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->history;
        a->paths = calloc((size_t)state->argc + 1, sizeof *a->paths);
        return a->paths ? 0 : ENOMEM;
    case 'S':
        a->source = argument;
        return 0;
    case ARGP_KEY_ARG:
        a->paths[a->count++] = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_summary(const ingest_arguments *a, const ingest_summary *s)
{
    if (a->common.json)
        cli_print_json(json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "files", s->files, "added", s->added,
                                 "known", s->known, "completed", s->completed, "unreadable", s->unreadable,
                                 "snapshots", s->snapshots));
    else
        printf("%d results read: %d new, %d known, %d completed with their samples; %d files unusable; %d "
               "new snapshots\n",
               s->files, s->added, s->known, s->completed, s->unreadable, s->snapshots);
}

static assay_status name_file(void *context, results_item *item, assay_error *error)
{
    (void)context, (void)error;
    puts(item->path);
    result_free(item->result);
    return ASSAY_OK;
}

static assay_status name_files(const char *const *paths, int count, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < count; i++)
        status = results_each(paths[i], RESULTS_WITH_RESULTS | RESULTS_WITH_SNAPSHOTS, RESULT_LOAD_SUMMARY,
                              name_file, NULL, error);
    return status;
}

/* Without paths: the workspace's own results. `h` is NULL in a dry run. */
static assay_status run(history *h, const ingest_arguments *a, const workspace *ws, ingest_summary *summary,
                        assay_error *error)
{
    const char *source = a->source ? a->source : ws && ws->source[0] ? ws->source : ".";
    const ingest_options options = {.source = source, .messages = stderr};
    const char *own[] = {ws ? ws->results_base : NULL};
    if (a->count == 0 && !ws)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "no files or folders were given, and there is no build folder");
    if (a->count == 0 && access(own[0], R_OK) != 0)
        return ASSAY_OK; /* nothing measured yet: opening has migrated the file, if that was wanted */
    if (a->common.dry_run)
        return name_files(a->count ? a->paths : own, a->count ? a->count : 1, error);
    return history_ingest(h, a->count ? a->paths : own, a->count ? a->count : 1, &options, summary, error);
}

int command_ingest(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_no_filter_argp, 0, NULL, 0}, {&cli_db_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[DIR|FILE...]",
        .doc = "Put result files into the history, by default those of the build folder. What is there "
               "already stays one "
               "row, so folders may be given again. Several of these may run at once.\v"
               "Exit status: 0 done, 2 wrong use or unusable files (all others are in), 3 the history cannot "
               "be written.",
        .children = children,
    };
    ingest_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws = NULL;
    history *h = NULL;
    assay_error error = {0};
    ingest_summary summary = {0};
    int exit_status = a.common.dry_run
                          ? ASSAY_EXIT_OK
                          : cli_open_history("ingest", &a.common, a.history.db, HISTORY_WRITE, &h);
    if (exit_status == ASSAY_EXIT_OK) {
        if (workspace_open(a.common.build, &ws, NULL) != ASSAY_OK)
            ws = NULL;
        const assay_status status = run(h, &a, ws, &summary, &error);
        if (!a.common.dry_run && (status == ASSAY_OK || status == ASSAY_ERR_FORMAT))
            print_summary(&a, &summary);
        exit_status = status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("ingest", &error);
    }
    history_close(h);
    workspace_close(ws);
    free(a.paths);
    return exit_status;
}

/* assay merge: archives of many machines into one. */
#include "cli/archive_db.h"
#include "tune/executor/join.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 1024 };

typedef struct merge_arguments {
    cli_options common;
    const char *db, *files[MAX_FILES];
    int file_count;
} merge_arguments;

static const struct argp_option options_list[] = {
    {"db", 'D', "FILE", 0,
     "merge into this archive, which is made if it is missing (default: $ASSAY_ARCHIVE, else the only "
     "results/CARD/tuning.db of the build folder)",
     1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    merge_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'D':
        a->db = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->file_count == MAX_FILES)
            argp_error(state, "at most %d archives at once", MAX_FILES);
        a->files[a->file_count++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the archives to merge are missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int is_folder(const char *path)
{
    struct stat kind;
    return stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
}

static void tell(const merge_arguments *a, const char *path, const join_counts *n, json_t *rows)
{
    const archive_merge_counts *m = &n->archive;
    const long files = n->files_added + n->files_known;
    if (a->common.json)
        json_array_append_new(
            rows,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "archive", path, "runs_added",
                      (json_int_t)m->runs_added, "runs_known", (json_int_t)m->runs_known, "candidates_added",
                      (json_int_t)m->candidates_added, "candidates_known", (json_int_t)m->candidates_known,
                      "files_added", (json_int_t)n->files_added, "files_known", (json_int_t)n->files_known));
    else
        printf("%s: %ld runs and %ld candidates added; %ld runs and %ld candidates were known\n", path,
               m->runs_added, m->candidates_added, m->runs_known, m->candidates_known);
    if (!a->common.json && files > 0)
        printf("%s: %ld results and verdicts added; %ld were known\n", path, n->files_added, n->files_known);
}

/* A folder's results go to the build folder's, card by card. */
static assay_status merge_folder(const merge_arguments *a, const char *path, json_t *rows, assay_error *error)
{
    workspace *ws = NULL;
    join_counts counts;
    if (a->db)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--db is for archives; the results of the folder %s go to the build folder",
                               path);
    assay_status status = workspace_open(a->common.build, &ws, error);
    if (status == ASSAY_OK)
        status = join_results(path, ws->results_base, &counts, error);
    if (status == ASSAY_OK)
        tell(a, path, &counts, rows);
    workspace_close(ws);
    return status;
}

static assay_status merge_archive(const merge_arguments *a, const char *path, json_t *rows,
                                  assay_error *error)
{
    char into[4200];
    archive *open = NULL;
    join_counts counts = {0};
    assay_status status = cli_archive_path(&a->common, a->db, into, error);
    if (status == ASSAY_OK)
        status = archive_open(into, ARCHIVE_WRITE, &open, error);
    if (status == ASSAY_OK)
        status = archive_merge(open, path, &counts.archive, error);
    archive_close(open);
    if (status == ASSAY_OK)
        tell(a, path, &counts, rows);
    return status;
}

int command_merge(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "ARCHIVE|RESULTS...",
        .doc = "Add what these archives of tuning runs have to one archive. A folder is "
               "the results folder of another machine: its archives, results and "
               "verdicts go to the build folder's, card by card. In any order and "
               "any number of times: what is there already is not added again.",
        .children = cli_no_filter_children};
    merge_arguments a = {0};
    assay_error error = {0};
    cli_parse(&argp, argc, argv, &a);
    assay_status status = ASSAY_OK;
    json_t *rows = json_array();
    for (int i = 0; status == ASSAY_OK && i < a.file_count; i++)
        status = is_folder(a.files[i]) ? merge_folder(&a, a.files[i], rows, &error)
                                       : merge_archive(&a, a.files[i], rows, &error);
    if (status == ASSAY_OK && a.common.json)
        cli_print_json(rows);
    else
        json_decref(rows);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("merge", &error);
}

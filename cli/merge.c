/* assay merge: archives of many machines into one. */
#include "cli/archive_db.h"
#include <stdio.h>
#include <string.h>

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

static assay_status merge_one(const merge_arguments *a, archive *into, const char *path, json_t *rows,
                              assay_error *error)
{
    archive_merge_counts n;
    const assay_status status = archive_merge(into, path, &n, error);
    if (status != ASSAY_OK)
        return status;
    if (a->common.json)
        json_array_append_new(rows,
                              json_pack("{s:s, s:I, s:I, s:I, s:I}", "archive", path, "runs_added",
                                        (json_int_t)n.runs_added, "runs_known", (json_int_t)n.runs_known,
                                        "candidates_added", (json_int_t)n.candidates_added,
                                        "candidates_known", (json_int_t)n.candidates_known));
    else
        printf("%s: %ld runs and %ld candidates added; %ld runs and %ld candidates were known\n", path,
               n.runs_added, n.candidates_added, n.runs_known, n.candidates_known);
    return ASSAY_OK;
}

int command_merge(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_no_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options_list,
                                     .parser = parse,
                                     .args_doc = "ARCHIVE...",
                                     .doc = "Add what these archives of tuning runs have to one archive. In "
                                            "any order and any number of times: what is "
                                            "there already is not added again.",
                                     .children = children};
    merge_arguments a = {0};
    assay_error error = {0};
    char path[4200];
    archive *into = NULL;
    cli_parse(&argp, argc, argv, &a);
    assay_status status = cli_archive_path(&a.common, a.db, path, &error);
    if (status == ASSAY_OK)
        status = archive_open(path, ARCHIVE_WRITE, &into, &error);
    json_t *rows = json_array();
    for (int i = 0; status == ASSAY_OK && i < a.file_count; i++)
        status = merge_one(&a, into, a.files[i], rows, &error);
    archive_close(into);
    if (status == ASSAY_OK && a.common.json)
        cli_print_json(rows);
    else
        json_decref(rows);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("merge", &error);
}

/* assay new-op: the folder of a new op, ready to build and honest about what is missing. */
#include "core/json_file.h"
#include "cli/new.h"
#include "core/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct new_op_arguments {
    cli_options common;
    const char *name, *folder;
} new_op_arguments;

static const struct argp_option options_list[] = {
    {"dir", 'd', "DIR", 0, "folder of ops to write into (default: where the build's ops are, else ./ops)", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    new_op_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'd':
        a->folder = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->name != NULL)
            argp_error(state, "one name is expected, not \"%s\" and \"%s\"", a->name, argument);
        a->name = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->name == NULL)
            argp_error(state, "the name of the op is missing, as in: assay new-op scale");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The folder that the new op's own folder goes into. */
static void choose_folder(const new_op_arguments *a, const workspace *ws, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", a->folder ? a->folder : "ops");
    if (a->folder == NULL && ws != NULL) {
        snprintf(out, out_bytes, "%s", ws->ops[0].spec->directory);
        char *slash = strrchr(out, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    for (size_t length = strlen(out); length > 1 && out[length - 1] == '/';)
        out[--length] = '\0';
}

static assay_status write_op(const new_op_arguments *a, const char *folder, assay_error *error)
{
    const struct {
        const char *name, *text;
    } wanted[] = {
        {"op.json", new_template_op_json},         {NULL, new_template_op_h},
        {"reference.c", new_template_reference_c}, {"v1_baseline.cu", new_template_v1_baseline_cu},
        {"README.md", new_template_README_md},
    };
    enum { COUNT = sizeof wanted / sizeof wanted[0] };
    const new_words words = {.name = a->name};
    new_file *files = calloc(COUNT, sizeof *files);
    char header[ASSAY_NAME_MAX];
    if (files == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    snprintf(header, sizeof header, "%.50s.h", a->name);
    for (int i = 0; i < COUNT; i++) {
        snprintf(files[i].path, sizeof files[i].path, "%s/%s/%s", folder, a->name,
                 wanted[i].name ? wanted[i].name : header);
        files[i].text = new_fill(wanted[i].text, &words);
    }
    const assay_status status = new_write(files, COUNT, &a->common, error);
    free(files);
    return status;
}

/* Is every folder of ops an op by itself there, or must the project name it? */
static int finds_ops_itself(const char *folder)
{
    char path[PATH_MAX], *text = NULL;
    snprintf(path, sizeof path, "%s/../CMakeLists.txt", folder);
    if (text_file_read(path, &text, NULL, NULL) != ASSAY_OK)
        return 0;
    const int found = strstr(text, "\nassay_add_all_ops(") != NULL;
    free(text);
    return found;
}

/* How the project is configured: there is a build folder, or this program lies in an installed package, or neither. */
static void configure_command(const workspace *ws, char *out, size_t out_bytes)
{
    char prefix[PATH_MAX], package[PATH_MAX + 32];
    process_executable_folder(prefix, sizeof prefix);
    char *slash = strrchr(prefix, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(package, sizeof package, "%s/share/assay", prefix);
    if (ws != NULL)
        snprintf(out, out_bytes, "cmake %s", ws->path);
    else if (access(package, F_OK) == 0)
        snprintf(out, out_bytes, "cmake -B build -DCMAKE_PREFIX_PATH=%s", prefix);
    else
        snprintf(out, out_bytes, "cmake -B build");
}

static void print_next(const new_op_arguments *a, const workspace *ws, const char *folder)
{
    const char *build = ws ? ws->path : "build";
    char configure[PATH_MAX + 64];
    configure_command(ws, configure, sizeof configure);
    printf("\nNow fill in what is marked:   grep -n 'FILL IN' %s/%s/*\n", folder, a->name);
    if (!finds_ops_itself(folder))
        printf("Add to CMakeLists.txt:        assay_add_op(NAME %s DIR %s/%s)\n", a->name,
               file_base_name(folder), a->name);
    printf("Build and check (it fails until it is filled in):\n"
           "  %s && cmake --build %s --target modules_%s -j2 && ctest --test-dir %s -L '^%s$' "
           "--output-on-failure\n"
           "Races that no result shows (on the CPU device):\n"
           "  %s/bin/assay verify %s --check\n"
           "Time (a look, then results to keep):\n"
           "  %s/bin/assay bench %s --quick\n"
           "  cmake --build %s --target bench_%s && cmake --build %s --target report\n",
           configure, build, a->name, build, a->name, build, a->name, build, a->name, build, a->name, build);
}

/* Names that are spelt right and would still break the build. */
static assay_status check_not_taken(const char *name, assay_error *error)
{
    /* The op's folder is searched for headers before the compiler's own: NAME.h would be found in place of these. */
    static const char *const headers[] = {
        "alloca", "assert",           "complex",      "ctype",   "cuda",    "driver_types", "endian",
        "errno",  "features",         "fenv",         "float",   "limits",  "locale",       "malloc",
        "math",   "math_constants",   "memory",       "mma",     "pthread", "sched",        "setjmp",
        "signal", "stdalign",         "stdarg",       "stdbool", "stddef",  "stdint",       "stdio",
        "stdlib", "string",           "strings",      "tgmath",  "threads", "time",         "uchar",
        "unistd", "vector_functions", "vector_types", "wchar",   "wctype"};
    if (strcmp(name, "common") == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "op \"common\": the folder common holds what ops share");
    if (strcmp(name, "all") == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "op \"all\": the target bench_all times all ops; choose another name");
    if (assay_dtype_parse(name, &(assay_dtype){0}))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "op \"%s\": the target modules_%s compiles all modules of that dtype; choose "
                               "another name",
                               name, name);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strcmp(name, headers[i]) == 0)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "op \"%s\": its header %s.h would hide the system's <%s.h>; choose "
                                   "another name",
                                   name, name, name);
    return ASSAY_OK;
}

static assay_status run(const new_op_arguments *a, const workspace *ws, assay_error *error)
{
    char folder[4096];
    choose_folder(a, ws, folder, sizeof folder);
    assay_status status = new_check_name("op", a->name, error);
    if (status == ASSAY_OK)
        status = check_not_taken(a->name, error);
    if (status == ASSAY_OK && ws != NULL && workspace_find_op(ws, a->name) != NULL)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "op \"%s\" exists already in %s; choose another name",
                            a->name, workspace_find_op(ws, a->name)->spec->directory);
    if (status == ASSAY_OK && a->folder != NULL && access(folder, W_OK) != 0)
        status =
            assay_error_set(error, ASSAY_ERR_INVALID, "--dir: %s is no folder that can be written%s", folder,
                            access(folder, F_OK) != 0 ? " (it does not exist: make it first)" : "");
    if (status == ASSAY_OK)
        status = write_op(a, folder, error);
    if (status == ASSAY_OK && !a->common.dry_run && !a->common.json)
        print_next(a, ws, folder);
    return status;
}

int command_new_op(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "NAME",
        .doc = "Write the folder of a new op: op.json, arguments, reference, a first kernel. It builds, "
               "fails its "
               "correctness tests until it is filled in, and marks each place with FILL IN.\v"
               "Exit status: 0 written, 2 wrong use (a bad name, a file that is there), 3 not writable.",
        .children = cli_no_filter_children,
    };
    new_op_arguments a = {0};
    assay_error error = {0};
    workspace *ws = NULL;
    cli_parse(&argp, argc, argv, &a);
    /* Also for the first op, before anything is configured. */
    if (a.common.build != NULL || (a.folder == NULL && workspace_is_there(NULL))) {
        const int exit_status = cli_open("new-op", &a.common, &ws);
        if (exit_status != ASSAY_EXIT_OK)
            return exit_status;
    }
    const assay_status status = run(&a, ws, &error);
    workspace_close(ws);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("new-op", &error);
}

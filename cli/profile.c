/* assay profile: why a kernel is as fast as it is, as a page. */
#include "profile/profile.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/profile_all.h"
#include "counts/profile_counter.h"
#include "core/list.h"
#include "core/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct profile_arguments {
    cli_options common;
    const char *out, *results;
    profile_options options;
    int no_ncu, no_count, all, force;
} profile_arguments;

static const struct argp_option options_list[] = {
    {"out", 'O', "DIR", 0, "where the pages go (default: profile/CASE in the build folder)", 1},
    {"results", 'r', "DIR", 0, "results of the card, for the measured position (default: the build's)", 1},
    {"from", 'f', "FILE", 0,
     "a page that `ncu --csv` printed elsewhere (raw, details or source; up to 4), instead of running ncu",
     1},
    {"no-ncu", 'N', NULL, 0, "do not run ncu: only what is known without a GPU", 1},
    {"no-count", 'C', NULL, 0, "do not count on the device ptx where ncu did not run", 1},
    {"all", 'a', NULL, 0,
     "ncu's counters into the results of all timed cases that the filter selects and that have none; "
     "at large where no --size is given",
     1},
    {"force", 'F', NULL, 0, "with --all: also where there are some", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    profile_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'O':
        a->out = argument;
        return 0;
    case 'r':
        a->results = argument;
        return 0;
    case 'f':
        if (a->options.file_count == PROFILE_MOST_FILES)
            argp_error(state, "--from: at most %d files", PROFILE_MOST_FILES);
        a->options.files[a->options.file_count++] = argument;
        return 0;
    case 'N':
        a->no_ncu = 1;
        return 0;
    case 'C':
        a->no_count = 1;
        return 0;
    case 'a':
        a->all = 1;
        return 0;
    case 'F':
        a->force = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (a->common.filter.ops != NULL)
            argp_error(state, "one op is expected, or with --all a list");
        a->common.filter.ops = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->all) {
            if (a->no_ncu || a->options.file_count > 0)
                argp_error(state, "--all is by ncu: it goes with no --no-ncu and no --from");
            return 0;
        }
        if (a->common.filter.ops == NULL || list_count(a->common.filter.ops) != 1)
            argp_error(state, "one op is expected, such as: assay profile softmax --variant v4");
        if (a->common.filter.variants == NULL)
            argp_error(state, "--variant is missing: `assay list` shows the variants of %s",
                       a->common.filter.ops);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Where nothing is named: the op's first dtype, and the size `large`, or the op's last. */
static assay_status list_cases(const workspace *ws, profile_arguments *a, assay_case **cases, int *count,
                               assay_error *error)
{
    case_filter filter = a->common.filter;
    const workspace_op *op = workspace_find_op(ws, filter.ops);
    *cases = NULL;
    *count = 0;
    if (op && !filter.dtypes)
        filter.dtypes = assay_dtype_name(op->spec->dtypes[0]);
    if (op && !filter.sizes)
        filter.sizes =
            opspec_find_size(op->spec, "large") ? "large" : op->spec->sizes[op->spec->size_count - 1].name;
    const assay_status status = workspace_list_cases(ws, &filter, 0, cases, count, error);
    if (status == ASSAY_OK && *count == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "no case of %s has variant %s, dtype %s and size %s",
                               filter.ops, filter.variants, filter.dtypes, filter.sizes);
    if (status == ASSAY_OK && *count > 1 && a->options.file_count > 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--from: its kernels are of one case, and %d are selected", *count);
    return status;
}

/* The page down to the tables, which are in the file. */
static void print_page(const case_profile *profile, const char *folder)
{
    char *text = profile_summary_text(profile);
    char *tables = text ? strstr(text, "\n## Speed of light") : NULL;
    if (tables)
        *tables = '\0';
    if (text)
        fputs(text, stdout);
    free(text);
    printf("\nThe whole page: %s/ncu_summary.md; more: ncu_details.md, profile.json\n", folder);
}

/* ---- counting where no profiler ran ---- */

/* The device ptx has a workspace of its own, for it takes another toolchain; opened when the first case asks. */
typedef struct lazy_counting {
    const char *build;
    workspace *ws;
    counting device;
} lazy_counting;

static assay_status count_module(lazy_counting *lazy, const char *path, const assay_case *c,
                                 launch_profile *out, assay_error *error)
{
    module_record module;
    case_counts counts = {0};
    char root[PATH_MAX], dims[128];
    const workspace_op *op = workspace_find_op(lazy->ws, c->op->spec->name);
    assay_status status = module_record_read(path, &module, error);
    if (status != ASSAY_OK)
        return status;
    status = counts_take(lazy->device.device, op, &module, c->size, "ptx", &counts, error);
    counts_root(op, root);
    if (status == ASSAY_OK)
        status = counts_add_to_profile(&counts, root, out, error);
    if (status == ASSAY_OK) {
        counts_dims_text(&counts, dims, sizeof dims);
        snprintf(out->note, sizeof out->note, "not sampled, on %s at %s",
                 assay_device_get_info(lazy->device.device)->slug, dims);
    }
    counts_release(&counts);
    module_record_release(&module);
    return status;
}

/* As a profile_counter's `count`. */
static assay_status count_case(void *context, const workspace *ws, const assay_case *c, launch_profile *out,
                               assay_error *error)
{
    (void)ws;
    lazy_counting *lazy = context;
    made_modules made = {0};
    const case_filter filter = {c->op->spec->name, c->variant, assay_dtype_name(c->dtype), c->size};
    assay_status status = lazy->ws ? ASSAY_OK : workspace_open(lazy->build, &lazy->ws, error);
    if (status == ASSAY_OK && !lazy->device.device)
        status = counting_open(lazy->ws, &lazy->device, error);
    if (status == ASSAY_OK)
        status = counting_modules(&lazy->device, &filter, NULL, &made, error);
    if (status == ASSAY_OK && made.count != 1)
        status = assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "%d modules instead of one", made.count);
    if (status == ASSAY_OK)
        status = count_module(lazy, made.records[0], c, out, error);
    made_modules_release(&made);
    return status;
}

static void close_counting(lazy_counting *lazy)
{
    counting_close(&lazy->device);
    workspace_close(lazy->ws);
}

static assay_status profile_one(const workspace *ws, const profile_arguments *a, const assay_case *c,
                                int alone, const char *results, json_t *list, assay_error *error)
{
    char folder[PATH_MAX], name[256];
    profile_options options = a->options;
    case_name(c, name, sizeof name);
    if (a->out && alone)
        snprintf(folder, sizeof folder, "%s", a->out);
    else if (a->out)
        snprintf(folder, sizeof folder, "%s/%s", a->out, name);
    else
        snprintf(folder, sizeof folder, "%s/profile/%s", ws->path, name);
    if (a->common.dry_run) {
        printf("%s -> %s\n", name, folder);
        return ASSAY_OK;
    }
    options.folder = folder;
    options.results = results;
    options.use_ncu = !a->no_ncu;
    case_profile *profile = malloc(sizeof *profile);
    if (!profile)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a profile");
    assay_status status = profile_case(ws, c, &options, profile, error);
    if (status == ASSAY_OK)
        status = profile_write(profile, folder, error);
    if (status == ASSAY_OK)
        status = profile_add_to_result(profile, error);
    if (status == ASSAY_OK && a->common.json)
        json_array_append_new(list, profile_json(profile));
    else if (status == ASSAY_OK)
        print_page(profile, folder);
    profile_release(profile);
    free(profile);
    return status;
}

/* The card's results: those named, those of the card here, else those of the only card that the build has. NULL: none. */
static assay_status find_results(workspace *ws, const profile_arguments *a, char found[PATH_MAX],
                                 const char **results, assay_error *error)
{
    assay_device *device = NULL;
    *results = NULL;
    if (a->results) {
        *results = found;
        return cli_find_card(a->results, found, error);
    }
    if (cli_open_device(ws, &device, NULL) == ASSAY_OK && strcmp(ws->device, "cuda") == 0)
        *results = ws->results;
    assay_device_close(device);
    if (*results == NULL && strcmp(ws->device, "cuda") == 0 &&
        cli_find_card(ws->results_base, found, NULL) == ASSAY_OK)
        *results = found;
    return ASSAY_OK;
}

static int run(workspace *ws, profile_arguments *a)
{
    char found[PATH_MAX];
    const char *results = NULL;
    assay_case *cases = NULL;
    int count = 0;
    assay_error error = {0};
    json_t *list = json_array();
    lazy_counting lazy = {.build = a->common.build};
    const profile_counter counter = {"device ptx", count_case, &lazy};
    a->options.counter = a->no_count ? NULL : &counter;
    assay_status status = list_cases(ws, a, &cases, &count, &error);
    if (status == ASSAY_OK)
        status = find_results(ws, a, found, &results, &error);
    for (int i = 0; i < count && status == ASSAY_OK && !process_interrupted(); i++)
        status = profile_one(ws, a, &cases[i], count == 1, results, list, &error);
    free(cases);
    close_counting(&lazy);
    if (status == ASSAY_OK && a->common.json && !a->common.dry_run)
        cli_print_json(json_pack("{s:i, s:O}", "schema", 1, "profiles", list));
    json_decref(list);
    return process_interrupted() ? 130 : status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("profile", &error);
}

static int run_all(workspace *ws, const profile_arguments *a)
{
    char found[PATH_MAX];
    const char *results = NULL;
    assay_error error = {0};
    const profile_all_options options = {.filter = &a->common.filter,
                                         .out = a->out,
                                         .force = a->force,
                                         .dry_run = a->common.dry_run,
                                         .json = a->common.json && !a->common.dry_run};
    if (find_results(ws, a, found, &results, &error) != ASSAY_OK)
        return cli_fail("profile", &error);
    if (results != ws->results)
        snprintf(ws->results, sizeof ws->results, "%.*s", (int)sizeof ws->results - 1,
                 results ? results : "");
    return profile_all(ws, &options);
}

int command_profile(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "OP --variant VARIANT\n--all [OP,...]",
        .doc = "Say what bounds a kernel, by which rule and numbers, and what to try: by ncu's counters on a "
               "GPU, else by the "
               "measured time, the roofline, the compiler's report and exact counts by the device ptx, "
               "marked as counted.\v"
               "Without --dtype the op's first one, without --size `large`. Writes ncu_summary.md, "
               "ncu_details.md and "
               "profile.json, and what ncu printed. Times under a profiler rank nothing.\n"
               "--all asks ncu once for each timed result that has no counters of it, and says how long the "
               "rest takes. Interrupted, the same command goes on; without ncu, or where it may not read "
               "counters, it ends at once with status 3; a kernel that fails under ncu is named (status 1).\n"
               "Exit status: 0 done (also without counters: the page says why), 2 wrong use, 3 something "
               "needed is missing, "
               "130 interrupted.",
        .children = cli_filter_children,
    };
    profile_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("profile", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    process_watch_interrupts();
    exit_status = a.all ? run_all(ws, &a) : run(ws, &a);
    workspace_close(ws);
    return exit_status;
}

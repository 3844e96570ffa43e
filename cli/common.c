/* The options every subcommand takes, and opening what they name. */
#include "cli/cli.h"
#include "bench/environment/chosen_card.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option common_options[] = {
    {"build", 'B', "DIR", 0,
     "build folder or unpacked bundle (default: $ASSAY_BUILD, or found from the program's place)", 90},
    {"json", 'j', NULL, 0, "print JSON for programs instead of text", 92},
    {"dry-run", 'n', NULL, 0, "say what would be done and do nothing", 92},
    {0},
};

static const struct argp_option filter_options[] = {
    {"op", 'o', "LIST", 0, "only these ops (comma-separated)", 91},
    {"variant", 'v', "LIST", 0, "only these variants; v4 means all that start with v4_", 91},
    {"dtype", 't', "LIST", 0, "only these dtypes: f32, tf32, f16, bf16", 91},
    {"size", 's', "LIST", 0, "only these sizes: small, medium, large, ... or edge, or huge (verify only)",
     91},
    {0},
};

/* Of a command whose op is named otherwise, and which has no variants to choose from. Both are refused by it. */
static const struct argp_option shape_filter_options[] = {
    {"op", 'o', "LIST", OPTION_HIDDEN, NULL, 0},
    {"variant", 'v', "LIST", OPTION_HIDDEN, NULL, 0},
    {"dtype", 't', "LIST", 0, "only these dtypes: f32, tf32, f16, bf16", 91},
    {"size", 's', "LIST", 0, "only these sizes: small, medium, large, ...", 91},
    {0},
};

static const struct argp_option no_filter_options[] = {
    {"op", 'o', "LIST", OPTION_HIDDEN, NULL, 0},
    {"variant", 'v', "LIST", OPTION_HIDDEN, NULL, 0},
    {"dtype", 't', "LIST", OPTION_HIDDEN, NULL, 0},
    {"size", 's', "LIST", OPTION_HIDDEN, NULL, 0},
    {0},
};

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    cli_options *options = state->input;
    switch (key) {
    case 'B':
        options->build = argument;
        return 0;
    case 'j':
        options->json = 1;
        return 0;
    case 'n':
        options->dry_run = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_filter(int key, char *argument, struct argp_state *state)
{
    cli_options *options = state->input;
    switch (key) {
    case 'o':
        options->filter.ops = argument;
        return 0;
    case 'v':
        options->filter.variants = argument;
        return 0;
    case 't':
        options->filter.dtypes = argument;
        return 0;
    case 's':
        options->filter.sizes = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t refuse_filter(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    for (const struct argp_option *option = no_filter_options; option->name != NULL; option++)
        if (key == option->key)
            argp_failure(state, ASSAY_EXIT_USAGE, 0, "--%s: this command always covers all cases",
                         option->name);
    return ARGP_ERR_UNKNOWN;
}

const struct argp cli_common_argp = {.options = common_options, .parser = parse_common};
const struct argp cli_filter_argp = {.options = filter_options, .parser = parse_filter};
const struct argp cli_shape_filter_argp = {.options = shape_filter_options, .parser = parse_filter};
const struct argp cli_no_filter_argp = {.options = no_filter_options, .parser = refuse_filter};
const struct argp_child cli_filter_children[] = {
    {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {0}};
const struct argp_child cli_no_filter_children[] = {
    {&cli_common_argp, 0, NULL, 0}, {&cli_no_filter_argp, 0, NULL, 0}, {0}};

error_t cli_parse_plain(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->child_inputs[1] = state->input;
    return 0;
}

error_t cli_parse_op(char *argument, cli_options *common, struct argp_state *state)
{
    if (common->filter.ops != NULL)
        argp_error(state, "one op is expected, not \"%s\" and \"%s\"", common->filter.ops, argument);
    common->filter.ops = argument;
    return 0;
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    const error_t failed = argp_parse(argp, argc, argv, 0, NULL, input);
    if (failed == 0)
        return;
    fprintf(stderr, "%s: %s\n", argv[0], strerror(failed));
    exit(failed == ENOMEM ? ASSAY_EXIT_ENVIRONMENT : ASSAY_EXIT_USAGE);
}

int cli_fail(const char *command, const assay_error *error)
{
    fflush(stdout);
    fprintf(stderr, "assay %s: %s\n", command,
            error->message[0] ? error->message : assay_status_describe(error->status));
    return assay_status_exit(error->status);
}

int cli_open(const char *command, const cli_options *options, workspace **ws)
{
    assay_error error = {0};
    *ws = NULL;
    if (workspace_open(options->build, ws, &error) != ASSAY_OK)
        return cli_fail(command, &error);
    return ASSAY_EXIT_OK;
}

assay_status cli_check_filter(const workspace *ws, const case_filter *filter, assay_error *error)
{
    assay_case *cases = NULL;
    int count;
    const assay_status status = workspace_list_cases(ws, filter, 0, &cases, &count, error);
    free(cases);
    return status;
}

assay_status cli_open_device(workspace *ws, assay_device **device, assay_error *error)
{
    const assay_status status = assay_device_open(ws->device, 0, device, error);
    if (status == ASSAY_OK)
        workspace_use_slug(ws, assay_device_get_info(*device)->slug);
    return status;
}

assay_status cli_choose_card(const workspace *ws, int *number, assay_error *error)
{
    if (*number == 0 || strcmp(ws->device, "cuda") != 0)
        return ASSAY_OK;
    if (!chosen_card_use(*number))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--device %d: CUDA_VISIBLE_DEVICES names fewer devices (they count from 0)",
                               *number);
    *number = 0;
    return ASSAY_OK;
}

assay_status cli_choose_device(workspace *ws, const char **asked, assay_error *error)
{
    if (*asked == NULL || strcmp(*asked, ws->device) == 0) {
        *asked = NULL;
        return ASSAY_OK;
    }
    if (strcmp(*asked, "ptx") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--device %s: this build is for %s; beside it only ptx can be asked for",
                               *asked, ws->device);
    if (!json_is_object(json_object_get(ws->manifest, "ptx_toolchain")))
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "--device ptx: nvcc compiles its kernels, and none was found when this build was "
            "configured; install a CUDA toolkit and configure again");
    if (strcmp(ws->device, "cuda") == 0)
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "--device ptx: a build for cuda has CUDA's own runtime in its programs; use one "
            "for cpu or ptx");
    snprintf(ws->device, sizeof ws->device, "ptx");
    json_object_set(ws->manifest, "toolchain", json_object_get(ws->manifest, "ptx_toolchain"));
    return ASSAY_OK;
}

void cli_experience_path(const workspace *ws, const char **path, char own[4400])
{
    const char *named = *path ? *path : getenv("ASSAY_EXPERIENCE");
    snprintf(own, 4400, "%s/experience.db", ws->path);
    *path = named && named[0] ? named : own;
}

void cli_print_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(value);
}

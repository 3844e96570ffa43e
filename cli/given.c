/* An op of the user's own in place of the workspace's: see given.h. */
#include "cli/given.h"
#include "core/json_file.h"
#include "outside/given_op.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct argp_option options_list[] = {
    {"ref", 'R', "FILE.c", 0,
     "a plain C reference in place of an op: void solve(...) with the kernel's parameters, and its shapes in "
     "comments (docs/outside.md)",
     1},
    {"about", 'A', "FILE.json", 0, "with a C reference: its shapes and sizes, in place of comments", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_given *given = state->input;
    switch (key) {
    case 'R':
        if (!given_op_is_file(argument))
            argp_error(state, "--ref: a C file is expected, not \"%s\"; ops are named without an option",
                       argument);
        given->reference = argument;
        return 0;
    case 'A':
        given->about = argument;
        return 0;
    case ARGP_KEY_END:
        if (given->about && !given->reference)
            argp_error(state, "--about: belongs to --ref FILE.c");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_given_argp = {.options = options_list, .parser = parse};

assay_status cli_use_given(workspace **ws, const cli_given *given, const char *kernel, const char *folder,
                           case_filter *filter, assay_error *error)
{
    char own[PATH_MAX];
    workspace *made = NULL;
    if (!given->reference)
        return ASSAY_OK;
    if (filter->ops)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "the op is --ref %s: \"%s\" beside it is one too many", given->reference,
                               filter->ops);
    snprintf(own, sizeof own, "%.3000s/outside/given.%.200s", (*ws)->path, file_base_name(given->reference));
    const given_op_request request = {.reference = given->reference,
                                      .about = given->about,
                                      .kernel = kernel,
                                      .folder = folder ? folder : own};
    const assay_status status = given_op_open(*ws, &request, &made, error);
    if (status != ASSAY_OK)
        return status;
    workspace_close(*ws);
    *ws = made;
    filter->ops = made->ops[0].spec->name;
    return ASSAY_OK;
}

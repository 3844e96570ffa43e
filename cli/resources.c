/* assay resources: registers, spills, shared memory, occupancy and code of compiled kernels, and whether they keep their budgets. */
#include "cli/resources_command.h"
#include <stdio.h>
#include <string.h>

static const struct argp_option options_list[] = {
    {"arch", 'a', "ARCH", 0, "only this architecture, such as sm_90a", 1},
    {"source", 'S', "FILE", 0,
     "compile a kernel file from outside the tree and show what it needs; needs --op", 1},
    {"kernels", 'k', NULL, 0, "a line for each kernel, with its instructions where they could be read", 1},
    {"check", 'c', NULL, 0, "hold the metrics against the budgets of op.json", 1},
    {"propose", 'p', NULL, 0, "print budgets for op.json that today's metrics just meet", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    resources_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'a':
        a->arch = argument;
        return 0;
    case 'S':
        a->source = argument;
        return 0;
    case 'k':
        a->kernels = 1;
        return 0;
    case 'c':
        a->check = 1;
        return 0;
    case 'p':
        a->propose = 1;
        return 0;
    case ARGP_KEY_END:
        if (a->common.filter.sizes != NULL)
            argp_error(state, "--size: a kernel is compiled once for all sizes");
        if (a->check && a->propose)
            argp_error(state, "--check and --propose exclude each other");
        if (a->source != NULL && a->common.filter.variants != NULL)
            argp_error(state, "--source: the file is the variant; --variant is for kernels of the tree");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* An architecture that no module has metrics of would be an empty table, and a misspelt one a look at nothing. */
static assay_status check_arch(const module_list *list, const char *arch, assay_error *error)
{
    char there[256] = "";
    const char *name;
    json_t *unused;
    for (int i = 0; i < list->count; i++)
        json_object_foreach(json_object_get(list->items[i].resources, "architectures"), name, unused)
        {
            if (strcmp(name, arch) == 0)
                return ASSAY_OK;
            if (strstr(there, name) == NULL && strlen(there) + strlen(name) + 3 < sizeof there)
                snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", there[0] ? ", " : "",
                         name);
        }
    return there[0] == '\0'
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--arch: no module was compiled for %s; there are: %s", arch, there);
}

static int run(const workspace *ws, const resources_arguments *a)
{
    module_list list = {0};
    assay_error error = {0};
    int exit_status = ASSAY_EXIT_OK;
    if (resources_list_modules(ws, a, &list, &error) != ASSAY_OK)
        exit_status = cli_fail("resources", &error);
    else if (a->arch != NULL && !a->check && check_arch(&list, a->arch, &error) != ASSAY_OK)
        exit_status = cli_fail("resources", &error);
    else if (a->check)
        exit_status = resources_check_budgets(&list, a, &error);
    else if (a->propose)
        cli_print_json(resources_propose(&list));
    else if (a->common.json)
        cli_print_json(
            json_pack("{s:s, s:o}", "device", ws->device, "modules", resources_modules_json(&list, a->arch)));
    else
        resources_print_table(&list, a);
    resources_release_modules(&list);
    return exit_status;
}

int command_resources(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .doc =
            "Show what compiled CUDA kernels need of the hardware: registers, spills, stack, shared memory, "
            "occupancy, code. Needs no GPU.\v"
            "The metrics are read when a module is compiled (docs/resources.md). With --check, exit status 1 "
            "says "
            "that a kernel is over its budget and 77 that there is no budget.",
        .children = cli_filter_children,
    };
    resources_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("resources", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    if (strcmp(ws->device, "cuda") != 0) {
        char reason[160];
        snprintf(reason, sizeof reason,
                 "this build is for the %s device; registers and spills exist in CUDA builds "
                 "(-DASSAY_DEVICE=cuda, which needs nvcc and no GPU)",
                 ws->device);
        if (a.common.json)
            cli_print_json(json_pack("{s:s, s:[], s:s}", "device", ws->device, "modules", "skipped", reason));
        else
            printf("skipped: %s\n", reason);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else {
        exit_status = run(ws, &a);
    }
    workspace_close(ws);
    return exit_status;
}

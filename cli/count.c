/* assay count: what each source line of a kernel does in one launch, counted exactly on the device ptx. */
#include "bench/run/problem_set.h"
#include "cli/cli.h"
#include "cli/verify_modules.h"
#include "device/ptx/backend_ptx.h"
#include "core/json_file.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1 }; /* counts of kernels that look at their data depend on it */

typedef struct count_arguments {
    cli_options common;
    const char *source;
} count_arguments;

static const struct argp_option options_list[] = {
    {"source", 'S', "FILE.cu", 0, "count this kernel file instead of the build's variants (needs an op)", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    count_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'S':
        a->source = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->common.filter.ops != NULL)
            argp_error(state, "one op is expected, not \"%s\" and \"%s\"", a->common.filter.ops, argument);
        a->common.filter.ops = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* One launch of one module at one size. */
static assay_status count_one(assay_device *device, const workspace_op *op, const module_record *record,
                              const char *size, assay_error *error)
{
    const assay_op_impl *impl = NULL;
    problem_set *set = NULL;
    assay_run_fn run = NULL;
    assay_dtype dtype;
    assay_status returned = ASSAY_OK;
    const opspec_size *dims = opspec_find_size(op->spec, size);
    if (!dims || !assay_dtype_parse(json_get_text(record->json, "dtype", ""), &dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no size %s", op->spec->name, size);
    assay_status status = module_load(record, op->spec->name, &run, error);
    if (status == ASSAY_OK)
        status = workspace_load_impl(op, &impl, error);
    if (status == ASSAY_OK)
        status = problem_set_create(device, op->spec, impl, dtype, opspec_size_dims(dims, "ptx"), SEED, 0,
                                    &set, error);
    if (status == ASSAY_OK)
        status = assay_device_call(device, run, set->args[0], &returned, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_all(device, error);
    if (status == ASSAY_OK && returned != ASSAY_OK)
        status = assay_error_set(error, returned, "the kernel returned an error: %s",
                                 assay_status_describe(returned));
    if (set)
        problem_set_release(set);
    return status;
}

static assay_status count_all(const workspace *ws, assay_device *device, const made_modules *made,
                              const char *size, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < made->count && status == ASSAY_OK && !process_interrupted(); i++) {
        module_record record;
        status = module_record_read(made->records[i], &record, error);
        if (status != ASSAY_OK)
            return status;
        const workspace_op *op = workspace_find_op(ws, json_get_text(record.json, "op", ""));
        printf("%s.%s.%s.%s\n", op->spec->name, json_get_text(record.json, "variant", ""),
               json_get_text(record.json, "dtype", ""), size);
        status = count_one(device, op, &record, size, error);
        device_ptx_print_counts();
        module_record_release(&record);
    }
    return status;
}

static assay_status run(workspace *ws, count_arguments *a, assay_error *error)
{
    const char *asked = "ptx";
    assay_device *device = NULL;
    made_modules made = {0};
    case_filter filter = a->common.filter;
    const made_modules_request which = {.source = a->source};
    if (filter.ops == NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "an op is expected, as in: assay count softmax --variant v3");
    if (filter.sizes == NULL)
        filter.sizes = "small";
    if (filter.dtypes == NULL)
        filter.dtypes = "f32";
    assay_status status = cli_choose_device(ws, &asked, error);
    if (status == ASSAY_OK)
        status = assay_device_open("ptx", 0, &device, error);
    if (status == ASSAY_OK) {
        device_ptx_count();
        status = made_modules_compile(ws, &filter, &which, 1, &made, error);
    }
    if (status == ASSAY_OK)
        status = count_all(ws, device, &made, filter.sizes, error);
    made_modules_release(&made);
    assay_device_close(device);
    return status;
}

int command_count(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "OP",
        .doc = "Launch kernels once on the device ptx and print, for each source line, the warp instructions "
               "and their active lanes, "
               "sectors a request of global memory and wavefronts a request of shared memory with the least "
               "that could hold the "
               "bytes, divergent branches, barriers, atomics and tensor instructions. Default: f32 at the "
               "size small.\v"
               "Exit status: 0 done, 1 a kernel failed, 2 wrong use, 3 something needed is missing.",
        .children = children,
    };
    count_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("count", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    process_watch_interrupts();
    if (run(ws, &a, &error) != ASSAY_OK)
        exit_status = cli_fail("count", &error);
    workspace_close(ws);
    return exit_status;
}

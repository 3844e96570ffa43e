/* assay verify: judge the build's kernels, a kernel from outside the tree, or a folder of golden cases. */
#include "judging.h"
#include "measurements.h"
#include "process.h"
#include "toolchain.h"
#include "verify.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct verify_arguments {
    cli_options common;
    const char *golden, *source;
    cli_judging judging;
    verify_options options;
} verify_arguments;

static const struct argp_option options_list[] = {
    {"source", 'S', "FILE.cu", 0,
     "compile and judge this kernel file instead of the build's variants (needs an op)", 1},
    {"golden", 'g', "DIR", 0, "run the golden cases of DIR/manifest.json through every variant of their ops",
     1},
    {"seed", 'e', "N", 0, "seed of the inputs", 1},
    {"new", 'N', NULL, 0, "only cases that were not judged since their module was built", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    verify_arguments *a = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->judging;
        return 0;
    case 'S':
        a->source = argument;
        return 0;
    case 'g':
        a->golden = argument;
        return 0;
    case 'e':
        a->options.seed = strtoull(argument, &end, 0);
        if (*end != '\0' || end == argument)
            argp_error(state, "--seed: a whole number is expected, not \"%s\"", argument);
        return 0;
    case 'N':
        a->options.unjudged_only = 1;
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

/* Compile the outside kernel for each wanted dtype; the records' paths go to `paths`. */
static assay_status compile_outside(const workspace *ws, const verify_arguments *a,
                                    char paths[ASSAY_DTYPE_COUNT][PATH_MAX], int *count, assay_error *error)
{
    assay_case *cases;
    int case_count;
    /* Names the mistake in the op, --dtype or --size before anything is compiled. */
    const case_filter filter = {
        .ops = a->common.filter.ops, .dtypes = a->common.filter.dtypes, .sizes = a->common.filter.sizes};
    assay_status status = workspace_list_cases(ws, &filter, 1, &cases, &case_count, error);
    if (status != ASSAY_OK)
        return status;
    const workspace_op *op = filter.ops ? workspace_find_op(ws, filter.ops) : NULL;
    if (op == NULL)
        return free(cases),
               assay_error_set(
                   error, ASSAY_ERR_INVALID,
                   "--source needs the one op it computes, as in: assay verify softmax --source %s",
                   a->source);
    for (int d = 0; d < op->spec->dtype_count && status == ASSAY_OK; d++) {
        int wanted = 0;
        for (int i = 0; i < case_count; i++)
            wanted |= cases[i].dtype == op->spec->dtypes[d];
        if (!wanted)
            continue;
        char source[PATH_MAX], *stem;
        if (realpath(a->source, source) == NULL)
            return free(cases),
                   assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s", a->source);
        stem = strrchr(source, '/') + 1;
        snprintf(paths[*count], PATH_MAX, "%s/outside/%s.%.*s.%s.json", ws->path, op->spec->name,
                 (int)strcspn(stem, "."), stem, assay_dtype_name(op->spec->dtypes[d]));
        module_request request = {
            .op = op, .source = source, .dtype = op->spec->dtypes[d], .record = paths[*count]};
        module_record record;
        status = module_compile(ws, &request, &record, error);
        if (status == ASSAY_OK) {
            /* A contest's kernel is for one dtype; that it has no others is no news for each of its cases. */
            const int other = strcmp(record.status, "skipped") == 0;
            if (other && !a->options.quiet)
                printf("SKIP %s %s: %s\n", stem, assay_dtype_name(request.dtype), record.log);
            module_record_release(&record);
            *count += !other;
        }
    }
    free(cases);
    if (status == ASSAY_OK && *count == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: its solve() is for none of the dtypes asked for", a->source);
    return status;
}

static assay_status run(workspace *ws, verify_arguments *a, verify_summary *summary, assay_error *error)
{
    char paths[ASSAY_DTYPE_COUNT][PATH_MAX];
    const char *modules[ASSAY_DTYPE_COUNT];
    for (int i = 0; i < ASSAY_DTYPE_COUNT; i++)
        modules[i] = paths[i];
    if (a->golden != NULL)
        return verify_golden(ws, a->golden, &a->common.filter, &a->options, summary, error);
    if (a->source != NULL && a->common.filter.variants != NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--source: the file is the variant; --variant is for kernels of the tree");
    if (a->source != NULL) {
        const assay_status status = compile_outside(ws, a, paths, &a->options.module_count, error);
        if (status != ASSAY_OK)
            return status;
        a->options.modules = modules;
    }
    return verify_run(ws, &a->common.filter, &a->options, summary, error);
}

int command_verify(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {&cli_judging_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[OP]",
        .doc = "Check kernels against the double reference, in processes of their own, with a verdict file "
               "for each case.\v"
               "A case may take 120 s, eight times that in a sanitizer build. On the CPU device one process "
               "works at a time, on a GPU node up to 8, as cores and memory allow.\n"
               "Exit status: 0 all passed, 1 a kernel is wrong, 2 wrong use, 3 something needed is missing, "
               "77 all skipped, 130 interrupted.",
        .children = children,
    };
    verify_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("verify", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    verify_summary summary = {0};
    assay_device *device = NULL;
    a.options.dry_run = a.common.dry_run;
    a.options.quiet = a.judging.quiet || a.common.json;
    a.options.jobs = a.judging.jobs;
    a.options.time_limit_s = a.judging.time_limit_s;
    process_watch_interrupts();
    if (cli_open_device(ws, &device, &error) != ASSAY_OK) {
        fprintf(stderr, "assay verify: skipped: %s\n", error.message);
        exit_status =
            error.status == ASSAY_ERR_ENVIRONMENT ? ASSAY_EXIT_SKIPPED : assay_status_exit(error.status);
        workspace_close(ws);
        return exit_status;
    }
    assay_device_close(device); /* the workers open it */
    const assay_status status = run(ws, &a, &summary, &error);
    if (status == ASSAY_OK) {
        exit_status = verify_summary_exit(&summary);
        cli_print_summary(&a.common, &summary);
        if (!a.common.json && !a.common.dry_run && a.golden == NULL && a.source == NULL)
            measurements_of_verdict(ws, &a.common.filter);
    } else {
        exit_status = cli_fail("verify", &error);
    }
    verify_summary_release(&summary);
    workspace_close(ws);
    return exit_status;
}

/* assay sanitize: the build's kernels under compute-sanitizer. */
#include "verify/sanitize.h"
#include "cli/judging.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sanitize_arguments {
    cli_options common;
    cli_judging judging;
    sanitize_options options;
    int self_test;
} sanitize_arguments;

static const struct argp_option options_list[] = {
    {"tool", 'T', "LIST", 0, "only these tools: memcheck, racecheck, initcheck, synccheck", 1},
    {"self-test", 'x', NULL, 0,
     "run the kernels with injected mistakes instead: each tool must report its own", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    sanitize_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->judging;
        return 0;
    case 'T':
        a->options.tools = argument;
        return 0;
    case 'x':
        a->self_test = 1;
        return 0;
    case ARGP_KEY_END:
        if (a->common.filter.sizes != NULL)
            argp_error(state, "--size: every problem here is small; leave it out");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* 1 if everything needed is there; else *exit_status and a line that says what is missing. */
static int can_run(workspace *ws, char *program, size_t program_bytes, int *exit_status)
{
    assay_error error = {0};
    assay_device *device = NULL;
    *exit_status = ASSAY_EXIT_SKIPPED;
    const assay_status status = cli_open_device(ws, &device, &error);
    assay_device_close(device); /* each case opens it in its own process */
    if (status != ASSAY_OK)
        fprintf(stderr, "assay sanitize: skipped: %s\n", error.message);
    else if (strcmp(ws->device, "cuda") != 0)
        fprintf(stderr,
                "assay sanitize: skipped: compute-sanitizer is for GPUs; the CPU device watches accesses "
                "itself (-DASSAY_SIMT_CHECK=strict)\n");
    else if (!sanitize_find_program(program, program_bytes))
        fprintf(stderr,
                "assay sanitize: skipped: compute-sanitizer was not found; it is part of the CUDA toolkit: "
                "put its folder on PATH or name it in ASSAY_COMPUTE_SANITIZER\n");
    else
        return 1;
    if (status != ASSAY_OK && status != ASSAY_ERR_ENVIRONMENT)
        *exit_status = assay_status_exit(status);
    return 0;
}

int command_sanitize(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {&cli_judging_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .doc = "Run kernels under NVIDIA's compute-sanitizer, at their small size and in their edge cases, "
               "in f32, "
               "tf32 and bf16 unless --dtype says otherwise.\v"
               "A process may take 300 s, and 60 s more for each further kernel in it. One for each core "
               "works at a time, at most 16.\n"
               "Exit status: 0 nothing reported, 1 a tool reported something, 2 wrong use, 3 something "
               "needed is "
               "missing, 77 skipped: no GPU or no compute-sanitizer, 130 interrupted.",
        .children = children,
    };
    sanitize_arguments a = {0};
    char program[4200];
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int exit_status = cli_open("sanitize", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    assay_error error = {0};
    verify_summary summary = {0};
    a.options.dry_run = a.common.dry_run;
    a.options.quiet = a.judging.quiet || a.common.json;
    a.options.jobs = a.judging.jobs;
    a.options.time_limit_s = a.judging.time_limit_s;
    a.options.program = program;
    process_watch_interrupts();
    if (can_run(ws, program, sizeof program, &exit_status)) {
        const assay_status status = a.self_test
                                        ? sanitize_self_test(ws, &a.options, &summary, &error)
                                        : sanitize_run(ws, &a.common.filter, &a.options, &summary, &error);
        exit_status = status == ASSAY_OK ? verify_summary_exit(&summary) : cli_fail("sanitize", &error);
        if (status == ASSAY_OK && a.judging.quiet && !a.common.json)
            cli_print_failures(&summary);
        if (status == ASSAY_OK)
            cli_print_summary(&a.common, &summary, 0);
        verify_summary_release(&summary);
    }
    workspace_close(ws);
    return exit_status;
}

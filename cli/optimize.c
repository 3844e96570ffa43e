/* assay optimize: make one kernel faster, one change at a time. */
#include "optimize/optimize.h"
#include "bench/ceilings/ceilings_ensure.h"
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/numbers.h"
#include "core/json_file.h"
#include "outside/given_op.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct optimize_arguments {
    cli_options common;
    cli_given given;
    optimize_options options;
} optimize_arguments;

static const struct argp_option options_list[] = {
    {"ref", 'R', "OP|FILE.c", 0,
     "the op that the kernel computes, whose reference judges every version; or a plain C reference with "
     "its shapes in comments (docs/outside.md)",
     1},
    {"about", 'A', "FILE.json", 0, "with a C reference: its shapes and sizes, in place of comments", 1},
    {"iterations", 'i', "N", 0, "versions to try, fixed at the start (default 5)", 1},
    {"out", 'O', "DIR", 0, "folder of the run; a run that is there goes on where it stopped", 1},
    {"provider", 'p', "COMMAND|URL", 0,
     "writes the versions: a shell command that gets a prompt as JSON on standard input and prints its "
     "answer, or an endpoint that speaks OpenAI's chat completions, its key in ASSAY_PROVIDER_KEY "
     "(docs/optimize.md); without one tunables of the kernel are changed",
     1},
    {"model", 'M', "NAME", 0, "of a provider that is an endpoint: the model it is asked for", 1},
    {"provider-limit", 'P', "SECONDS", 0, "longest time for an answer (default 600)", 1},
    {"ncu", 'N', NULL, 0,
     "profile each version under ncu, where the kernel runs unconfined; without it the measured time and the "
     "compiler's report say what bounds it",
     1},
    {"experience", 'X', "FILE", 0,
     "log of what was tried (default: $ASSAY_EXPERIENCE, else experience.db in the build folder)", 1},
    {"baselines", 'b', "LIST", 0, "time only these baselines of the op; none for none", 1},
    {"time-limit", 'L', "SECONDS", 0, "longest time for judging a case", 1},
    {"repetitions", 'r', "N", 0, "repetitions of each timing (default 10)", 1},
    {"sample-ms", 'm', "X", 0, "samples of each repetition (default 100)", 1},
    {"warmup-ms", 'w', "X", 0, "warm-up of each repetition (default 25)", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    optimize_arguments *a = state->input;
    optimize_options *o = &a->options;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'R':
        o->op = argument;
        return 0;
    case 'A':
        a->given.about = argument;
        return 0;
    case 'i':
        o->iterations = (int)cli_parse_number(state, "iterations", argument, 1, OPTIMIZE_MOST_ITERATIONS);
        return 0;
    case 'O':
        o->out = argument;
        return 0;
    case 'p':
        o->provider.command = argument;
        return 0;
    case 'M':
        o->provider.model = argument;
        return 0;
    case 'P':
        o->provider.limit_s = cli_parse_number(state, "provider-limit", argument, 0.1, 1e6);
        return 0;
    case 'b':
        o->bench.baselines = strcmp(argument, "none") == 0 ? "" : argument;
        return 0;
    case 'N':
        o->use_ncu = 1;
        return 0;
    case 'X':
        o->experience = argument;
        return 0;
    case 'L':
        o->request.time_limit_s = cli_parse_number(state, "time-limit", argument, 0.1, 1e6);
        return 0;
    case ARGP_KEY_ARG:
        if (o->kernel)
            argp_error(state, "one kernel file is expected, not \"%s\" and \"%s\"", o->kernel, argument);
        o->kernel = argument;
        return 0;
    case ARGP_KEY_END:
        if (!o->kernel || !o->op || !o->out)
            argp_error(state,
                       "a kernel file, --ref OP and --out DIR are needed, as in: assay optimize mine.cu "
                       "--ref softmax --out run");
        if (a->given.about && !given_op_is_file(o->op))
            argp_error(state, "--about: belongs to --ref FILE.c");
        if (a->common.filter.ops || a->common.filter.variants)
            argp_error(state, "--op and --variant: the kernel is the file, its op is --ref");
        return 0;
    default:
        return cli_parse_timing(key, argument, &o->bench, state);
    }
}

/* A C reference becomes the workspace's one op, in the run's folder. */
static assay_status use_reference(workspace **ws, optimize_arguments *a, assay_error *error)
{
    case_filter filter = {0};
    char folder[4400];
    if (!given_op_is_file(a->options.op))
        return ASSAY_OK;
    a->given.reference = a->options.op;
    snprintf(folder, sizeof folder, "%.4200s/given", a->options.out);
    const assay_status status = cli_use_given(ws, &a->given, a->options.kernel, folder, &filter, error);
    if (status == ASSAY_OK)
        a->options.op = filter.ops;
    return status;
}

/* What a bound is in percent of: measured once a card. Without them a run goes on and knows no bound. */
static void find_ceilings(workspace *ws, const assay_device_info *card, FILE *progress)
{
    assay_error lack = {0};
    if (ceilings_ensure(ws, card, progress, &lack) != ASSAY_OK)
        fprintf(stderr, "assay optimize: %s\n", lack.message);
}

static void print_summary(const optimize_arguments *a, const optimize_summary *summary)
{
    const json_t *state = summary->state;
    const int best = json_get_int(state, "best", 0);
    if (a->common.json) {
        cli_print_json(json_deep_copy(state));
        return;
    }
    printf("best: v%d, %s/best.cu; the run ended because %s\nreport: %s/final_report.md\n", best,
           a->options.out, json_get_text(state, "stopped", ""), a->options.out);
}

int command_optimize(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_shape_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "KERNEL.cu",
        .doc = "Make a kernel faster, one change at a time: each version changes one thing, is judged "
               "against the "
               "op's reference, timed beside the best version so far, and kept or reverted by the rules of "
               "assay "
               "compare.\v"
               "Folders v0 to vN hold each version's source, hypothesis and verdict; final_report.md and "
               "benchmark.md the outcome. Times are for --dtype and --size; edge cases are always judged.\n"
               "Exit status: 0 done, 1 the kernel as given is wrong, 2 wrong use, 3 something needed is "
               "missing, "
               "130 interrupted: the same call goes on.",
        .children = children,
    };
    optimize_arguments a = {.options = {.iterations = 5, .bench = BENCH_OPTIONS_INIT}};
    assay_error error = {0};
    workspace *ws;
    cli_parse(&argp, argc, argv, &a);
    int exit_status = cli_open("optimize", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    a.options.request.dtypes = a.common.filter.dtypes;
    a.options.request.sizes = a.common.filter.sizes;
    a.options.request.quiet = 1;
    a.options.progress = a.common.json ? NULL : stdout;
    optimize_summary summary = {0};
    assay_device *device = NULL;
    char log[4400];
    cli_experience_path(ws, &a.options.experience, log);
    process_watch_interrupts();
    assay_status status = cli_open_device(ws, &device, &error);
    if (status == ASSAY_OK && !a.common.dry_run)
        find_ceilings(ws, assay_device_get_info(device), a.options.progress);
    assay_device_close(device);
    if (status == ASSAY_OK)
        status = use_reference(&ws, &a, &error);
    const case_filter filter = {
        .ops = a.options.op, .dtypes = a.common.filter.dtypes, .sizes = a.common.filter.sizes};
    if (status == ASSAY_OK)
        status = cli_check_filter(ws, &filter, &error);
    if (status == ASSAY_OK && a.common.dry_run)
        printf("%s would be optimized as %s in %s, %d iterations\n", a.options.kernel, a.options.op,
               a.options.out, a.options.iterations);
    else if (status == ASSAY_OK)
        status = optimize_run(ws, &a.options, &summary, &error);
    if (status == ASSAY_OK && !a.common.dry_run)
        print_summary(&a, &summary);
    exit_status = status == ASSAY_OK      ? ASSAY_EXIT_OK
                  : process_interrupted() ? (cli_fail("optimize", &error), 130)
                                          : cli_fail("optimize", &error);
    optimize_summary_release(&summary);
    workspace_close(ws);
    return exit_status;
}

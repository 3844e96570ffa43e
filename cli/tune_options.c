/* The options of `assay tune`: see tune_options.h. */
#include "cli/tune_options.h"
#include "cli/numbers.h"
#include "tune/providers/provider.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_BUDGET = 256,
    OPT_EVALUATIONS,
    OPT_STRATEGY,
    OPT_SEED,
    OPT_TARGET,
    OPT_PATIENCE,
    OPT_BATCH,
    OPT_NEW,
    OPT_SAVE,
    OPT_NO_FINALS,
    OPT_ALL,
    OPT_MODE,
    OPT_SCREEN,
    OPT_SPACE,
    OPT_PROVIDER,
    OPT_MODEL,
    OPT_PROPOSALS,
    OPT_COMPILE_LIMIT,
    OPT_VERIFY_LIMIT,
    OPT_SPILL,
    OPT_GIVE_UP,
    OPT_JOBS,
    OPT_DIMS,
    OPT_PARAMS,
    OPT_EXECUTOR,
    OPT_EXECUTOR_OPTIONS,
    OPT_DEVICES,
    OPT_SWEEP_SHAPES,
    OPT_HELD_OUT,
    OPT_ONLY,
    OPT_OUTCOME,
    OPT_REPORT
};

const struct argp_option tune_options_list[] = {
    {"budget", OPT_BUDGET, "TIME", 0,
     "end the search after 90s, 10m or 2h (default 10m; none with --evaluations or --sweep-shapes)", 1},
    {"evaluations", OPT_EVALUATIONS, "N", 0, "end the search after N configurations", 1},
    {"target-us", OPT_TARGET, "X", 0, "end the search when a configuration takes at most X us", 1},
    {"patience", OPT_PATIENCE, "N", 0, "end the search after N configurations without a new best", 1},
    {"strategy", OPT_STRATEGY, "NAME", 0, "how to search; \"help\" lists the strategies (default bayesian)",
     1},
    {"seed", OPT_SEED, "N", 0, "of the strategy (default 1): the same seed searches in the same order", 1},
    {"new", OPT_NEW, NULL, 0,
     "begin anew, without what the archive has; else a run that was interrupted goes on", 1},
    {"save", OPT_SAVE, NULL, 0,
     "write a winner that is faster than the default to ops/OP/best/ARCH.json, from where the next build "
     "takes it",
     1},
    {"no-finals", OPT_NO_FINALS, NULL, 0, "end with the search and name no winner: to record a space", 1},
    {"all", OPT_ALL, NULL, 0, "every op: its last variant with tunables", 1},
    {"executor", OPT_EXECUTOR, "NAME", 0,
     "where the tunings run: \"local\", one after the other (default), or \"slurm\", a task each of a job "
     "array",
     1},
    {"executor-options", OPT_EXECUTOR_OPTIONS, "TEXT", 0,
     "options of sbatch, with blanks between them: \"--partition=gpu --gpus=1 --time=2:00:00\"", 1},
    {"sweep-shapes", OPT_SWEEP_SHAPES, "N", 0,
     "time all values of the tunables that op.json marks \"run_time\" at N shapes drawn as `assay sweep` "
     "draws them, and "
     "make the table by which the kernel then chooses",
     1},
    {"held-out", OPT_HELD_OUT, "N", 0,
     "of other shapes, for the table's regret (default: half of --sweep-shapes)", 1},
    {"only", OPT_ONLY, "LIST", 0,
     "with --sweep-shapes: the run-time tunables that are varied (default: all; of more than 64 combinations "
     "each one alone)",
     1},
    {"dims", OPT_DIMS, "LIST", 0, "a problem of these dimensions instead of a size of op.json", 1},
    {"params", OPT_PARAMS, "LIST", 0, "with --dims: parameters of the op that differ from their defaults", 1},
    {"provider", OPT_PROVIDER, "NAME", 0,
     "who proposes the first configurations: heuristic, command:PROGRAM ARGS, or an endpoint's http:// or "
     "https:// address; "
     "the search goes on from them",
     1},
    {"model", OPT_MODEL, "NAME", 0, "of a provider that is an endpoint: the model it is asked for", 1},
    {"proposals", OPT_PROPOSALS, "N", 0, "configurations that the provider is asked for (default 8)", 1},
    {"screen", OPT_SCREEN, "DIR", 0,
     "before a configuration costs GPU time, run it on the CPU device with every access watched; DIR is a "
     "build folder for that "
     "device",
     1},
    {"space", OPT_SPACE, "FILE", 0,
     "a T1 file: values and conditions in the place of op.json's, of tunables that op.json has; for one op "
     "and variant",
     1},
    {"mode", OPT_MODE, "MODE", 0, "timing mode whose mean is to be least (default cold)", 1},
    {"batch", OPT_BATCH, "N", 0,
     "configurations that are compiled and timed together (default 4, at most 16)", 2},
    {"jobs", OPT_JOBS, "N", 0, "compilers at the same time (default: one a core)", 2},
    {"devices", OPT_DEVICES, "LIST", 0,
     "spread one tuning over these devices, as in 0,1,2,3, the finals on the first (default: all GPUs that "
     "are "
     "like the first); of several tunings, run one at a time on each",
     1},
    {"device", 'd', "N", 0, "number of the one device to use", 2},
    {"compile-limit", OPT_COMPILE_LIMIT, "SECONDS", 0, "longest compile of a configuration (default 300)", 2},
    {"verify-limit", OPT_VERIFY_LIMIT, "SECONDS", 0,
     "longest correctness run of a configuration and size (default 120)", 2},
    {"max-spill", OPT_SPILL, "BYTES", 0, "do not run what spills more registers than this (default 1024)", 2},
    {"give-up", OPT_GIVE_UP, "FACTOR", 0,
     "time no second repetition of what takes FACTOR times the best (default 1.5)", 2},
    {"repetitions", 'r', "N", 0,
     "of each finalist (default 10) and, if fewer, of each configuration (default 3)", 2},
    {"warmup-ms", 'w', "X", 0, "warm-up of each repetition", 2},
    {"sample-ms", 'm', "X", 0, "samples of each repetition", 2},
    {"report", OPT_REPORT, "NAME", 0, "write the report of one tuning to NAME.md of the logs folder", 2},
    {"outcome", OPT_OUTCOME, "FILE", 0, "write what --json prints of one tuning to this file as well", 2},
    {0},
};

static error_t parse_limits(int key, char *argument, tune_arguments *a, struct argp_state *state)
{
    tune_options *o = &a->options;
    switch (key) {
    case OPT_BATCH:
        o->batch = (int)cli_parse_whole(state, "batch", argument, 1, EVALUATE_MOST);
        return 0;
    case OPT_JOBS:
        o->evaluate.compile_jobs = (int)cli_parse_whole(state, "jobs", argument, 1, COMPILE_POOL_JOBS);
        return 0;
    case OPT_COMPILE_LIMIT:
        o->evaluate.compile_limit_s = cli_parse_number(state, "compile-limit", argument, 0.001, 1e6);
        return 0;
    case OPT_VERIFY_LIMIT:
        o->evaluate.verify_limit_s = cli_parse_number(state, "verify-limit", argument, 0.001, 1e6);
        return 0;
    case OPT_SPILL:
        o->evaluate.most_spill_bytes = cli_parse_whole(state, "max-spill", argument, 0, 1000000000);
        return 0;
    case OPT_GIVE_UP:
        o->evaluate.give_up_factor = cli_parse_number(state, "give-up", argument, 1, 1e9);
        return 0;
    default:
        a->device_given |= key == 'd';
        return cli_parse_timing(key, argument, &a->timing, state);
    }
}

/* An option that says how to search, for a task of a cluster: where it runs and what becomes of it is decided here. */
static void pass_on(int key, const char *argument, tune_arguments *a)
{
    static const int kept[] = {OPT_ALL,     OPT_NEW,     OPT_SAVE,  OPT_EXECUTOR, OPT_EXECUTOR_OPTIONS,
                               OPT_DEVICES, OPT_OUTCOME, OPT_REPORT};
    const struct argp_option *option = tune_options_list;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i] == key)
            return;
    while (option->name && option->key != key)
        option++;
    if (!option->name || a->passed_count == TUNE_PASSED)
        return;
    char *text = NULL;
    if (asprintf(&text, "--%s%s%s", option->name, argument ? "=" : "", argument ? argument : "") > 0)
        a->passed[a->passed_count++] = text;
}

static error_t parse_executor(int key, char *argument, tune_arguments *a, struct argp_state *state)
{
    switch (key) {
    case OPT_EXECUTOR:
        a->slurm = strcmp(argument, "slurm") == 0;
        if (!a->slurm && strcmp(argument, "local") != 0)
            argp_error(state, "--executor: local or slurm is expected, not \"%s\"", argument);
        return 0;
    case OPT_EXECUTOR_OPTIONS:
        a->executor_options = argument;
        return 0;
    case OPT_DEVICES:
        a->devices = argument;
        return 0;
    case OPT_OUTCOME:
        a->outcome = argument;
        return 0;
    case OPT_REPORT:
        if (argument[0] == '\0' || strlen(argument) > 250 || strchr(argument, '/'))
            argp_error(state, "--report: the name of a file without folders is expected, not \"%s\"",
                       argument);
        a->report = argument;
        return 0;
    case OPT_SWEEP_SHAPES:
        a->sweep_shapes = (int)cli_parse_whole(state, "sweep-shapes", argument, 1, OPSPEC_MAX_SHAPES);
        return 0;
    case OPT_HELD_OUT:
        a->held_out = (int)cli_parse_whole(state, "held-out", argument, 1, OPSPEC_MAX_SHAPES);
        return 0;
    case OPT_ONLY:
        a->only = argument;
        return 0;
    default:
        return parse_limits(key, argument, a, state);
    }
}

/* What excludes or needs another option. argp_error() ends the program. */
static void check(tune_arguments *a, struct argp_state *state)
{
    const tune_options *o = &a->options;
    if (o->no_finals && o->save)
        argp_error(state, "--no-finals and --save exclude each other: the finals name what is saved");
    if (a->space && o->save)
        argp_error(state, "--space and --save exclude each other: a build takes values of op.json");
    if (a->space && a->sweep_shapes)
        argp_error(state, "--space and --sweep-shapes exclude each other: a table holds values of op.json");
    if (a->common.params && !a->common.dims)
        argp_error(state, "--params: is for a problem given with --dims");
    if (o->provider_model && (!o->provider || strncmp(o->provider, "http", 4) != 0))
        argp_error(state, "--model: it is for a --provider that is an endpoint");
    if (o->provider_count && !o->provider)
        argp_error(state, "--proposals: it is for --provider");
    if (a->held_out && !a->sweep_shapes)
        argp_error(state, "--held-out: it is for --sweep-shapes");
    if (a->only && !a->sweep_shapes)
        argp_error(state, "--only: it is for --sweep-shapes");
    if (a->sweep_shapes && (a->common.dims || a->common.filter.sizes || a->slurm))
        argp_error(state, "--sweep-shapes: it draws the sizes itself, on devices of this machine");
    if (a->sweep_shapes && (o->evaluations || o->strategy || o->patience || o->target_us > 0 || o->provider ||
                            o->no_finals || o->batch || o->is_new || a->screen || a->outcome))
        argp_error(state, "--sweep-shapes measures every configuration at every shape; of a search's options "
                          "--budget goes with it");
    if (a->sweep_shapes && !a->held_out)
        a->held_out = (a->sweep_shapes + 1) / 2;
    if (a->sweep_shapes + a->held_out > OPSPEC_MAX_SHAPES)
        argp_error(state, "--sweep-shapes and --held-out: at most %d shapes together", OPSPEC_MAX_SHAPES);
    if (a->executor_options && !a->slurm)
        argp_error(state, "--executor-options: they are for --executor slurm");
    if (a->devices && a->device_given)
        argp_error(state, "--device and --devices exclude each other");
    if (a->devices && a->slurm)
        argp_error(state, "--devices: devices of this machine; --executor slurm takes the nodes'");
}

error_t tune_options_parse(int key, char *argument, struct argp_state *state)
{
    tune_arguments *a = state->input;
    tune_options *o = &a->options;
    pass_on(key, argument, a);
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case OPT_BUDGET:
        o->budget_s = cli_parse_duration(state, "budget", argument);
        return 0;
    case OPT_EVALUATIONS:
        o->evaluations = cli_parse_whole(state, "evaluations", argument, 1, 1000000000);
        return 0;
    case OPT_TARGET:
        o->target_us = cli_parse_number(state, "target-us", argument, 0, 1e12);
        return 0;
    case OPT_PATIENCE:
        o->patience = cli_parse_whole(state, "patience", argument, 1, 1000000000);
        return 0;
    case OPT_STRATEGY:
        o->strategy = argument;
        return 0;
    case OPT_SEED:
        o->seed = (uint64_t)cli_parse_whole(state, "seed", argument, 0, 1000000000);
        return 0;
    case OPT_NEW:
        o->is_new = 1;
        return 0;
    case OPT_SAVE:
        o->save = 1;
        return 0;
    case OPT_NO_FINALS:
        o->no_finals = 1;
        return 0;
    case OPT_ALL:
        a->all = 1;
        return 0;
    case OPT_DIMS:
        a->common.dims = argument;
        return 0;
    case OPT_PARAMS:
        a->common.params = argument;
        return 0;
    case OPT_PROVIDER:
        o->provider = argument;
        return 0;
    case OPT_MODEL:
        o->provider_model = argument;
        return 0;
    case OPT_PROPOSALS:
        o->provider_count = (int)cli_parse_whole(state, "proposals", argument, 1, PROVIDER_MAX_CANDIDATES);
        return 0;
    case OPT_SCREEN:
        a->screen = argument;
        return 0;
    case OPT_SPACE:
        a->space = argument;
        return 0;
    case OPT_MODE:
        a->mode = argument;
        return 0;
    case ARGP_KEY_ARG:
        return cli_parse_op(argument, &a->common, state);
    case ARGP_KEY_SUCCESS:
        check(a, state);
        return 0;
    default:
        return parse_executor(key, argument, a, state);
    }
}

void tune_arguments_init(tune_arguments *a)
{
    const bench_options defaults = BENCH_OPTIONS_INIT;
    *a = (tune_arguments){.timing = {.repetitions = -1, .warmup_ms = -1, .sample_ms = -1}};
    a->options = (tune_options){.seed = 1,
                                .evaluate = {.compile_limit_s = 300,
                                             .verify_limit_s = 120,
                                             .most_spill_bytes = 1024,
                                             .give_up_factor = 1.5,
                                             .mode = TIMING_COLD,
                                             .bench = defaults},
                                .finals = defaults};
}

/* Search by quick repetitions, finals by full ones. */
void tune_arguments_finish(tune_arguments *a)
{
    bench_options *quick = &a->options.evaluate.bench, *full = &a->options.finals;
    const bench_options *given = &a->timing;
    quick->quick = 1;
    quick->device_ordinal = full->device_ordinal = given->device_ordinal;
    if (given->repetitions > 0) {
        full->repetitions = given->repetitions;
        quick->repetitions = given->repetitions < 3 ? given->repetitions : 3;
    }
    if (given->warmup_ms >= 0)
        quick->warmup_ms = full->warmup_ms = given->warmup_ms;
    if (given->sample_ms >= 0)
        quick->sample_ms = full->sample_ms = given->sample_ms;
    if (a->options.budget_s == 0 && a->options.evaluations == 0 && !a->sweep_shapes)
        a->options.budget_s = 600;
    a->options.progress = a->common.json ? NULL : stdout;
}

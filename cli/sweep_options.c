/* The options of `assay sweep`: see sweep_options.h. */
#include "cli/sweep_options.h"
#include "cli/numbers.h"
#include "core/list.h"
#include "sweep/draw.h"
#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    OPT_COUNT = 256,
    OPT_SEED,
    OPT_FAMILY,
    OPT_SHAPES,
    OPT_LIST,
    OPT_REQUIRE,
    OPT_BUDGET,
    OPT_TIMED,
    OPT_VERIFY_ONLY,
    OPT_BASELINES,
    OPT_MODE,
    OPT_LIMIT,
    OPT_JOBS,
    OPT_AGAIN,
    OPT_NO_PLOTS,
    OPT_ALL,
    OPT_CHECK,
    OPT_SOURCE
};

const struct argp_option sweep_options_list[] = {
    {"count", OPT_COUNT, "N", 0, "shapes to draw (default 100, on the CPU device 40)", 1},
    {"seed", OPT_SEED, "S", 0, "of the draws and the data (default 1); \"fresh\" draws one and says which",
     1},
    {"family", OPT_FAMILY, "LIST", 0, "only these families of op.json's \"sweep\"", 1},
    {"shapes", OPT_SHAPES, "FILE", 0,
     "the shapes of this file, one JSON object a line, as --list prints them (-: standard input)", 1},
    {"list", OPT_LIST, NULL, 0, "print the shapes as JSON lines and run nothing", 1},
    {"all", OPT_ALL, NULL, 0, "every op", 1},
    {"require", OPT_REQUIRE, "LIST", 0,
     "least ratios to the best baseline, as minimum=0.75,p10=0.9,median=1,geomean=1; below: exit status 1",
     1},
    {"budget", OPT_BUDGET, "TIME", 0, "begin no new shapes after 90s or 5m; with --all of all ops together",
     1},
    {"timed", OPT_TIMED, NULL, 0, "on the CPU device, too, time what is right (beside the op's C reference)",
     1},
    {"verify-only", OPT_VERIFY_ONLY, NULL, 0, "time nothing", 1},
    {"check", OPT_CHECK, NULL, 0,
     "on the CPU device: watch every access of the kernels for races and strays; times nothing", 1},
    {"source", OPT_SOURCE, "FILE", 0, "sweep this kernel file instead of the tree's; times nothing", 1},
    {"baselines", OPT_BASELINES, "LIST", 0,
     "baselines to time; \"all\" are op.json's (default: those that compile nothing for a shape, so without "
     "torch.compile and "
     "Triton)",
     2},
    {"mode", OPT_MODE, "MODE", 0, "timing mode whose means are compared (default cold)", 2},
    {"repetitions", 'r', "N", 0, "of each kernel and baseline (default 3)", 2},
    {"warmup-ms", 'w', "X", 0, "warm-up of each repetition (default 2)", 2},
    {"sample-ms", 'm', "X", 0, "samples of each repetition (default 8)", 2},
    {"time-limit", OPT_LIMIT, "SECONDS", 0,
     "longest correctness run of a shape (default 120, with --check 960)", 2},
    {"jobs", OPT_JOBS, "N", 0, "shapes verified at the same time", 2},
    {"again", OPT_AGAIN, NULL, 0,
     "judge and time again what is known; without it a sweep that was stopped goes on", 2},
    {"no-plots", OPT_NO_PLOTS, NULL, 0, "write the log without plots", 2},
    {"device", 'd', "N", 0, "number of the device (default 0)", 2},
    {0},
};

static uint64_t draw_seed(void)
{
    uint32_t word = 0;
    struct timespec now;
    if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word && clock_gettime(CLOCK_REALTIME, &now) == 0)
        word = (uint32_t)now.tv_nsec ^ (uint32_t)now.tv_sec;
    return word % 1000000000 + 1;
}

static error_t parse_timing(int key, char *argument, sweep_arguments *a, struct argp_state *state)
{
    sweep_options *o = &a->options;
    switch (key) {
    case OPT_TIMED:
        a->timed = 1;
        return 0;
    case OPT_VERIFY_ONLY:
        a->verify_only = 1;
        return 0;
    case OPT_BASELINES:
        a->baselines = argument;
        return 0;
    case OPT_MODE:
        if (!timing_mode_parse(argument, &o->mode)) {
            char known[256];
            timing_modes_text(~0u, known, sizeof known);
            argp_error(state, "--mode: there is no timing mode \"%s\"; there are: %s", argument, known);
        }
        return 0;
    case OPT_LIMIT:
        o->limit_s = cli_parse_number(state, "time-limit", argument, 0.001, 1e6);
        return 0;
    case OPT_JOBS:
        o->jobs = (int)cli_parse_whole(state, "jobs", argument, 1, 1024);
        return 0;
    default:
        return cli_parse_timing(key, argument, &o->bench, state);
    }
}

error_t sweep_options_parse(int key, char *argument, struct argp_state *state)
{
    sweep_arguments *a = state->input;
    assay_error error = {0};
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case OPT_COUNT:
        a->count = (int)cli_parse_whole(state, "count", argument, 1, DRAW_MOST_SHAPES);
        return 0;
    case OPT_SEED:
        a->seed = strcmp(argument, "fresh") == 0
                      ? draw_seed()
                      : (uint64_t)cli_parse_whole(state, "seed", argument, 1, 1000000000);
        return 0;
    case OPT_FAMILY:
        a->families = argument;
        return 0;
    case OPT_SHAPES:
        a->shapes = argument;
        return 0;
    case OPT_LIST:
        a->list = 1;
        return 0;
    case OPT_CHECK:
        a->check = 1;
        return 0;
    case OPT_SOURCE:
        a->source = argument;
        return 0;
    case OPT_ALL:
        a->all = 1;
        return 0;
    case OPT_REQUIRE:
        a->require_text = argument;
        if (sweep_require_parse(argument, &a->require, &error) != ASSAY_OK)
            argp_error(state, "%s", error.message);
        return 0;
    case OPT_BUDGET:
        a->options.budget_s = cli_parse_duration(state, "budget", argument);
        return 0;
    case OPT_AGAIN:
        a->options.again = 1;
        return 0;
    case OPT_NO_PLOTS:
        a->no_plots = 1;
        return 0;
    case ARGP_KEY_ARG:
        return cli_parse_op(argument, &a->common, state);
    default:
        return parse_timing(key, argument, a, state);
    }
}

assay_status sweep_arguments_check(const sweep_arguments *a, assay_error *error)
{
    const char *wrong =
        !a->common.filter.ops && !a->all ? "an op is needed, as in: assay sweep matmul; or --all"
        : a->common.filter.ops && a->all ? "--all is every op; name one or give --all"
        : a->common.filter.ops && list_count(a->common.filter.ops) != 1
            ? "one op is expected; --all is every op"
        : a->common.filter.sizes ? "--size: a sweep draws its shapes; assay verify and bench take sizes"
        : a->shapes && (a->families || a->count || a->all)
            ? "--shapes: the file is the list; --count, --family and --all are for drawing"
        : a->timed && a->verify_only ? "--timed and --verify-only exclude each other"
        : a->timed && (a->check || a->source)
            ? "--check and --source verify; times are of the tree's kernels as they are built"
        : a->source && (a->common.filter.variants || a->all) ? "--source: the file is the variant, of one op"
        : a->families && a->all ? "--family: families are an op's; name the op instead of --all"
                                : NULL;
    return wrong ? assay_error_set(error, ASSAY_ERR_INVALID, "%s", wrong) : ASSAY_OK;
}

void sweep_arguments_init(sweep_arguments *a)
{
    *a = (sweep_arguments){.seed = 1,
                           .require = {NAN, NAN, NAN, NAN},
                           .options = {.mode = TIMING_COLD, .bench = BENCH_OPTIONS_INIT}};
    a->options.bench.repetitions = 3;
    a->options.bench.warmup_ms = 2;
    a->options.bench.sample_ms = 8;
}

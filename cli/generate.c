/* assay generate: kernels of ops from a provider; what is proven right is kept and timed. */
#include "cli/cli.h"
#include "cli/numbers.h"
#include "cli/shrink.h"
#include "core/json_file.h"
#include "core/process.h"
#include "optimize/generate.h"
#include "optimize/generate_pages.h"
#include "optimize/op_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generate_arguments {
    cli_options common;
    const char *ops;
    generate_options options;
    cli_shrink shrink;
    json_t *shrunk; /* what came of it */
} generate_arguments;

static const struct argp_option options_list[] = {
    {"out", 'O', "DIR", 0, "folder of the run; what is decided there is not asked for again", 1},
    {"provider", 'p', "COMMAND|URL", 0,
     "writes the kernels: a shell command that gets a prompt as JSON on standard input and prints its "
     "answer, "
     "or an endpoint that speaks OpenAI's chat completions, its key in ASSAY_PROVIDER_KEY (docs/optimize.md)",
     1},
    {"model", 'M', "NAME", 0, "of a provider that is an endpoint: the model it is asked for", 1},
    {"provider-limit", 'P', "SECONDS", 0, "longest time for an answer (default 600)", 1},
    {"time-limit", 'L', "SECONDS", 0, "longest time for judging a case", 1},
    {"quick", 'q', NULL, 0, "time with three short repetitions: a look, not a result", 1},
    CLI_SHRINK_OPTION,
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    generate_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'O':
        a->options.out = argument;
        return 0;
    case 'p':
        a->options.provider.command = argument;
        return 0;
    case 'M':
        a->options.provider.model = argument;
        return 0;
    case 'P':
        a->options.provider.limit_s = cli_parse_number(state, "provider-limit", argument, 1e-3, 1e6);
        return 0;
    case 'L':
        a->options.request.time_limit_s = cli_parse_number(state, "time-limit", argument, 1e-3, 1e6);
        return 0;
    case 'z':
        cli_parse_shrink(state, argument, &a->shrink);
        return 0;
    case 'q':
        a->options.bench.quick = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (a->ops)
            argp_error(state, "one list of ops is expected, with commas and in quotes");
        a->ops = argument;
        return 0;
    case ARGP_KEY_END:
        if (!a->ops || !a->options.out || !a->options.provider.command)
            argp_error(state, "ops, --provider COMMAND and --out DIR are needed, as in: assay generate "
                              "\"softmax, F.gelu\" --provider ./provider --out made");
        if (a->common.filter.ops || a->common.filter.variants)
            argp_error(state,
                       "--op and --variant: ops are named without an option, variants are always four");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_summary(const generate_arguments *a, json_t *states)
{
    size_t i;
    json_t *state;
    if (a->common.json) {
        cli_print_json(json_pack("{s:O}", "ops", states));
        return;
    }
    json_array_foreach(states, i, state)
        printf("%s: %d variants are right, %d were skipped\n", json_get_text(state, "op", ""),
               generate_count(state, "right"), generate_count(state, "skipped"));
    printf("%s/summary.md\n", a->options.out);
}

/* Which were skipped is for the exit status; a provider that is no good is no fault of this command's use. */
static int exit_of(const json_t *states)
{
    int skipped = 0;
    size_t i;
    json_t *state;
    json_array_foreach(states, i, state) skipped += generate_count(state, "skipped");
    return skipped > 0 ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
}

static assay_status run(workspace *ws, generate_arguments *a, json_t *states, assay_error *error)
{
    const workspace_op *ops[OP_NAMES_MOST];
    int count = 0;
    assay_device *device = NULL;
    assay_status status = op_names_resolve(ws, a->ops, ops, &count, error);
    if (status == ASSAY_OK)
        status = cli_check_filter(ws, &a->common.filter, error);
    if (status == ASSAY_OK)
        status = cli_open_device(ws, &device, error);
    assay_device_close(device);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        json_t *state = NULL;
        if (a->common.dry_run) {
            printf("would generate %s into %s/%s\n", ops[i]->spec->name, a->options.out, ops[i]->spec->name);
            continue;
        }
        status = cli_shrink_sizes(ws, ops[i], &a->common.filter, &a->shrink, a->options.progress, a->shrunk,
                                  error);
        if (status == ASSAY_OK)
            status = generate_op(ws, ops[i], &a->options, &state, error);
        if (state)
            json_array_append_new(states, state);
    }
    if (status == ASSAY_OK && !a->common.dry_run)
        status = page_generate_summary(a->options.out, states, error);
    return status;
}

int command_generate(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_shape_filter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "OPS",
        .doc =
            "Let a provider write four variants of each op, prove them right, and time those that are. OPS "
            "is "
            "a list with commas; \"F.softmax\" and \"torch.nn.functional.softmax\" are softmax.\v"
            "Each variant has three attempts; what was wrong goes into the next prompt. The build's own "
            "kernels and results stay as they are.\n"
            "Exit status: 0 all variants are right, 1 some were skipped, 2 wrong use, 3 something needed is "
            "missing, 130 interrupted: the same call goes on.",
        .children = children,
    };
    generate_arguments a = {.options = {.bench = BENCH_OPTIONS_INIT}, .shrunk = NULL};
    assay_error error = {0};
    workspace *ws;
    cli_parse(&argp, argc, argv, &a);
    int exit_status = cli_open("generate", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    a.options.request.dtypes = a.common.filter.dtypes;
    a.options.request.sizes = a.common.filter.sizes;
    a.options.request.quiet = 1;
    a.options.progress = a.common.json ? NULL : stdout;
    a.options.shrunk = a.shrunk = json_array();
    json_t *states = json_array();
    char log[4400];
    cli_experience_path(ws, &a.options.experience, log);
    process_watch_interrupts();
    const assay_status status = run(ws, &a, states, &error);
    if (status == ASSAY_OK && !a.common.dry_run)
        print_summary(&a, states);
    exit_status = status == ASSAY_OK ? exit_of(states) : cli_fail("generate", &error);
    if (status != ASSAY_OK && process_interrupted())
        exit_status = 130;
    json_decref(states);
    json_decref(a.shrunk);
    workspace_close(ws);
    return exit_status;
}

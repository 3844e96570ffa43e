/* assay verify: judge the build's kernels, a kernel from outside the tree, or a folder of golden cases. */
#include "cli/configured.h"
#include "cli/given.h"
#include "cli/judging.h"
#include "cli/measurements.h"
#include "core/list.h"
#include "core/process.h"
#include "cli/verify_modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

typedef struct verify_arguments {
    cli_options common;
    const char *golden, *source, *device;
    cli_judging judging;
    cli_given given;
    verify_options options;
} verify_arguments;

static const struct argp_option options_list[] = {
    {"source", 'S', "FILE.cu", 0,
     "compile and judge this kernel file instead of the build's variants (needs an op)", 1},
    {"device", 'd', "KIND", 0,
     "cpu, cuda or ptx instead of the build's own device; ptx executes what nvcc compiles, and the kernels "
     "are "
     "compiled for it first",
     1},
    {"check", 'c', NULL, 0,
     "on the devices cpu and ptx: watch every access, for races and accesses out of "
     "bounds (small and medium sizes and edge cases, unless --size says otherwise)",
     1},
    {"golden", 'g', "DIR", 0, "run the golden cases of DIR/manifest.json through every variant of their ops",
     1},
    {"seed", 'e', "N", 0, "seed of the inputs; one is drawn for each run, printed, and kept in the verdicts",
     1},
    {"claim", 'C', "LIST", 0,
     "with --source: extras of op.json that the kernel claims, which are required of it then", 1},
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
        state->child_inputs[3] = &a->common;
        state->child_inputs[4] = &a->given;
        return 0;
    case 'S':
        a->source = argument;
        return 0;
    case 'c':
        a->options.checked = 1;
        return 0;
    case 'd':
        a->device = argument;
        return 0;
    case 'g':
        a->golden = argument;
        return 0;
    case 'e':
        a->options.seed = strtoull(argument, &end, 0);
        if (*end != '\0' || end == argument)
            argp_error(state, "--seed: a whole number is expected, not \"%s\"", argument);
        return 0;
    case 'C':
        a->options.claims = argument;
        return 0;
    case 'N':
        a->options.unjudged_only = 1;
        return 0;
    case ARGP_KEY_ARG:
        return cli_parse_op(argument, &a->common, state);
    case ARGP_KEY_END:
        if (a->given.reference && !a->source)
            argp_error(state, "--ref: belongs to --source FILE.cu");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A seed that a kernel cannot know: short, for it is typed again. */
static uint64_t draw_seed(void)
{
    uint32_t word = 0;
    struct timespec now;
    if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word && clock_gettime(CLOCK_REALTIME, &now) == 0)
        word = (uint32_t)now.tv_nsec ^ (uint32_t)now.tv_sec;
    return word % 1000000000 + 1;
}

/* Claims must be extras of the op, for a misspelt one would ask for nothing. */
static assay_status check_claims(const workspace *ws, const verify_arguments *a, assay_error *error)
{
    const workspace_op *op = a->common.filter.ops ? workspace_find_op(ws, a->common.filter.ops) : NULL;
    char known[600] = "";
    int found = 0, asked = 1;
    for (const char *c = a->options.claims; c && *c; c++)
        asked += *c == ',';
    for (int i = 0; op && i < op->spec->extra_count; i++) {
        found += list_has(a->options.claims, op->spec->extras[i].name);
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 op->spec->extras[i].name);
    }
    if (a->options.claims == NULL || (a->source != NULL && found == asked))
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_INVALID,
                           "--claim: extras of the op of --source are expected, not \"%s\"; %s%s",
                           a->options.claims, known[0] ? "there are: " : "there are none", known);
}

/* Modules are compiled for a kernel from outside, and for watched accesses; then the small and medium sizes and the edge cases are enough, as
 * far as --size does not say otherwise: watching takes its time. */
static assay_status run(workspace *ws, verify_arguments *a, verify_summary *summary, assay_error *error)
{
    made_modules made = {0};
    cli_configured configured;
    if (check_claims(ws, a, error) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    if (a->common.set && (a->source || a->golden))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--set is for kernels of the tree, without --source and --golden");
    if (a->common.dims && a->golden)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--dims: golden cases have their own");
    assay_status status =
        cli_configure(ws, &a->common, !a->options.checked && a->device == NULL, &configured, error);
    if (status != ASSAY_OK)
        return status;
    case_filter filter = a->common.filter;
    if (a->golden != NULL)
        return a->options.checked
                   ? assay_error_set(error, ASSAY_ERR_INVALID, "--check: golden cases are run as they are")
                   : verify_golden(ws, a->golden, &filter, &a->options, summary, error);
    if (a->source != NULL && filter.variants != NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--source: the file is the variant; --variant is for kernels of the tree");
    if (a->options.checked && strcmp(ws->device, "cuda") == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--check is for the devices cpu and ptx; on a GPU use: assay sanitize");
    if (a->options.checked && filter.sizes == NULL)
        filter.sizes = "small,medium,edge";
    const int on_ptx = strcmp(ws->device, "ptx") == 0;
    if (on_ptx && a->options.checked) /* the same modules, watched by the device */
        setenv("ASSAY_PTX_CHECK", "1", 1);
    const made_modules_request which = {.source = a->source,
                                        .tuned = a->common.set ? &configured.tuned : NULL,
                                        .checked = a->options.checked && !on_ptx};
    if (a->source != NULL || ((a->device != NULL || which.checked) && !a->options.dry_run))
        status = made_modules_compile(ws, &filter, &which, a->options.quiet, &made, error);
    a->options.modules = made.records;
    a->options.confined = a->source != NULL;
    a->options.module_count = made.count;
    if (status == ASSAY_OK)
        status = verify_run(ws, &filter, &a->options, summary, error);
    made_modules_release(&made);
    return status;
}

int command_verify(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0},     {&cli_filter_argp, 0, NULL, 0}, {&cli_judging_argp, 0, NULL, 0},
        {&cli_configured_argp, 0, NULL, 0}, {&cli_given_argp, 0, NULL, 0},  {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[OP]",
        .doc = "Check kernels against the double reference, in processes of their own, with a verdict file "
               "for each case.\v"
               "A case, or each of its edge cases, may take 120 s, eight times that with --check and in a "
               "sanitizer build. On the CPU "
               "device one process "
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
    if (cli_choose_device(ws, &a.device, &error) != ASSAY_OK) {
        exit_status = cli_fail("verify", &error);
        workspace_close(ws);
        return exit_status;
    }
    verify_summary summary = {0};
    assay_device *device = NULL;
    a.options.dry_run = a.common.dry_run;
    a.options.quiet = a.judging.quiet || a.common.json;
    a.options.jobs = a.judging.jobs;
    a.options.time_limit_s = a.judging.time_limit_s;
    if (a.options.seed == 0)
        a.options.seed = draw_seed();
    process_watch_interrupts();
    if (cli_open_device(ws, &device, &error) != ASSAY_OK) {
        fprintf(stderr, "assay verify: skipped: %s\n", error.message);
        exit_status =
            error.status == ASSAY_ERR_ENVIRONMENT ? ASSAY_EXIT_SKIPPED : assay_status_exit(error.status);
        workspace_close(ws);
        return exit_status;
    }
    assay_device_close(device); /* the workers open it */
    assay_status status = cli_use_given(&ws, &a.given, a.source, NULL, &a.common.filter, &error);
    if (status == ASSAY_OK)
        status = run(ws, &a, &summary, &error);
    if (status == ASSAY_OK) {
        exit_status = verify_summary_exit(&summary);
        if (a.judging.quiet && !a.common.json)
            cli_print_failures(&summary);
        cli_print_summary(&a.common, &summary, a.golden == NULL ? a.options.seed : 0);
        if (!a.common.json && !a.common.dry_run && a.golden == NULL && a.source == NULL && !a.options.checked)
            measurements_of_verdict(ws, &a.common.filter);
    } else {
        exit_status = cli_fail("verify", &error);
    }
    verify_summary_release(&summary);
    workspace_close(ws);
    return exit_status;
}

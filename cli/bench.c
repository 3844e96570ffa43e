/* assay bench: verify what is not verified yet, then time kernels and baselines. */
#include "bench/run/candidate.h"
#include "bench/plan/bench.h"
#include "bench/ceilings/ceilings_ensure.h"
#include "bench/timing/gbench.h"
#include "cli/bench_print.h"
#include "cli/bench_source.h"
#include "cli/given.h"
#include "cli/numbers.h"
#include "cli/shrink.h"
#include "cli/configured.h"
#include "bench/run/counters.h"
#include "cli/measurements.h"
#include "core/list.h"
#include "core/process.h"
#include "results/case_verdict.h"
#include "bench/run/record.h"
#include "verify/fit_sizes.h"
#include "verify/verify.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BENCHMARK_OPTIONS = 24 };

typedef struct bench_arguments {
    cli_options common;
    bench_options options;
    const char *source, *claims;
    cli_given given;
    cli_shrink shrink;
    json_t *shrunk; /* what came of it */
    int no_verify;
    int counters;
    assay_device_info card;
} bench_arguments;

static const struct argp_option options_list[] = {
    {"force", 'f', NULL, 0, "measure again what is fresh", 1},
    {"quick", 'q', NULL, 0,
     "three short repetitions: a quick run, not a result; leaves fuller results alone unless --force", 1},
    {"no-verify", 'V', NULL, 0, "do not verify first; what is not verified is not timed", 1},
    {"baselines", 'p', "LIST", 0, "only these baselines, each with the ops that have it; none for none", 1},
    {"repetitions", 'r', "N", 0, "repetitions of each case (default 10)", 1},
    {"warmup-ms", 'w', "X", 0, "warm-up of each repetition (default 25)", 1},
    {"sample-ms", 'm', "X", 0, "samples of each repetition (default 100)", 1},
    {"bound-s", 'b', "X", 0,
     "time for one kernel and timing mode before its repetitions are cut (default 20 on a GPU, 6 on the CPU "
     "device)",
     1},
    {"flush", 'F', "MODE", 0, "how cold launches flush the cache: memset (default) or read", 1},
    {"modes", 'G', "LIST", 0,
     "timing modes: cold, cold_read, hot, burst, sustained, host (default cold,hot; on CUDA also sustained "
     "for matrix products, of those near the fastest)",
     1},
    {"seed", 'S', "N", 0, "of the test data (default 20260)", 1},
    {"counters", 'C', NULL, 0,
     "afterwards run each timed variant once under ncu and put the bytes it moved (DRAM, L2) into its result",
     1},
    {"lock-clocks", 'L', "MHZ", 0,
     "hold the SM clock at MHZ while measuring and give it back after: only for a card you own, needs "
     "permission",
     1},
    {"device", 'd', "N", 0, "number of the device (default 0)", 1},
    {"source", 'k', "FILE.cu", 0,
     "judge this kernel file, confined, and time it if it passes, beside the op's baselines and the variants "
     "of --variant (needs an op)",
     1},
    {"claim", 'e', "LIST", 0, "with --source: extras of op.json that the kernel claims", 1},
    CLI_SHRINK_OPTION,
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_arguments *a = state->input;
    assay_error error = {0};
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = &a->common;
        state->child_inputs[3] = &a->given;
        return 0;
    case 'f':
        a->options.force = 1;
        return 0;
    case 'q':
        a->options.quick = 1;
        return 0;
    case 'V':
        a->no_verify = 1;
        return 0;
    case 'p':
        a->options.baselines = strcmp(argument, "none") == 0 ? "" : argument;
        return 0;
    case 'b':
        a->options.bound_s = cli_parse_number(state, "bound-s", argument, 0.001, 1e6);
        return 0;
    case 'S':
        a->options.seed = (uint64_t)(int)cli_parse_whole(state, "seed", argument, 1, 1000000000);
        return 0;
    case 'C':
        a->counters = 1;
        return 0;
    case 'L':
        a->options.lock_clocks_mhz = (int)cli_parse_whole(state, "lock-clocks", argument, 100, 100000);
        return 0;
    case 'F':
        if (strcmp(argument, "memset") != 0 && strcmp(argument, "read") != 0)
            argp_error(state, "--flush: memset or read is expected, not \"%s\"", argument);
        a->options.flush = argument;
        return 0;
    case 'G':
        if (timing_modes_parse(argument, &a->options.modes, &error) != ASSAY_OK)
            argp_error(state, "--modes: %s", error.message);
        return 0;
    case 'k':
        a->source = argument;
        return 0;
    case 'z':
        cli_parse_shrink(state, argument, &a->shrink);
        return 0;
    case 'e':
        a->claims = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->source && (a->no_verify || a->counters || a->options.benchmark_options))
            argp_error(state, "--source: goes with no --no-verify, no --counters and no option after --");
        if (a->shrink.asked && (a->source || a->common.dims))
            argp_error(state, "--shrink: is for sizes of op.json, not for --source or --dims");
        if (a->claims && !a->source)
            argp_error(state, "--claim: belongs to --source");
        if (a->given.reference && !a->source)
            argp_error(state, "--ref: belongs to --source FILE.cu");
        return 0;
    case ARGP_KEY_ARG:
        return cli_parse_op(argument, &a->common, state);
    default:
        return cli_parse_timing(key, argument, &a->options, state);
    }
}

/* A kernel is timed only after it was found right at this size and in the edge cases: judge what is missing. `*unjudged` gets the
 * exit status for cases that could not be judged: they cost their own times and not the others'. */
static assay_status verify_first(workspace *ws, const bench_arguments *a, int *unjudged, assay_error *error)
{
    char sizes[1024];
    case_filter filter = a->common.filter;
    if (filter.sizes != NULL && filter.sizes[0] != '\0') {
        snprintf(sizes, sizeof sizes, "%s,edge", filter.sizes);
        filter.sizes = sizes;
    }
    verify_summary summary = {0};
    const verify_options options = {.unjudged_only = 1, .quiet = a->common.json};
    const assay_status status = verify_run(ws, &filter, &options, &summary, error);
    *unjudged = summary.errors > 0 ? summary.error_exit : ASSAY_EXIT_OK;
    verify_summary_release(&summary);
    return status;
}

/* Beside the judging Python may import torch and make its compiler ready, which takes some 20 s. Where
 * nothing is to be judged the server has nothing to be made ready beside. */
static void begin_torch(workspace *ws, const bench_arguments *a, torch_server *torch)
{
    assay_case *cases = NULL;
    int count = 0, unjudged = 0, torch_baselines = 0, compiled = 0;
    if (strcmp(ws->device, "cuda") != 0 ||
        workspace_list_cases(ws, &a->common.filter, 0, &cases, &count, NULL) != ASSAY_OK)
        return;
    for (int i = 0; i < count; i++) {
        const opspec *spec = cases[i].op->spec;
        unjudged |= !case_is_verified(ws, &cases[i]);
        for (int j = 0; j < spec->baseline_count; j++) {
            torch_baselines |= candidate_is_remote(spec->baselines[j]) &&
                               list_selects(a->options.baselines, spec->baselines[j]);
            compiled |= candidate_is_compiled(spec->baselines[j]) &&
                        list_selects(a->options.baselines, spec->baselines[j]);
        }
    }
    free(cases);
    if (torch_baselines && unjudged && !a->no_verify)
        torch_server_begin(torch, ws, a->options.python, compiled);
}

/* 0 also when kernels were refused: a wrong kernel fails its correctness test, and its row says so. */
static int exit_of(const bench_summary *summary)
{
    if (summary->interrupted)
        return 130;
    return summary->cases > 0 && summary->too_large == summary->cases ? ASSAY_EXIT_SKIPPED : ASSAY_EXIT_OK;
}

/* Times are only worth taking where what they are held against is known, and quiet. */
static void measure_ceilings(workspace *ws, const bench_arguments *a, torch_server *torch)
{
    assay_error lack = {0};
    if (torch->begun &&
        !ceilings_are_known(ws, &a->card)) /* what it compiles while it starts runs on the GPU */
        (void)torch_server_start(torch, ws, a->options.python);
    if (ceilings_ensure(ws, &a->card, a->options.progress, &lack) != ASSAY_OK)
        fprintf(stderr, "assay bench: %s\n", lack.message);
}

/* Verify, measure the ceilings, time, count. */
static assay_status measure(workspace *ws, bench_arguments *a, bench_summary *summary, int *unjudged,
                            assay_error *error)
{
    torch_server torch = {.pid = 0};
    const int dry = a->common.dry_run;
    int counted = 0;
    assay_status status = ASSAY_OK;
    a->options.torch = &torch;
    if (!dry)
        begin_torch(ws, a, &torch);
    if (!a->no_verify && !dry)
        status = verify_first(ws, a, unjudged, error);
    if (status == ASSAY_OK && !dry && !process_interrupted())
        measure_ceilings(ws, a, &torch);
    if (status == ASSAY_OK && !process_interrupted())
        status = bench_run(ws, &a->common.filter, &a->options, summary, error);
    torch_server_stop(&torch); /* where it did not come to that */
    if (status == ASSAY_OK && a->counters && !dry && !process_interrupted())
        status = counters_run(ws, &a->common.filter, a->options.progress, &counted, error);
    return status;
}

/* Smaller shapes are more sizes of each op; the filter, where it names sizes, gets their names too. *sizes is to be freed at the end. */
static assay_status shrink(workspace *ws, bench_arguments *a, char **sizes, assay_error *error)
{
    case_filter *filter = &a->common.filter;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < ws->op_count && status == ASSAY_OK; i++)
        if (list_selects(filter->ops, ws->ops[i].spec->name))
            status =
                cli_shrink_sizes(ws, &ws->ops[i], filter, &a->shrink, a->options.progress, a->shrunk, error);
    *sizes = fit_sizes_list(ws, filter->ops, filter->sizes, a->shrunk);
    if ((filter->sizes || json_array_size(a->shrunk) > 0) && !*sizes)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    filter->sizes = *sizes;
    return status;
}

/* ASSAY_ERR_ENVIRONMENT: there is no device. */
static assay_status check_device(workspace *ws, bench_arguments *a, assay_error *error)
{
    assay_device *device = NULL;
    if (strcmp(ws->device, "ptx") == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "the device ptx executes kernels and times none; use a build for cpu or cuda");
    assay_status status =
        a->common.dry_run ? ASSAY_OK : cli_choose_card(ws, &a->options.device_ordinal, error);
    if (status == ASSAY_OK)
        status = cli_open_device(ws, &device, error);
    if (status == ASSAY_OK)
        a->card = *assay_device_get_info(device);
    assay_device_close(device);
    return status;
}

static int finish(workspace *ws, const bench_arguments *a, assay_status status, const bench_summary *summary,
                  int unjudged, const assay_error *error)
{
    const int measured = (status == ASSAY_OK || status == ASSAY_ERR_CHECK) && !a->common.dry_run;
    report_standings against = {0};
    /* Where nothing was timed there may be no results, and nothing to say of them; reports are of the build's kernels and sizes. */
    if (measured && !a->common.set && !a->common.dims)
        report_stand(ws, NULL, &a->common.filter, a->options.progress, &against, NULL);
    if (measured)
        bench_print(ws, &a->common, summary, &against, a->shrunk);
    if (measured && !a->common.json)
        measurements_of_results(ws, &a->common.filter);
    return status != ASSAY_OK          ? cli_fail("bench", error)
           : process_interrupted()     ? 130
           : unjudged != ASSAY_EXIT_OK ? unjudged
                                       : exit_of(summary);
}

/* Options of Google Benchmark, after "--": the worker's. What they select is measured, fresh or not. */
static assay_status take_benchmark_options(int *argc, char **argv, const char **options, bench_options *out,
                                           assay_error *error)
{
    int end = 1, count = 0;
    while (end < *argc && strcmp(argv[end], "--") != 0)
        end++;
    char *given[MOST_BENCHMARK_OPTIONS + 2] = {argv[0]};
    for (int i = end + 1; i < *argc; i++) {
        if (strncmp(argv[i], "--benchmark_", strlen("--benchmark_")) != 0 || count == MOST_BENCHMARK_OPTIONS)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "%s: after -- come options of Google Benchmark (--benchmark_...), %d at most", argv[i],
                MOST_BENCHMARK_OPTIONS);
        given[count + 1] = argv[i];
        options[count++] = argv[i];
    }
    *argc = end;
    argv[end] = NULL;
    int given_count = count + 1;
    if (count > 0)
        out->benchmark_options = options;
    out->force |= count > 0;
    return gbench_start(&given_count, given, error);
}

int command_bench(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0},
                                                 {&cli_filter_argp, 0, NULL, 0},
                                                 {&cli_configured_argp, 0, NULL, 0},
                                                 {&cli_given_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[OP] [-- --benchmark_...]",
        .doc =
            "Time verified kernels and their baselines, cold and hot, and write one result file a case. Run "
            "again after an interrupt, it goes on where it stopped.\v"
            "Options after -- are Google Benchmark's: --benchmark_filter=REGEX, --benchmark_list_tests, "
            "--benchmark_out=FILE, --benchmark_out_format=json|csv|console and others; what they select is "
            "measured "
            "again. Names are OP/KERNEL/DTYPE/SIZE/MODE.\n"
            "Exit status: 0 done, 1 a kernel that had passed gave wrong results while being timed, 2 "
            "wrong use, 3 something needed is missing, 77 skipped: no device, or no case fits it, 130 "
            "interrupted.",
        .children = children,
    };
    bench_arguments a = {.options = BENCH_OPTIONS_INIT};
    const char *benchmark_options[MOST_BENCHMARK_OPTIONS + 1] = {NULL};
    assay_error error = {0};
    assay_status status = take_benchmark_options(&argc, argv, benchmark_options, &a.options, &error);
    if (status != ASSAY_OK)
        return cli_fail("bench", &error);
    cli_parse(&argp, argc, argv, &a);
    workspace *ws;
    int unjudged = ASSAY_EXIT_OK, exit_status = cli_open("bench", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    bench_summary summary = {0};
    a.options.dry_run = a.common.dry_run;
    a.options.progress = a.common.json ? NULL : stdout;
    process_watch_interrupts();
    cli_configured configured;
    if (cli_configure(ws, &a.common, 1, &configured, &error) != ASSAY_OK) {
        workspace_close(ws);
        return cli_fail("bench", &error);
    }
    status = bench_check_baselines(ws, &a.common.filter, a.options.baselines, &error);
    if (status == ASSAY_OK)
        status = check_device(ws, &a, &error);
    char *sizes = NULL;
    a.shrunk = json_array();
    if (status == ASSAY_OK)
        status = shrink(ws, &a, &sizes, &error);
    if (status == ASSAY_OK)
        status = cli_use_given(&ws, &a.given, a.source, NULL, &a.common.filter, &error);
    if (status == ASSAY_ERR_ENVIRONMENT) {
        fprintf(stderr, "assay bench: skipped: %s\n", error.message);
        exit_status = ASSAY_EXIT_SKIPPED;
    } else if (status == ASSAY_OK && a.source) {
        exit_status = bench_source_run(ws, &(bench_source_arguments){.card = &a.card,
                                                                     .common = &a.common,
                                                                     .file = a.source,
                                                                     .claims = a.claims,
                                                                     .options = &a.options});
    } else if (status == ASSAY_OK && gbench_only_lists()) {
        status = bench_list(ws, &a.common.filter, &a.options, &error);
        exit_status = status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("bench", &error);
    } else {
        if (status == ASSAY_OK)
            status = measure(ws, &a, &summary, &unjudged, &error);
        exit_status = finish(ws, &a, status, &summary, unjudged, &error);
    }
    free(sizes);
    json_decref(a.shrunk);
    workspace_close(ws);
    return exit_status;
}

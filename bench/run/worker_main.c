/* assay-bench-group: measures one group in this process and writes its result files. Called by `assay bench`,
 * and by hand. */
#include "bench/timing/gbench_shim.h"
#include "bench/run/group.h"
#include "core/list.h"
#include "core/process.h"
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: assay-bench-group --workspace DIR --op OP --dtype DTYPE --size SIZE [options] [-- "
    "--benchmark_...]\n"
    "  --variants A,B        variants to time (only verified ones are)\n"
    "  --peers A,B           copy, reference, torch_eager, torch_compile, triton, or library peers of the "
    "op\n"
    "  --repetitions N       default 10\n"
    "  --warmup-ms X         of each repetition, default 25\n"
    "  --sample-ms X         of each repetition, default 100\n"
    "  --min-samples N       of each repetition, default 3; 1 where a launch takes over a second\n"
    "  --max-samples N       of each repetition, default 400; 0: no limit\n"
    "  --bound-s X           time for one candidate and figure before repetitions are cut, default 20 (6 on "
    "the "
    "CPU device)\n"
    "  --flush memset|read   how cold figures flush the cache, default memset\n"
    "  --figures A,B         cold, cold_read, hot, burst, sustained, host; default cold,hot, on CUDA with "
    "sustained for "
    "matrix products\n"
    "  --locked-mhz N        the SM clock that was locked for the run, to be recorded\n"
    "  --seed N              of the inputs and the order of turns\n"
    "  --torch-socket PATH   measuring server of torch peers\n"
    "  --torch-missing TEXT  why there is no such server\n"
    "  --device N              number of the device, default 0\n"
    "  --parent PID          end when this parent process ends\n"
    "  --quick               3 short repetitions\n";

enum {
    OPT_WORKSPACE = 256,
    OPT_OP,
    OPT_DTYPE,
    OPT_SIZE,
    OPT_VARIANTS,
    OPT_PEERS,
    OPT_REPETITIONS,
    OPT_WARMUP,
    OPT_SAMPLE,
    OPT_LEAST,
    OPT_MOST,
    OPT_BOUND,
    OPT_FLUSH,
    OPT_FIGURES,
    OPT_LOCKED,
    OPT_SEED,
    OPT_SOCKET,
    OPT_MISSING,
    OPT_DEVICE,
    OPT_PARENT,
    OPT_QUICK,
    OPT_HELP
};

static const struct option option_table[] = {{"workspace", required_argument, NULL, OPT_WORKSPACE},
                                             {"op", required_argument, NULL, OPT_OP},
                                             {"dtype", required_argument, NULL, OPT_DTYPE},
                                             {"size", required_argument, NULL, OPT_SIZE},
                                             {"variants", required_argument, NULL, OPT_VARIANTS},
                                             {"peers", required_argument, NULL, OPT_PEERS},
                                             {"repetitions", required_argument, NULL, OPT_REPETITIONS},
                                             {"warmup-ms", required_argument, NULL, OPT_WARMUP},
                                             {"sample-ms", required_argument, NULL, OPT_SAMPLE},
                                             {"min-samples", required_argument, NULL, OPT_LEAST},
                                             {"max-samples", required_argument, NULL, OPT_MOST},
                                             {"bound-s", required_argument, NULL, OPT_BOUND},
                                             {"flush", required_argument, NULL, OPT_FLUSH},
                                             {"figures", required_argument, NULL, OPT_FIGURES},
                                             {"locked-mhz", required_argument, NULL, OPT_LOCKED},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"torch-socket", required_argument, NULL, OPT_SOCKET},
                                             {"torch-missing", required_argument, NULL, OPT_MISSING},
                                             {"device", required_argument, NULL, OPT_DEVICE},
                                             {"parent", required_argument, NULL, OPT_PARENT},
                                             {"quick", no_argument, NULL, OPT_QUICK},
                                             {"help", no_argument, NULL, OPT_HELP},
                                             {NULL, 0, NULL, 0}};

/* Raw texts first: defaults depend on --quick, the op and the device, whatever the order of options. */
typedef struct arguments {
    const char *text[OPT_HELP - OPT_WORKSPACE + 1];
    int quick, help;
} arguments;

static const char *get(const arguments *a, int option)
{
    return a->text[option - OPT_WORKSPACE];
}

static assay_status parse(int argc, char **argv, arguments *a, assay_error *error)
{
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "+h", option_table, NULL)) != -1) {
        if (option == '?')
            return assay_error_set(error, ASSAY_ERR_INVALID, "unknown or incomplete option %s",
                                   argv[optind - 1]);
        if (option == OPT_HELP || option == 'h')
            a->help = 1;
        else if (option == OPT_QUICK)
            a->quick = 1;
        else
            a->text[option - OPT_WORKSPACE] = optarg;
    }
    if (optind < argc && strcmp(argv[optind - 1], "--") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unexpected argument %s", argv[optind]);
    static const int needed[] = {OPT_OP, OPT_DTYPE, OPT_SIZE};
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !a->help; i++)
        if (!get(a, needed[i]))
            return assay_error_set(error, ASSAY_ERR_INVALID, "--op, --dtype and --size are needed");
    return ASSAY_OK;
}

static assay_status read_number(const arguments *a, int option, const char *name, double least, double *value,
                                assay_error *error)
{
    const char *text = get(a, option);
    char *end;
    if (!text)
        return ASSAY_OK;
    const double number = strtod(text, &end);
    if (end == text || *end || !(number >= least && number <= 1e9))
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s wants a number from %g to %g, not '%s'", name,
                               least, 1e9, text);
    *value = number;
    return ASSAY_OK;
}

static assay_status check_words(const char *list, const char *const *known, const char *what,
                                assay_error *error)
{
    for (list_item item = {0}; list_next(list, &item);) {
        int found = 0;
        for (int i = 0; known[i]; i++)
            found |= list_item_is(&item, known[i]);
        if (!found)
            return assay_error_set(error, ASSAY_ERR_INVALID, "unknown %s '%.*s'", what, item.length,
                                   item.text);
    }
    return ASSAY_OK;
}

static assay_status read_method(const arguments *a, bench_method *m, assay_error *error)
{
    static const char *const flushes[] = {"memset", "read", NULL};
    double locked = 0.0;
    if (read_number(a, OPT_LOCKED, "--locked-mhz", 0, &locked, error) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    m->locked_mhz = (int)locked;
    double repetitions = m->repetitions, least = m->min_samples, most = m->max_samples,
           seed = (double)m->seed;
    assay_status status = read_number(a, OPT_REPETITIONS, "--repetitions", 1, &repetitions, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_WARMUP, "--warmup-ms", 0, &m->warmup_ms, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_SAMPLE, "--sample-ms", 0, &m->sample_ms, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_LEAST, "--min-samples", 1, &least, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_MOST, "--max-samples", 0, &most, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_BOUND, "--bound-s", 0, &m->bound_s, error);
    if (status == ASSAY_OK)
        status = read_number(a, OPT_SEED, "--seed", 0, &seed, error);
    m->repetitions = (int)repetitions;
    m->min_samples = (int)least;
    m->max_samples = (int)most;
    m->seed = (uint64_t)seed;
    if (status == ASSAY_OK && get(a, OPT_FLUSH))
        status = check_words(get(a, OPT_FLUSH), flushes, "flush", error);
    if (status == ASSAY_OK && get(a, OPT_FIGURES))
        status = timing_modes_parse(get(a, OPT_FIGURES), &(timing_modes){0}, error);
    if (status == ASSAY_OK && get(a, OPT_FLUSH))
        snprintf(m->flush, sizeof m->flush, "%s", get(a, OPT_FLUSH));
    if (status == ASSAY_OK && get(a, OPT_FIGURES))
        snprintf(m->figures, sizeof m->figures, "%s", get(a, OPT_FIGURES));
    return status;
}

static assay_status run_group(const arguments *a, workspace *ws, assay_device *device, assay_error *error)
{
    const workspace_op *op = workspace_find_op(ws, get(a, OPT_OP));
    if (!op)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown op \"%s\"", get(a, OPT_OP));
    group_options options = {.op = get(a, OPT_OP),
                             .dtype = get(a, OPT_DTYPE),
                             .size = get(a, OPT_SIZE),
                             .variants = get(a, OPT_VARIANTS),
                             .peers = get(a, OPT_PEERS),
                             .torch_socket = get(a, OPT_SOCKET),
                             .torch_missing = get(a, OPT_MISSING)};
    bench_method_default(&options.method, ws->device, op->spec->family, a->quick);
    const assay_status status = read_method(a, &options.method, error);
    if (status != ASSAY_OK)
        return status;
    group_outcome outcome;
    workspace_use_slug(ws, assay_device_get_info(device)->slug);
    return group_run(ws, device, &options, &outcome, error);
}

/* A supervisor that was killed cannot stop its worker, and the next run must not measure beside it. */
static assay_status follow_parent(const arguments *a, assay_error *error)
{
    double pid = 0;
    const assay_status status = read_number(a, OPT_PARENT, "--parent", 1, &pid, error);
    if (status != ASSAY_OK || !get(a, OPT_PARENT))
        return status;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)pid) /* it ended before the line above */
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the parent process %.0f is gone", pid);
    return ASSAY_OK;
}

static assay_status run(const arguments *a, assay_error *error)
{
    workspace *ws = NULL;
    assay_device *device = NULL;
    double ordinal = 0;
    assay_status status = read_number(a, OPT_DEVICE, "--device", 0, &ordinal, error);
    if (status == ASSAY_OK)
        status = workspace_open(get(a, OPT_WORKSPACE), &ws, error);
    if (status == ASSAY_OK)
        status = assay_device_open(ws->device, (int)ordinal, &device, error);
    if (status == ASSAY_OK)
        status = run_group(a, ws, device, error);
    assay_device_close(device);
    if (ws)
        workspace_close(ws);
    return status;
}

int main(int argc, char **argv)
{
    arguments a = {0};
    assay_error error = {0};
    setlocale(LC_ALL, "C");
    assay_status status = parse(argc, argv, &a, &error);
    if (status == ASSAY_OK && a.help) {
        fputs(usage_text, stdout);
        return ASSAY_EXIT_OK;
    }
    if (status == ASSAY_OK) { /* what follows `--` belongs to Google Benchmark */
        argv[optind - 1] = argv[0];
        status = gbench_start(argc - optind + 1, argv + optind - 1, &error);
    }
    if (status == ASSAY_OK)
        status = follow_parent(&a, &error);
    if (status == ASSAY_OK)
        status = run(&a, &error);
    if (status == ASSAY_OK)
        return ASSAY_EXIT_OK;
    fprintf(stderr, "assay-bench-group: %s\n",
            error.message[0] ? error.message : assay_status_describe(status));
    return status == ASSAY_ERR_UNSUPPORTED ? ASSAY_EXIT_SKIPPED : assay_status_exit(status);
}

/* assay-bench-group: measures one group in this process, as a plan says, and writes its result files. Called by `assay bench`, and by hand. */
#include "bench/environment/chosen_card.h"
#include "bench/plan/benchmark_list.h"
#include "bench/run/group.h"
#include "bench/run/instruction_count.h"
#include "core/confine.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/memory.h"
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: assay-bench-group --plan FILE|--serve [--benchmark_...]\n"
    "Times the kernels and baselines of one op, dtype and size together, and writes a result file each.\n"
    "  --plan FILE   what to measure, a JSON document; - is standard input. `assay bench --dry-run` prints "
    "it\n"
    "  --serve       standard input is a socket: a plan's path comes on each line, and an exit status goes "
    "back "
    "for it,\n"
    "                until one is neither 0 nor 77, which ends the process\n"
    "  --parent PID  end when this parent process ends\n"
    "  --help        this text\n"
    "Options of Google Benchmark:\n"
    "  --benchmark_list_tests           print the names of the benchmarks and end\n"
    "  --benchmark_filter=REGEX         only these; a result file is written where all modes of a kernel "
    "match\n"
    "  --benchmark_out=FILE             write what Google Benchmark reports\n"
    "  --benchmark_out_format=json|csv|console\n"
    "  --benchmark_format=..., --benchmark_color=..., --benchmark_counters_tabular=..., "
    "--benchmark_context=...,\n"
    "  --benchmark_report_aggregates_only=..., --benchmark_display_aggregates_only=...\n"
    "  --benchmark_enable_random_interleaving=false   all repetitions of one benchmark, then the next one's\n"
    "Exit status: 0 done, 1 a kernel that had passed gave wrong results while being timed, 2 wrong use,\n"
    "3 something needed is missing, 77 the problem does not fit the device.\n";

enum { OPT_PLAN = 256, OPT_SERVE, OPT_PARENT, OPT_HELP };

static const struct option option_table[] = {{"plan", required_argument, NULL, OPT_PLAN},
                                             {"serve", no_argument, NULL, OPT_SERVE},
                                             {"parent", required_argument, NULL, OPT_PARENT},
                                             {"help", no_argument, NULL, OPT_HELP},
                                             {NULL, 0, NULL, 0}};

typedef struct arguments {
    const char *plan; /* NULL: serve */
    long parent;      /* 0: none */
    int serve, help;
} arguments;

static assay_status parse(int argc, char **argv, arguments *a, assay_error *error)
{
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", option_table, NULL)) != -1) {
        if (option == OPT_PLAN)
            a->plan = optarg;
        else if (option == OPT_SERVE)
            a->serve = 1;
        else if (option == OPT_PARENT)
            a->parent = strtol(optarg, NULL, 10);
        else if (option == OPT_HELP || option == 'h')
            a->help = 1;
        else
            return assay_error_set(error, ASSAY_ERR_INVALID, "unknown or incomplete option %s",
                                   argv[optind - 1]);
    }
    if (optind < argc)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unexpected argument %s", argv[optind]);
    return a->help || !a->plan != !a->serve
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID, "either --plan FILE or --serve is needed");
}

/* A command that was killed cannot stop its worker, and the next run must not measure beside it. */
static assay_status follow_parent(long pid, assay_error *error)
{
    if (pid <= 0)
        return ASSAY_OK;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)pid) /* it ended before the line above */
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the parent process %ld is gone", pid);
    return ASSAY_OK;
}

/* The folder with this program, its libraries and scripts: ROOT of ROOT/bin/assay-bench-group. */
static void name_root(char root[PATH_MAX])
{
    process_executable_folder(root, PATH_MAX);
    char *slash = strrchr(root, '/');
    if (slash)
        *slash = '\0';
}

/* Fewer measures, in turn, until a process confined by them opens the GPU: some drivers do not start under all. Nothing may have been
 * opened here before. */
static void allow_gpu(const group_plan *plan, confine_rules *rules)
{
    rules->gpu = 1;
    for (int i = 0; i < CONFINE_GPU_STEPS; i++) {
        int status = 0;
        rules->without = confine_gpu_steps[i];
        const pid_t child = fork();
        if (child == 0) {
            assay_device *device = NULL;
            assay_error unused = {0};
            confine_self(rules);
            _exit(assay_device_open("cuda", plan->device, &device, &unused) == ASSAY_OK ? 0 : 1);
        }
        if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return;
    }
}

/* The kernel shares this process with the clock, the reference and the baselines; what it can be kept from is the rest of the machine.
 * Only the results of this run may be written. What holds goes beside them, for the one who asked. */
static assay_status confine_worker(workspace *ws, const group_plan *plan, assay_error *error)
{
    char root[PATH_MAX], writable[PATH_MAX], file[PATH_MAX + 32], server[PATH_MAX];
    const workspace_op *op = workspace_find_op(ws, plan->op);
    if (!op)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown op %s", plan->op);
    snprintf(writable, sizeof writable, "%s/bench", plan->confined);
    snprintf(file, sizeof file, "%s/confinement.json", plan->confined);
    name_root(root);
    /* Inputs and outputs of torch's kernels are files beside the socket of its server. */
    snprintf(server, sizeof server, "%s", plan->torch_socket ? plan->torch_socket : writable);
    if (plan->torch_socket && strrchr(server, '/'))
        *strrchr(server, '/') = '\0';
    const char *const readable[] = {ws->path,    ws->modules,         ws->baselines,
                                    ws->libexec, plan->confined,      op->reference,
                                    root,        op->spec->directory, NULL};
    const char *const writable_folders[] = {writable, server, NULL};
    confine_rules rules = {.readable = readable, .writable = writable_folders};
    assay_status status = make_folders(writable, error);
    if (status != ASSAY_OK)
        return status;
    if (strcmp(ws->device, "cuda") == 0)
        allow_gpu(plan, &rules);
    FILE *out = fopen(file, "we"); /* opened before, written after: by then nothing more can be opened here */
    const unsigned measures = confine_self(&rules);
    json_t *document = json_pack("{s:o}", "confinement", confine_json(measures));
    if (!out || json_dumpf(document, out, JSON_INDENT(1)) != 0)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write %s", file);
    if (out && fclose(out) != 0 && status == ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write %s", file);
    json_decref(document);
    return status;
}

/* A device that fails before anything was launched is gone, and no kernel's fault. */
static assay_status open_device(const char *kind, int ordinal, assay_device **device, assay_error *error)
{
    assay_error gone = {0};
    const assay_status status = assay_device_open(kind, ordinal, device, error);
    if (status != ASSAY_OK || assay_device_sync_all(*device, &gone) == ASSAY_OK)
        return status;
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the device does not work: %s", gone.message);
}

/* The device of the plans that this process is given, opened for the first one. */
typedef struct session {
    workspace *ws;
    assay_device *device;
    double phases_s[GROUP_PHASES]; /* of the plan */
} session;

static assay_status open_session(const group_plan *plan, session *s, assay_error *error)
{
    assay_status status = workspace_open(plan->workspace, &s->ws, error);
    if (status == ASSAY_OK && strcmp(s->ws->device, "cpu") == 0)
        instruction_count_open();
    if (status == ASSAY_OK && plan->confined)
        status = confine_worker(s->ws, plan, error);
    if (status == ASSAY_OK)
        status = open_device(s->ws->device, plan->device, &s->device, error);
    if (status != ASSAY_OK)
        return status;
    const assay_device_info *info = assay_device_get_info(s->device);
    workspace_use_slug(s->ws, info->slug);
    gbench_add_context("assay_device", info->name);
    gbench_add_context("assay_device_kind", info->kind);
    gbench_add_context("assay_time_source",
                       "time of a launch by the device's clock, set as manual time; cpu_time "
                       "is what a whole repetition took the host");
    return ASSAY_OK;
}

static void close_session(session *s)
{
    assay_device_close(s->device);
    if (s->ws)
        workspace_close(s->ws);
}

static assay_status measure(const group_plan *plan, session *s, assay_error *error)
{
    group_outcome outcome = {0};
    const double start_s = process_clock_s();
    assay_status status = s->device ? ASSAY_OK : open_session(plan, s, error);
    const double open_s = process_clock_s() - start_s;
    if (status == ASSAY_OK)
        status = group_run(s->ws, s->device, plan, &outcome, error);
    memcpy(s->phases_s, outcome.phases_s, sizeof s->phases_s);
    s->phases_s[GROUP_START] += open_s;
    for (int i = 0; s->ws && i < s->ws->op_count; i++)
        opspec_forget_shapes(s->ws->ops[i].spec);
    return status;
}

static assay_status run(const char *path, session *s, assay_error *error)
{
    group_plan plan;
    benchmark_list benchmarks = {.count = 0};
    assay_status status = group_plan_read(path, &plan, error);
    if (status == ASSAY_OK)
        status = benchmark_list_make(&plan, &benchmarks, error);
    if (status == ASSAY_OK && benchmarks.count > 0 && benchmarks.selected_count == 0)
        status = assay_error_set(
            error, ASSAY_ERR_INVALID,
            "--benchmark_filter matches none of %d benchmarks; --benchmark_list_tests prints their "
            "names",
            benchmarks.count);
    if (status == ASSAY_OK && gbench_only_lists())
        gbench_list(benchmarks.items, benchmarks.count);
    else if (status == ASSAY_OK)
        status = measure(&plan, s, error);
    benchmark_list_release(&benchmarks);
    group_plan_release(&plan);
    return status;
}

/* A kernel's own reads of standard input must not find the plans. */
static int take_socket(void)
{
    const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    return socket;
}

static int exit_status_of(assay_status status)
{
    return status == ASSAY_ERR_UNSUPPORTED ? ASSAY_EXIT_SKIPPED : assay_status_exit(status);
}

/* Until the other side has no more plans, or one ends in a way after which this process is not to be trusted with another. */
static assay_status serve(session *s, assay_error *error)
{
    char path[PATH_MAX];
    assay_status status = ASSAY_OK;
    const int socket = take_socket();
    FILE *plans = socket >= 0 ? fdopen(socket, "r") : NULL;
    if (!plans)
        return assay_error_set(error, ASSAY_ERR_INVALID, "--serve: standard input is no socket");
    while ((status == ASSAY_OK || status == ASSAY_ERR_UNSUPPORTED) && fgets(path, sizeof path, plans)) {
        char answer[300], phases[256];
        path[strcspn(path, "\n")] = '\0';
        if (error)
            *error = (assay_error){0};
        status = run(path, s, error);
        fflush(NULL);
        group_phases_print(s->phases_s, phases, sizeof phases);
        const int bytes = snprintf(answer, sizeof answer, "%d %s\n", exit_status_of(status), phases);
        if ((status == ASSAY_OK || status == ASSAY_ERR_UNSUPPORTED) &&
            send(socket, answer, (size_t)bytes, MSG_NOSIGNAL) != bytes)
            break;
    }
    fclose(plans);
    return status == ASSAY_ERR_UNSUPPORTED ? ASSAY_OK : status;
}

static assay_status run_all(const arguments *a, assay_error *error)
{
    session s = {.ws = NULL};
    assay_status status = a->serve ? serve(&s, error) : run(a->plan, &s, error);
    close_session(&s);
    assay_error lost = {0};
    const assay_status finished = gbench_only_lists() ? ASSAY_OK : gbench_finish(&lost);
    if (status == ASSAY_OK && finished != ASSAY_OK)
        status = assay_error_set(error, finished, "%s", lost.message);
    return status;
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    arguments a = {.plan = NULL};
    assay_error error = {0};
    setlocale(LC_ALL, "C");
    (void)chosen_card_use_given(); /* called by hand in a test; `assay` has said what is wrong with it */
    assay_status status = gbench_start(&argc, argv, &error);
    if (status == ASSAY_OK)
        status = parse(argc, argv, &a, &error);
    if (status == ASSAY_OK && a.help) {
        fputs(usage_text, stdout);
        return ASSAY_EXIT_OK;
    }
    if (status == ASSAY_OK)
        status = follow_parent(a.parent, &error);
    if (status == ASSAY_OK)
        status = run_all(&a, &error);
    if (status == ASSAY_OK)
        return ASSAY_EXIT_OK;
    fprintf(stderr, "assay-bench-group: %s\n",
            error.message[0] ? error.message : assay_status_describe(status));
    return exit_status_of(status);
}

/* assay-verify-case: judges cases of one op, dtype and size, one variant after the other as long as none fails, or the golden cases of one
 * variant and dtype, in a process of its own, so that a kernel that crashes or hangs takes nothing else with it. Started by judge.c;
 * may be run by hand under a debugger. */
#include "verify/golden.h"
#include "verify/worker.h"
#include "verify/verdict.h"
#include "core/json_file.h"
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct arguments {
    case_request request;
    struct {
        const char *variant, *module;
        char *out; /* owned */
    } cases[WORKER_MOST_CASES];
    int variant_count;
    const char *golden;
    int from;
    const char *bare[WORKER_MOST_BARE]; /* records of the modules to run on bare memory */
    int bare_count;
} arguments;

static const struct argp_option options[] = {
    {"workspace", 'w', "DIR", 0, "build folder or bundle with assay.json", 0},
    {"op", 'o', "OP", 0, "the op", 0},
    {"variant", 'v', "NAME", 0,
     "the variant; with --size several may be given, each with its own --out and --module behind it: they "
     "are judged in "
     "this order, until one fails",
     0},
    {"dtype", 't', "DTYPE", 0, "f32, f16 or bf16", 0},
    {"size", 's', "SIZE", 0, "a size of op.json, or edge for all edge cases", 0},
    {"bare", 'b', "RECORD.json", 0,
     "run this module's small size and edge cases once each on bare memory, for compute-sanitizer; may be "
     "given several times",
     0},
    {"unread", 'u', NULL, 0,
     "with --bare: leave the outputs on the device; for initcheck, which does not see what Hopper's copy "
     "engine stores and takes reading that back for a read of memory that nothing wrote",
     0},
    {"module", 'm', "RECORD.json", 0, "module record, instead of the workspace's", 0},
    {"seed", 'S', "N", 0, "seed of the inputs", 0},
    {"golden", 'g', "DIR", 0, "run the golden cases of DIR instead of a size", 0},
    {"golden-from", 'f', "N", 0, "leave out the first N of them", 0},
    {"out", 'O', "FILE.json", 0, "where the verdict goes", 0},
    {0},
};

static unsigned long long parse_number(const char *text, struct argp_state *state)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] == '-' || end == text || *end != '\0')
        argp_error(state, "\"%s\" is not a whole number", text);
    return value;
}

/* The kernel shall not find the name in /proc/self/cmdline and write the verdict itself. */
static char *take_name(char *argument)
{
    char *name = strdup(argument);
    memset(argument, '-', strlen(argument));
    return name;
}

static int is_complete(const arguments *a)
{
    if (!a->request.op || !a->cases[0].out)
        return 0;
    for (int i = 0; i < a->variant_count; i++)
        if (!a->cases[i].out)
            return 0;
    return a->bare_count || (a->variant_count == 1 && a->request.dtype && (a->golden || a->request.size)) ||
           (a->variant_count > 1 && a->request.dtype && a->request.size && !a->golden);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    const int current = a->variant_count > 0 ? a->variant_count - 1 : 0;
    switch (key) {
    case 'w':
        a->request.workspace = argument;
        return 0;
    case 'o':
        a->request.op = argument;
        return 0;
    case 'v':
        if (a->variant_count == WORKER_MOST_CASES)
            argp_error(state, "more than %d variants", WORKER_MOST_CASES);
        a->cases[a->variant_count++].variant = argument;
        return 0;
    case 't':
        a->request.dtype = argument;
        return 0;
    case 's':
        a->request.size = argument;
        return 0;
    case 'b':
        if (a->bare_count == WORKER_MOST_BARE)
            argp_error(state, "more than %d modules on bare memory", WORKER_MOST_BARE);
        a->bare[a->bare_count++] = argument;
        return 0;
    case 'u':
        a->request.unread = 1;
        return 0;
    case 'm':
        a->cases[current].module = argument;
        return 0;
    case 'S':
        a->request.seed = parse_number(argument, state);
        return 0;
    case 'g':
        a->golden = argument;
        return 0;
    case 'f':
        a->from = (int)parse_number(argument, state);
        return 0;
    case 'O':
        free(a->cases[current].out);
        a->cases[current].out = take_name(argument);
        return 0;
    case ARGP_KEY_END:
        if (!is_complete(a))
            argp_error(state,
                       "--op, --variant, --dtype, --out and either --size or --golden are needed, or --op, "
                       "--out and --bare");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int fail(const assay_error *error)
{
    fprintf(stderr, "assay-verify-case: %s\n",
            error->message[0] ? error->message : assay_status_describe(error->status));
    return assay_status_exit(error->status);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Judge the setup's case and write its verdict, with the seconds since `start`. Returns the exit status; *go_on: another case may follow in
 * this process. */
static int judge_one(const case_request *request, case_setup *setup, const char *out, double start,
                     int *go_on)
{
    assay_error error = {0};
    json_t *verdict = NULL;
    printf("case: %s\n", request->variant); /* what follows is about it (worker.c) */
    fflush(stdout);
    assay_status status = case_judge_opened(request, setup, &verdict, &error);
    if (status == ASSAY_OK) {
        json_object_set_new(verdict, "seconds", json_number(now_s() - start));
        status = json_file_write(out, verdict, 0, &error);
    }
    const char *outcome = json_get_text(verdict, "status", "");
    const int code = strcmp(outcome, "pass") == 0      ? ASSAY_EXIT_OK
                     : strcmp(outcome, "skipped") == 0 ? ASSAY_EXIT_SKIPPED
                                                       : ASSAY_EXIT_CHECK;
    *go_on = status == ASSAY_OK && verdict_stands(verdict);
    json_decref(verdict);
    return status == ASSAY_OK ? code : fail(&error);
}

/* One after the other, each with the time since the one before; the first with what all share. */
static int run_cases(const arguments *a)
{
    assay_error error = {0};
    case_setup setup;
    case_request request = a->request;
    double start = now_s();
    request.variant = a->cases[0].variant;
    request.module = a->cases[0].module;
    assay_status status = case_open(&request, &setup, &error);
    int code = ASSAY_EXIT_OK, go_on = 1;
    if (a->variant_count > 1)
        case_keep_truths(&setup);
    for (int i = 0; i < a->variant_count && status == ASSAY_OK && go_on; i++) {
        request.variant = a->cases[i].variant;
        request.module = a->cases[i].module;
        if (i > 0)
            status = case_change(&request, &setup, &error);
        if (status == ASSAY_OK)
            code = judge_one(&request, &setup, a->cases[i].out, start, &go_on);
        start = now_s();
    }
    case_close(&setup);
    return status == ASSAY_OK ? code : fail(&error);
}

/* One module after the other, and all verdicts in one file: starting under compute-sanitizer takes longer than the kernels do. */
static int run_bare(const arguments *a)
{
    assay_error error = {0};
    json_t *verdicts = json_array(), *file = json_pack("{s:o}", "verdicts", verdicts);
    assay_status status = ASSAY_OK;
    for (int i = 0; i < a->bare_count && status == ASSAY_OK; i++) {
        module_record record;
        json_t *verdict = NULL;
        status = module_record_read(a->bare[i], &record, &error);
        if (status != ASSAY_OK)
            break;
        case_request request = a->request;
        request.module = a->bare[i];
        request.variant = json_get_text(record.json, "variant", "");
        request.dtype = json_get_text(record.json, "dtype", "");
        request.size = "bare";
        request.bare = 1;
        status = case_judge(&request, &verdict, &error);
        json_array_append_new(verdicts, verdict ? verdict : json_null());
        module_record_release(&record);
    }
    if (status == ASSAY_OK)
        status = json_file_write(a->cases[0].out, file, 0, &error);
    json_decref(file);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : fail(&error);
}

static int run_golden(const arguments *a)
{
    assay_error error = {0};
    golden_set set;
    case_request request = a->request;
    request.variant = a->cases[0].variant;
    request.module = a->cases[0].module;
    assay_status status = golden_open(a->golden, &set, &error);
    if (status == ASSAY_OK)
        status = golden_run(&set, &request, a->from, a->cases[0].out, &error);
    golden_close(&set);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : fail(&error);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Judge a kernel and write its verdict. Exit status: 0 passed, 1 failed, 2 wrong use, 3 the "
               "environment, 77 skipped.",
    };
    arguments a = {.request = {.seed = VERIFY_DEFAULT_SEED}};
    argp_err_exit_status = ASSAY_EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0)
        return ASSAY_EXIT_USAGE;
    const int code = a.bare_count ? run_bare(&a) : a.golden ? run_golden(&a) : run_cases(&a);
    for (int i = 0; i < WORKER_MOST_CASES; i++)
        free(a.cases[i].out);
    return code;
}

/* assay run: somebody's CUDA program on the device ptx. The stand-in runtime is put before the program's own libcudart; what the program's kernels
 * do wrong comes back through a file. */
#include "cli/cli.h"
#include "core/process.h"
#include "core/json_file.h"
#include "device/ptx/backend_ptx.h"
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run_arguments {
    const char *arch, *threads, *seed, *limit_s;
    int check, count, verbose, word_count;
    char **words; /* the program and its arguments */
} run_arguments;

static const struct argp_option options_list[] = {
    {"check", 'c', NULL, 0,
     "also report races, reads of what an asynchronous copy still owns, and reads of shared memory that "
     "nobody wrote (3 to 10 "
     "times slower)",
     1},
    {"count", 'C', NULL, 0,
     "print at the end, for each kernel and source line, what was executed: warp instructions, active lanes "
     "of them, sectors a "
     "request of global memory and wavefronts a request of shared memory with the least possible, barriers, "
     "atomics",
     1},
    {"arch", 'a', "ARCH", 0, "the architecture that the device stands for: sm_80 or sm_90a (default)", 1},
    {"threads", 'T', "N", 0, "host threads for a kernel (default: all cores)", 1},
    {"seed", 'e', "N", 0, "seed of the order of work that nothing orders (default 1)", 1},
    {"limit", 'l', "SECONDS", 0, "a kernel that runs longer is ended and reported (default: none)", 1},
    {"verbose", 'V', NULL, 0, "a line for each kernel", 1},
    {0},
};

static void want_number(struct argp_state *state, const char *option, const char *text)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0))
        argp_error(state, "--%s: a number is expected, not \"%s\"", option, text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    run_arguments *a = state->input;
    switch (key) {
    case 'c':
        a->check = 1;
        return 0;
    case 'C':
        a->count = 1;
        return 0;
    case 'a':
        if (strcmp(argument, "sm_80") != 0 && strcmp(argument, "sm_90a") != 0)
            argp_error(state, "--arch: sm_80 or sm_90a is expected, not \"%s\"", argument);
        a->arch = argument;
        return 0;
    case 'T':
        want_number(state, "threads", a->threads = argument);
        return 0;
    case 'e':
        want_number(state, "seed", a->seed = argument);
        return 0;
    case 'l':
        want_number(state, "limit", a->limit_s = argument);
        return 0;
    case 'V':
        a->verbose = 1;
        return 0;
    case ARGP_KEY_ARG: /* the program; what follows is its own */
        a->words = &state->argv[state->next - 1];
        a->word_count = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a program is expected, as in: assay run ./program");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int contains(const char *data, size_t bytes, const char *text)
{
    return memmem(data, bytes, text, strlen(text)) != NULL;
}

/* A program with CUDA's static runtime has no libcudart that could be replaced; nvcc links that one unless it is told otherwise. */
static assay_status check_program(const char *program, assay_error *error)
{
    char *data = NULL;
    size_t bytes = 0;
    if (strchr(program, '/') == NULL) /* found on PATH, a script's interpreter for example */
        return ASSAY_OK;
    if (access(program, X_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot run %s: %s", program, strerror(errno));
    if (text_file_read(program, &data, &bytes, NULL) != ASSAY_OK)
        return ASSAY_OK;
    const int is_static = bytes > SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0 &&
                          contains(data, bytes, ".nv_fatbin") && !contains(data, bytes, "libcudart.so");
    free(data);
    return is_static ? assay_error_set(error, ASSAY_ERR_INVALID,
                                       "%s was linked with CUDA's static runtime; compile it with: nvcc "
                                       "-cudart shared -lineinfo "
                                       "-gencode arch=compute_90a,code=compute_90a",
                                       program)
                     : ASSAY_OK;
}

/* `value` in front of what the variable holds. */
static void put_before(const char *name, const char *value)
{
    const char *old = getenv(name);
    char text[8 * PATH_MAX];
    snprintf(text, sizeof text, "%s%s%s", value, old && old[0] ? ":" : "", old ? old : "");
    setenv(name, text, 1);
}

static void set_environment(const run_arguments *a, const char *runtime, const char *findings)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", runtime);
    *strrchr(folder, '/') = '\0';
    put_before("LD_LIBRARY_PATH", folder);
    put_before("LD_PRELOAD", runtime); /* a path that is linked into the program would come first otherwise */
    setenv("ASSAY_PTX_FINDINGS", findings, 1);
    const struct {
        const char *name, *value;
    } variables[] = {
        {"ASSAY_PTX_ARCH", a->arch},
        {"ASSAY_PTX_THREADS", a->threads},
        {"ASSAY_PTX_SEED", a->seed},
        {"ASSAY_PTX_LIMIT_S", a->limit_s},
        {"ASSAY_PTX_CHECK", a->check ? "1" : NULL},
        {"ASSAY_PTX_VERBOSE", a->verbose ? "1" : NULL},
        {"ASSAY_PTX_COUNT", a->count ? "1" : NULL},
    };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
}

static long count_lines(const char *path)
{
    FILE *file = fopen(path, "re");
    long lines = 0;
    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

/* The program's own status where it has one to say; else whether its kernels did something wrong. */
static int conclude(const process_result *result, const char *program, long findings)
{
    char how[128];
    process_describe(result, how, sizeof how);
    if (result->end == PROCESS_NOT_STARTED) {
        fprintf(stderr, "assay run: %s could not be started: %s\n", program, strerror(result->code));
        return ASSAY_EXIT_ENVIRONMENT;
    }
    if (result->end == PROCESS_INTERRUPTED)
        return 130;
    if (findings > 0)
        fprintf(stderr, "assay run: %ld line%s of findings, above; the program %s\n", findings,
                findings == 1 ? "" : "s", how);
    else if (result->end != PROCESS_EXITED)
        fprintf(stderr, "assay run: the program was %s\n", how);
    if (result->end != PROCESS_EXITED)
        return findings > 0 ? ASSAY_EXIT_CHECK : 128 + result->code;
    return result->code != 0 ? result->code : findings > 0 ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
}

int command_run(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "PROGRAM [ARGUMENT...]",
        .doc = "Run a CUDA program without a GPU: its kernels' PTX is executed on the CPU, its host code "
               "runs as it is. Compile it with "
               "-cudart shared -gencode arch=compute_90a,code=compute_90a, and with -lineinfo for source "
               "lines in reports.\v"
               "Reported are accesses out of bounds or to freed memory, host code that touches device "
               "memory, kernels that touch the "
               "host's, misaligned accesses, deadlocks and failed assertions; with --check also races and "
               "missing waits.\n"
               "Exit status: the program's own; 1 where it ends with 0 and something was reported; 2 wrong "
               "use, 3 something needed is "
               "missing.",
    };
    run_arguments a = {0};
    assay_error error = {0};
    char runtime[PATH_MAX], findings[] = "/tmp/assay-findings-XXXXXX";
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a) != 0)
        return ASSAY_EXIT_USAGE;
    if (device_ptx_runtime(runtime, sizeof runtime, &error) != ASSAY_OK ||
        check_program(a.words[0], &error) != ASSAY_OK)
        return cli_fail("run", &error);
    const int file = mkstemp(findings);
    if (file < 0) {
        assay_error_set(&error, ASSAY_ERR_IO, "cannot write to /tmp: %s", strerror(errno));
        return cli_fail("run", &error);
    }
    close(file);
    set_environment(&a, runtime, findings);
    process_watch_interrupts();
    process_result result;
    process_run((const char *const *)a.words, 0, 0, &result);
    const int status = conclude(&result, a.words[0], count_lines(findings));
    unlink(findings);
    process_result_release(&result);
    return status;
}

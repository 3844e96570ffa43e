/* A worker process and the reading of its end; see worker.h. */
#include "worker.h"
#include "json_file.h"
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_LIMIT_S    120.0
#define SANITIZER_SLOWDOWN 8.0
#define WORKER_SPEAKS      "assay-verify-case: " /* how its own error messages begin (worker_main.c) */

static double time_limit(const workspace *ws, const verify_options *options)
{
    if (options->time_limit_s > 0)
        return options->time_limit_s;
    const char *sanitizer = json_get_text(json_object_get(ws->manifest, "versions"), "sanitize", "none");
    return strcmp(sanitizer, "none") == 0 || sanitizer[0] == '\0' ? DEFAULT_LIMIT_S
                                                                  : DEFAULT_LIMIT_S * SANITIZER_SLOWDOWN;
}

/* Reports of the CPU device and of the sanitizers; the rest of their output are stacks and hints. */
static int is_report(const char *line)
{
    return strstr(line, "assay-simt: ") != NULL || strstr(line, "ERROR: ") != NULL ||
           strstr(line, "runtime error: ") != NULL;
}

void worker_last_words(const char *output, char *line, size_t line_bytes, char *step, size_t step_bytes)
{
    int reported = 0;
    line[0] = step[0] = '\0';
    for (const char *at = output ? output : ""; *at;) {
        const size_t length = strcspn(at, "\n");
        char text[400];
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        if (strncmp(text, "step: ", 6) == 0) {
            snprintf(step, step_bytes, "%s", text + 6);
        } else if (text[0] != '\0' && (!reported || is_report(text))) {
            snprintf(line, line_bytes, "%s", text);
            reported = is_report(text);
        }
        at += length + (at[length] == '\n');
    }
}

static void describe(const process_result *process, worker_result *result)
{
    char how[128], line[400], step[128];
    process_describe(process, how, sizeof how);
    worker_last_words(process->output, line, sizeof line, step, sizeof step);
    snprintf(result->reason, sizeof result->reason, "%s%s%s%s%.400s", how, step[0] ? " in " : "", step,
             line[0] ? ": " : "", line);
}

static worker_end classify(const process_result *process, const char *out)
{
    switch (process->end) {
    case PROCESS_TIMED_OUT:
        return WORKER_TIMED_OUT;
    case PROCESS_SIGNALED:
        return WORKER_CRASHED;
    case PROCESS_INTERRUPTED:
        return WORKER_INTERRUPTED;
    case PROCESS_NOT_STARTED:
        return WORKER_FAILED;
    case PROCESS_EXITED:
        break;
    }
    const int judged = process->code == ASSAY_EXIT_OK || process->code == ASSAY_EXIT_CHECK ||
                       process->code == ASSAY_EXIT_SKIPPED;
    if (judged && access(out, R_OK) == 0)
        return WORKER_DONE;
    /* Without the worker's own words it was the kernel that called exit(), or a sanitizer that ended the process. */
    const int own = process->output && strstr(process->output, WORKER_SPEAKS) != NULL;
    return own && (process->code == ASSAY_EXIT_USAGE || process->code == ASSAY_EXIT_ENVIRONMENT)
               ? WORKER_FAILED
               : WORKER_CRASHED;
}

void worker_out_path(const char *stem, char *out, size_t out_bytes)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) !=
        sizeof number) /* early at boot, or not allowed: a name all the same */
        number = (uint64_t)time(NULL);
    snprintf(out, out_bytes, "%s.%016llx.%ld.part", stem, (unsigned long long)number, (long)getpid());
}

void worker_run(const workspace *ws, const worker_job *job, const verify_options *options,
                worker_result *result)
{
    char program[4200], seed[32], from[32];
    snprintf(program, sizeof program, "%s/assay-verify-case", ws->libexec);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    snprintf(from, sizeof from, "%d", job->golden_from);
    const char *argv[24] = {program,      "--workspace", ws->path,   "--op",  job->op, "--variant",
                            job->variant, "--dtype",     job->dtype, "--out", job->out};
    int argc = 11;
    const struct {
        const char *option, *value;
    } optional[] = {
        {"--size", job->size},
        {"--golden", job->golden},
        {"--golden-from", job->golden ? from : NULL},
        {"--module", job->module},
        {"--seed", options->seed ? seed : NULL},
    };
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        if (!optional[i].value)
            continue;
        argv[argc++] = optional[i].option;
        argv[argc++] = optional[i].value;
    }
    process_result process;
    unlink(job->out);
    process_run(argv, time_limit(ws, options), 1, &process);
    *result = (worker_result){.end = classify(&process, job->out), .seconds = process.seconds};
    result->code = process.end == PROCESS_EXITED ? process.code : 0;
    describe(&process, result);
    process_result_release(&process);
}

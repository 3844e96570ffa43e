/* A worker process and the reading of its end; see worker.h. */
#include "verify/worker.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_LIMIT_S    120.0
#define SANITIZER_SLOWDOWN 8.0
#define WORKER_SPEAKS      "assay-verify-case: " /* how its own error messages begin (worker_main.c) */
#define WORKER_CASE        "case: "              /* the line before each case */

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

/* What a worker said since it began with its last case. */
static const char *of_last_case(const char *output)
{
    const char *found = output ? output : "";
    for (const char *at = found; (at = strstr(at, WORKER_CASE)) != NULL; at++)
        if (at == output || at[-1] == '\n')
            found = at + strcspn(at, "\n");
    return found;
}

void worker_last_words(const char *output, char *line, size_t line_bytes, char *step, size_t step_bytes)
{
    int reported = 0;
    line[0] = step[0] = '\0';
    for (const char *at = of_last_case(output); *at;) {
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

/* `complete`: it wrote what an end with this status leaves. */
static worker_end classify(const process_result *process, int complete)
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
    if (judged && complete)
        return WORKER_DONE;
    /* Without the worker's own words it was the kernel that called exit(), or a sanitizer that ended the process. */
    const int own = strstr(of_last_case(process->output), WORKER_SPEAKS) != NULL;
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

/* What the watch needs: how many cases have their file, and whom to tell. */
typedef struct watch_context {
    const worker_job *job;
    worker_progress progress;
    void *context;
    int written;
} watch_context;

/* A file appears whole (json_file_write renames it), and with it the next case's time begins. */
static int look_for_files(void *context)
{
    watch_context *w = context;
    const int before = w->written;
    while (w->written < w->job->case_count && access(w->job->cases[w->written].out, F_OK) == 0)
        w->written++;
    if (w->written > before && w->progress)
        w->progress(w->context, w->written);
    return w->written > before;
}

enum { MOST_WORDS = 24 + 6 * WORKER_MOST_CASES };

static int add_words(const char **argv, int argc, const char *option, const char *value)
{
    if (!value)
        return argc;
    argv[argc] = option;
    argv[argc + 1] = value;
    return argc + 2;
}

void worker_run(const workspace *ws, const worker_job *job, const verify_options *options,
                worker_progress progress, void *context, worker_result *result)
{
    char program[4200], seed[32], from[32];
    snprintf(program, sizeof program, "%s/assay-verify-case", ws->libexec);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    snprintf(from, sizeof from, "%d", job->golden_from);
    const char *argv[MOST_WORDS] = {program, "--workspace", ws->path, "--op", job->op, "--dtype", job->dtype};
    int argc = 7;
    argc = add_words(argv, argc, "--size", job->size);
    argc = add_words(argv, argc, "--golden", job->golden);
    argc = add_words(argv, argc, "--golden-from", job->golden ? from : NULL);
    argc = add_words(argv, argc, "--seed", options->seed ? seed : NULL);
    for (int i = 0; i < job->case_count; i++) {
        argc = add_words(argv, argc, "--variant", job->cases[i].variant);
        argc = add_words(argv, argc, "--module", job->cases[i].module);
        argc = add_words(argv, argc, "--out", job->cases[i].out);
        unlink(job->cases[i].out);
    }
    process_result process;
    watch_context watch = {.job = job, .progress = progress, .context = context};
    /* A golden case's file is written again and again: it is no sign that another case begins. */
    process_run_watched(argv, time_limit(ws, options), 1, job->golden ? NULL : look_for_files, &watch,
                        &process);
    if (!job->golden)
        look_for_files(&watch);
    /* It goes on only behind a case that stands, so its status is 0 only where all were judged. */
    const int complete = job->golden ? access(job->cases->out, R_OK) == 0
                         : process.end == PROCESS_EXITED && process.code == ASSAY_EXIT_OK
                             ? watch.written == job->case_count
                             : watch.written > 0;
    *result = (worker_result){.end = classify(&process, complete), .seconds = process.seconds};
    result->code = process.end == PROCESS_EXITED ? process.code : 0;
    describe(&process, result);
    process_result_release(&process);
}

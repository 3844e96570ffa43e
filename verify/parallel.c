/* Forked jobs that hand their summaries back as JSON through a pipe. Processes, not threads: each job forks workers itself. */
#include "verify/parallel.h"
#include "core/json_file.h"
#include "core/process.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    pid_t pid;
    int pipe;
} child;

static void send_summary(int pipe, assay_status status, const assay_error *error,
                         const verify_summary *summary)
{
    json_t *report =
        json_pack("{s:i, s:s, s:i, s:i, s:i, s:i, s:i, s:O}", "status", status, "message", error->message,
                  "passed", summary->passed, "failed", summary->failed, "skipped", summary->skipped, "errors",
                  summary->errors, "interrupted", summary->interrupted, "cases", summary->cases);
    json_object_set_new(report, "error_exit", json_integer(summary->error_exit));
    json_dumpfd(report, pipe, JSON_COMPACT);
    json_decref(report);
}

static assay_status start_child(child *c, int job, parallel_job run, void *context, assay_error *error)
{
    int ends[2];
    if (pipe(ends) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0) {
        verify_summary own = {.cases = json_array()};
        assay_error own_error = {0};
        close(ends[0]);
        const assay_status status = run(context, job, &own, &own_error);
        send_summary(ends[1], status, &own_error, &own);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    c->pipe = ends[0];
    if (c->pid > 0)
        return ASSAY_OK;
    close(ends[0]);
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
}

/* All that the child writes; an interrupt that reached only this process is passed on to all children. */
static char *read_report(const child *children, int count, int which)
{
    size_t used = 0, capacity = 65536;
    char *text = malloc(capacity);
    while (text != NULL) {
        const ssize_t got = read(children[which].pipe, text + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) {
            for (int i = 0; i < count && process_interrupted(); i++)
                kill(children[i].pid, SIGTERM);
            continue;
        }
        if (got <= 0)
            break;
        used += (size_t)got;
        if (capacity - used < 4096) {
            char *grown = realloc(text, capacity *= 2);
            if (grown == NULL)
                free(text);
            text = grown;
        }
    }
    if (text != NULL)
        text[used] = '\0';
    return text;
}

static assay_status add_report(const char *text, verify_summary *summary, assay_error *error)
{
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    if (report == NULL) {
        summary->errors++;
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "a judging process ended without a report");
    }
    summary->passed += (int)json_get_number(report, "passed", 0);
    summary->failed += (int)json_get_number(report, "failed", 0);
    summary->skipped += (int)json_get_number(report, "skipped", 0);
    summary->errors += (int)json_get_number(report, "errors", 0);
    if (summary->error_exit == 0)
        summary->error_exit = (int)json_get_number(report, "error_exit", 0);
    summary->interrupted |= (int)json_get_number(report, "interrupted", 0);
    json_array_extend(summary->cases, json_object_get(report, "cases"));
    const assay_status status = (assay_status)json_get_number(report, "status", 0);
    if (status != ASSAY_OK)
        assay_error_set(error, status, "%s", json_get_text(report, "message", ""));
    json_decref(report);
    return status;
}

assay_status parallel_run(int jobs, parallel_job run, void *context, verify_summary *summary,
                          assay_error *error)
{
    child children[PARALLEL_MAX_JOBS];
    int started = 0;
    assay_status status = ASSAY_OK;
    jobs = jobs < PARALLEL_MAX_JOBS ? jobs : PARALLEL_MAX_JOBS;
    while (started < jobs && status == ASSAY_OK) {
        status = start_child(&children[started], started, run, context, error);
        started += status == ASSAY_OK;
    }
    for (int i = 0; i < started; i++) {
        char *text = read_report(children, started, i);
        const assay_status added = add_report(text, summary, error);
        if (status == ASSAY_OK)
            status = added;
        free(text);
        close(children[i].pipe);
        while (waitpid(children[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    return status;
}

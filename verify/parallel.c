/* Forked jobs that hand their summaries back as lines of JSON through a pipe. Processes, not threads: each job forks workers itself. */
#include "verify/parallel.h"
#include "core/json_file.h"
#include "core/process.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LISTEN_MS = 100 };
#define LAST_WORDS_S 1.0 /* of a job after an interrupt */

typedef struct child {
    pid_t pid; /* 0: not running */
    int pipe, said_end;
    char *text; /* an unfinished line */
    size_t used, capacity;
} child;

typedef struct run {
    const parallel_work *work;
    child children[PARALLEL_MAX_JOBS];
    int jobs;
    double interrupted_s; /* when an interrupt was passed on; 0: not yet */
    verify_summary *summary;
    assay_status status;
    assay_error *error;
} run;

static void write_line(int pipe, json_t *report)
{
    char *text = json_dumps(report, JSON_COMPACT);
    size_t bytes = text ? strlen(text) : 0;
    if (text)
        text[bytes++] = '\n';
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = write(pipe, text + done, bytes - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    free(text);
    json_decref(report);
}

void parallel_send(parallel_report *report, verify_summary *summary)
{
    json_t *line =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "passed", summary->passed, "failed", summary->failed,
                  "skipped", summary->skipped, "errors", summary->errors, "error_exit", summary->error_exit,
                  "interrupted", summary->interrupted, "cases", summary->cases);
    const int interrupted = summary->interrupted;
    *summary = (verify_summary){.cases = json_array(), .interrupted = interrupted};
    write_line(report->pipe, line);
}

/* It ends with its parent, however that ends: else it would go on writing verdicts. */
static void run_child(const parallel_work *work, int job, long parent, int pipe)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)parent)
        _exit(0);
    verify_summary own = {.cases = json_array()};
    assay_error error = {0};
    parallel_report report = {.pipe = pipe};
    const assay_status status = work->run(work->context, job, &report, &own, &error);
    parallel_send(&report, &own);
    write_line(pipe, json_pack("{s:i, s:s}", "status", status, "message", error.message));
    fflush(NULL);
    _exit(0);
}

static assay_status start(run *r, int job)
{
    int ends[2];
    const long parent = getpid();
    child *c = &r->children[job];
    if (pipe(ends) != 0)
        return assay_error_set(r->error, ASSAY_ERR_ENVIRONMENT, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        run_child(r->work, job, parent, ends[1]);
    }
    close(ends[1]);
    if (pid > 0) {
        free(c->text);
        *c = (child){.pid = pid, .pipe = ends[0]};
        return ASSAY_OK;
    }
    close(ends[0]);
    return assay_error_set(r->error, ASSAY_ERR_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
}

static void take_line(run *r, child *c, const char *line)
{
    json_t *report = json_loads(line, 0, NULL);
    verify_summary *s = r->summary;
    if (json_object_get(report, "status")) {
        const assay_status status = (assay_status)json_get_number(report, "status", 0);
        c->said_end = 1;
        if (status != ASSAY_OK && r->status == ASSAY_OK)
            r->status = assay_error_set(r->error, status, "%s", json_get_text(report, "message", ""));
    } else if (report) {
        s->passed += json_get_int(report, "passed", 0);
        s->failed += json_get_int(report, "failed", 0);
        s->skipped += json_get_int(report, "skipped", 0);
        s->errors += json_get_int(report, "errors", 0);
        if (s->error_exit == 0)
            s->error_exit = json_get_int(report, "error_exit", 0);
        s->interrupted |= json_get_int(report, "interrupted", 0);
        json_array_extend(s->cases, json_object_get(report, "cases"));
    }
    json_decref(report);
}

/* Bytes from a job, and the lines among them. 0 at their end. */
static int take_bytes(run *r, child *c)
{
    if (c->capacity - c->used < 4096) {
        char *grown = realloc(c->text, c->capacity + 65536);
        if (!grown)
            return 0;
        c->text = grown;
        c->capacity += 65536;
    }
    const ssize_t got = read(c->pipe, c->text + c->used, c->capacity - c->used - 1);
    if (got < 0 && errno == EINTR)
        return 1;
    if (got <= 0)
        return 0;
    c->used += (size_t)got;
    c->text[c->used] = '\0';
    for (char *end; (end = strchr(c->text, '\n')) != NULL;) {
        *end = '\0';
        take_line(r, c, c->text);
        c->used -= (size_t)(end + 1 - c->text);
        memmove(c->text, end + 1, c->used + 1);
    }
    return 1;
}

/* A job's pipe is closed: it has ended. One that was lost may be started again. */
static void take_end(run *r, int job)
{
    child *c = &r->children[job];
    int status = 0;
    char how[128];
    close(c->pipe);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    c->pid = 0;
    if (c->said_end)
        return;
    if (process_interrupted()) {
        r->summary->interrupted = 1;
        return;
    }
    const process_result result = {.end = WIFSIGNALED(status) ? PROCESS_SIGNALED : PROCESS_EXITED,
                                   .code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
    process_describe(&result, how, sizeof how);
    const int more = r->work->lost ? r->work->lost(r->work->context, job, how, r->summary) : 0;
    if (!r->work->lost)
        r->status = assay_error_set(r->error, ASSAY_ERR_ENVIRONMENT, "a judging process %s", how);
    if (more && r->status == ASSAY_OK)
        r->status = start(r, job);
}

/* An interrupt that reached only this process is passed on. A job may be in a reference that computes for minutes: it gets a while to write
 * down what it has, and is ended then; its workers end with it. */
static void pass_interrupt(run *r)
{
    const double now = process_clock_s();
    if (r->interrupted_s > 0 && now - r->interrupted_s < LAST_WORDS_S)
        return;
    for (int i = 0; i < r->jobs; i++)
        if (r->children[i].pid > 0)
            kill(r->children[i].pid, r->interrupted_s > 0 ? SIGKILL : SIGTERM);
    r->interrupted_s = now;
}

/* 0 when no job runs any more. */
static int listen_once(run *r)
{
    struct pollfd watched[PARALLEL_MAX_JOBS];
    int running = 0;
    for (int i = 0; i < r->jobs; i++) {
        watched[i] =
            (struct pollfd){.fd = r->children[i].pid > 0 ? r->children[i].pipe : -1, .events = POLLIN};
        running += r->children[i].pid > 0;
    }
    if (running == 0)
        return 0;
    const int ready = poll(watched, (nfds_t)r->jobs, LISTEN_MS);
    if (process_interrupted())
        pass_interrupt(r);
    if (ready <= 0)
        return 1;
    for (int i = 0; i < r->jobs; i++)
        if (watched[i].fd >= 0 && watched[i].revents && !take_bytes(r, &r->children[i]))
            take_end(r, i);
    return 1;
}

assay_status parallel_run(int jobs, const parallel_work *work, verify_summary *summary, assay_error *error)
{
    run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    r->work = work;
    r->jobs = jobs < PARALLEL_MAX_JOBS ? jobs : PARALLEL_MAX_JOBS;
    r->summary = summary;
    r->error = error;
    for (int i = 0; i < r->jobs && r->status == ASSAY_OK; i++)
        r->status = start(r, i);
    while (listen_once(r))
        ;
    for (int i = 0; i < r->jobs; i++)
        free(r->children[i].text);
    const assay_status status = r->status;
    free(r);
    return status;
}

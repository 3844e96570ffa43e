/* What a worker process says, and its end; see worker.h. */
#include "verify/worker_parts.h"
#include "core/process.h"
#include "core/utf8.h"
#include "verify/source_lines.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_IN_PIPE = 1 << 20, END_WAIT_MS = 2000, REPORT_WAIT_MS = 60000 };

/* ---- what it says ---- */

static void append_words(worker *w, const char *text, size_t bytes)
{
    if (w->said + bytes > OUTPUT_LIMIT) {
        const size_t drop = w->said + bytes - OUTPUT_LIMIT;
        memmove(w->words, w->words + drop, w->said - drop);
        w->said -= drop;
    }
    memcpy(w->words + w->said, text, bytes);
    w->said += bytes;
    w->words[w->said] = '\0';
}

void worker_drain(worker *w)
{
    char buffer[4096];
    for (size_t left = MOST_IN_PIPE; w->output >= 0 && left >= sizeof buffer; left -= sizeof buffer) {
        struct pollfd watched = {.fd = w->output, .events = POLLIN};
        const ssize_t got = poll(&watched, 1, 0) > 0 ? read(w->output, buffer, sizeof buffer) : -1;
        if (got == 0) {
            close(w->output);
            w->output = -1;
        }
        if (got <= 0)
            return;
        append_words(w, buffer, (size_t)got);
    }
}

/* Reports of the CPU device and of the sanitizers; the rest of their output are stacks and hints. */
static int is_report(const char *line)
{
    return strstr(line, "assay-simt: ") != NULL || strstr(line, "ERROR: ") != NULL ||
           strstr(line, "runtime error: ") != NULL;
}

void worker_last_words(const char *output, char *line, size_t line_bytes)
{
    int reported = 0;
    line[0] = '\0';
    for (const char *at = output ? output : ""; *at;) {
        const size_t length = strcspn(at, "\n");
        char text[400];
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        if (text[0] != '\0' && (!reported || is_report(text))) {
            snprintf(line, line_bytes, "%s", text);
            reported = is_report(text);
        }
        at += length + (at[length] == '\n');
    }
    utf8_make_line(line);
}

/* ---- its end ---- */

/* Wait for the process, `patience_ms` before it is killed, listening meanwhile. Its group goes with it. */
static void reap(worker *w, int patience_ms)
{
    int status = 0;
    pid_t got = 0;
    for (int waited = 0; waited < patience_ms && got == 0; waited += 2) {
        worker_drain(w);
        got = waitpid(w->pid, &status, WNOHANG);
        if (got == 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (got == 0) {
        kill(w->pid, SIGKILL);
        while ((got = waitpid(w->pid, &status, 0)) < 0 && errno == EINTR)
            ;
    }
    kill(-w->pid, SIGKILL);
    w->signal = got == w->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    w->status = got == w->pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    /* The first process of a process namespace ends for the one that works (confine.h). */
    if ((w->measures & CONFINE_PROCESSES) && w->status > 128) {
        w->signal = w->status - 128;
        w->status = 0;
    }
    worker_drain(w);
}

static void describe(worker *w)
{
    char how[128], line[400];
    const process_result result = {.end = w->end == WORKER_TIMED_OUT     ? PROCESS_TIMED_OUT
                                          : w->end == WORKER_INTERRUPTED ? PROCESS_INTERRUPTED
                                          : w->signal > 0                ? PROCESS_SIGNALED
                                                                         : PROCESS_EXITED,
                                   .code = w->signal > 0 ? w->signal : w->status,
                                   .seconds = w->limit_s};
    process_describe(&result, how, sizeof how);
    worker_last_words(w->words, line, sizeof line);
    if (w->measures != 0 && w->library[0])
        source_lines_resolve(w->library, line, sizeof line);
    snprintf(w->reason, sizeof w->reason, "%s%s%s%s%.400s", how, w->what[0] ? " in " : "", w->what,
             line[0] ? ": " : "", line);
}

assay_status worker_lose(worker *w, worker_end end, assay_error *error)
{
    if (w->end == WORKER_RUNS) {
        w->end = end;
        if (end != WORKER_CRASHED)
            kill(w->pid, SIGKILL);
        reap(w, END_WAIT_MS);
        describe(w);
    }
    return assay_error_set(error, ASSAY_ERR_DEVICE, "%s", w->reason);
}

void worker_stop(worker *w, int orderly)
{
    if (!w || w->end != WORKER_RUNS)
        return;
    w->end = WORKER_STOPPED;
    close(w->socket);
    w->socket = -1;
    if (!orderly)
        kill(w->pid, SIGKILL);
    reap(w, orderly ? REPORT_WAIT_MS : END_WAIT_MS);
}

void worker_close(worker *w)
{
    if (!w)
        return;
    worker_stop(w, 0);
    if (w->shared)
        munmap(w->shared, (size_t)w->shared_bytes);
    const int descriptors[] = {w->socket, w->output, w->memory};
    for (int i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    free(w);
}

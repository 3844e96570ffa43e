/* See clock_lock.h. */
#include "bench/environment/clock_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_LIMIT_MS = 20000 };

struct clock_lock {
    pid_t pid;
    int to_guard; /* the guard restores when this closes; no other process may hold it */
    char guard[4200], uuid[64];
};

static void run_guard(const clock_lock *lock, const char *mhz, int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (mhz)
        execl(lock->guard, lock->guard, "--uuid", lock->uuid, "--mhz", mhz, (char *)NULL);
    else
        execl(lock->guard, lock->guard, "--uuid", lock->uuid, "--restore", (char *)NULL);
    dprintf(STDOUT_FILENO, "cannot run %s: %s\n", lock->guard, strerror(errno));
    _exit(127);
}

/* One line, or what came before the end or the time limit. */
static void read_line(int from, char *line, size_t line_bytes)
{
    size_t length = 0;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    line[0] = '\0';
    while (length + 1 < line_bytes && poll(&wait, 1, ANSWER_LIMIT_MS) > 0) {
        if (read(from, line + length, 1) != 1 || line[length] == '\n')
            break;
        length++;
    }
    line[length] = '\0';
}

/* Closed in every program that this process starts: a worker that held an end would keep the guard waiting. */
static int make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* Start the guard; `answer` gets its first line. */
static assay_status start_guard(clock_lock *lock, const char *mhz, char *answer, size_t answer_bytes,
                                assay_error *error)
{
    int in[2], out[2];
    if (!make_pipe(in))
        return assay_error_set(error, ASSAY_ERR_IO, "no pipe: %s", strerror(errno));
    if (!make_pipe(out)) {
        close(in[0]);
        close(in[1]);
        return assay_error_set(error, ASSAY_ERR_IO, "no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    lock->pid = fork();
    if (lock->pid == 0)
        run_guard(lock, mhz, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    lock->to_guard = in[1];
    if (lock->pid > 0)
        read_line(out[0], answer, answer_bytes);
    close(out[0]);
    return lock->pid > 0
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_IO, "cannot start a process: %s", strerror(errno));
}

/* The guard's exit status; -1 if it was killed. */
static int end_guard(clock_lock *lock)
{
    int status = 0;
    close(lock->to_guard);
    while (waitpid(lock->pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

assay_status clock_lock_take(const char *guard, const char *uuid, int mhz, clock_lock **out,
                             assay_error *error)
{
    char answer[512] = "", text[16];
    *out = NULL;
    clock_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a clock lock");
    snprintf(lock->guard, sizeof lock->guard, "%s", guard);
    snprintf(lock->uuid, sizeof lock->uuid, "%s", uuid);
    snprintf(text, sizeof text, "%d", mhz);
    assay_status status = start_guard(lock, text, answer, sizeof answer, error);
    if (status == ASSAY_OK && strncmp(answer, "locked", 6) != 0) {
        const int end = end_guard(lock);
        status = assay_error_set(error, end == ASSAY_EXIT_USAGE ? ASSAY_ERR_INVALID : ASSAY_ERR_ENVIRONMENT,
                                 "the clock was not locked: %s",
                                 answer[0] ? answer : "the guard was killed or said nothing");
        char unused[512];
        if (end < 0 && start_guard(lock, NULL, unused, sizeof unused, NULL) == ASSAY_OK)
            (void)end_guard(lock); /* killed, perhaps after it had locked the clock */
    }
    if (status != ASSAY_OK) {
        free(lock);
        return status;
    }
    *out = lock;
    return ASSAY_OK;
}

assay_status clock_lock_release(clock_lock *lock, assay_error *error)
{
    char answer[512] = "";
    assay_status status = ASSAY_OK;
    if (!lock)
        return ASSAY_OK;
    int end = end_guard(lock);
    if (end != 0) { /* killed, or the driver refused: once more */
        status = start_guard(lock, NULL, answer, sizeof answer, error);
        end = status == ASSAY_OK ? end_guard(lock) : -1;
    }
    if (status == ASSAY_OK && end != 0)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "the clock is still locked (%s); restore it with nvidia-smi -rgc",
                                 answer[0] ? answer : "the guard said nothing");
    free(lock);
    return status;
}

/* A provider that is a command: the prompt on its input, the reply on its output, within a time limit. */
#include "tune/providers/provider_internal.h"
#include "core/process.h"
#include "tune/providers/endpoint.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *error_fd(void *context)
{
    return context;
}

/* In the child: standard error goes to a file of its own, since output is the reply. */
static int redirect_errors(void *context)
{
    return dup2(*error_fd(context), STDERR_FILENO) >= 0 ? 0 : errno;
}

/* All that comes until the end, the limit of bytes or the deadline. 1: the end was reached. */
static int read_all(int fd, double deadline, char **out, char *why, size_t why_bytes)
{
    size_t used = 0, room = 0;
    char *text = NULL;
    for (;;) {
        if (used + 65536 > room) {
            room = used + 131072;
            char *grown = realloc(text, room + 1);
            if (grown == NULL)
                break;
            text = grown;
        }
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const double left = deadline - process_clock_s();
        if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) == 0) {
            snprintf(why, why_bytes, "the command took longer than its time limit");
            break;
        }
        const ssize_t got = read(fd, text + used, 65536);
        if (got == 0) {
            text[used] = '\0';
            *out = text;
            return 1;
        }
        if (got < 0 && errno != EINTR)
            break;
        used += got > 0 ? (size_t)got : 0;
        if (used > PROVIDER_MAX_REPLY_BYTES) {
            snprintf(why, why_bytes, "the command's reply is longer than %d bytes", PROVIDER_MAX_REPLY_BYTES);
            break;
        }
    }
    free(text);
    return 0;
}

/* Its end within the deadline, else it is killed with all that it started. */
static int wait_until(long pid, double deadline)
{
    int status = 0;
    while (waitpid((pid_t)pid, &status, WNOHANG) == 0) {
        if (process_clock_s() > deadline)
            return -1;
        usleep(2000);
    }
    return status;
}

/* The last line that the command wrote to standard error. */
static void last_line(int fd, char *out, size_t out_bytes)
{
    char text[2001];
    const off_t end = lseek(fd, 0, SEEK_END), start = end > 2000 ? end - 2000 : 0;
    const ssize_t got = pread(fd, text, 2000, start);
    text[got > 0 ? got : 0] = '\0';
    size_t length = strlen(text);
    while (length > 0 && strchr("\n\r ", text[length - 1]))
        text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    snprintf(out, out_bytes, "%s%.200s", text[0] ? ": " : "", line ? line + 1 : text);
}

static int describe_end(int status, int errors, char *why, size_t why_bytes)
{
    char line[240];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 1;
    last_line(errors, line, sizeof line);
    if (WIFEXITED(status))
        snprintf(why, why_bytes, "the command exited with status %d%s", WEXITSTATUS(status), line);
    else
        snprintf(why, why_bytes, "the command was killed by signal %d%s", WTERMSIG(status), line);
    return 0;
}

static int run(const char *command, int input, int errors, double deadline, char **reply, char *why,
               size_t why_bytes)
{
    int output[2], error_number = 0;
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    if (pipe(output) != 0)
        return snprintf(why, why_bytes, "the command was not started: %s", strerror(errno)), 0;
    const process_plan plan = {.argv = argv,
                               .input_fd = input,
                               .output_fd = output[1],
                               .prepare = redirect_errors,
                               .context = &errors};
    const long pid = process_start(&plan, &error_number);
    close(output[1]);
    if (pid < 0) {
        close(output[0]);
        return snprintf(why, why_bytes, "the command was not started: %s", strerror(error_number)), 0;
    }
    int is_whole = read_all(output[0], deadline, reply, why, why_bytes);
    const int status = is_whole ? wait_until(pid, deadline) : -1;
    close(output[0]);
    kill(-(pid_t)pid, SIGKILL); /* also what it left behind */
    if (status == -1) {
        waitpid((pid_t)pid, NULL, 0);
        if (is_whole)
            snprintf(why, why_bytes, "the command took longer than its time limit");
        is_whole = 0;
    } else {
        is_whole = describe_end(status, errors, why, why_bytes);
    }
    if (!is_whole) {
        free(*reply);
        *reply = NULL;
    }
    return is_whole;
}

int provider_run_command(const char *command, const char *prompt, double time_limit_s, char **reply,
                         char *why, size_t why_bytes)
{
    const size_t bytes = strlen(prompt);
    const int input = memfd_create("prompt", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    int done = 0;
    *reply = NULL;
    if (input < 0 || errors < 0 || write(input, prompt, bytes) != (ssize_t)bytes ||
        lseek(input, 0, SEEK_SET) != 0)
        snprintf(why, why_bytes, "the prompt cannot be given to the command: %s", strerror(errno));
    else
        done = run(command, input, errors, process_clock_s() + time_limit_s, reply, why, why_bytes);
    if (input >= 0)
        close(input);
    if (errors >= 0)
        close(errors);
    return done;
}

/* Programs in pipes: see piped.h. */
#include "core/piped.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AFTER_END_MS = 200 }; /* for what a grandchild still writes */

/* The child's last act: messages go to a pipe of their own. */
static int divide_output(void *context)
{
    return dup2(*(const int *)context, STDERR_FILENO) < 0 ? errno : 0;
}

assay_status piped_start(const char *const *argv, const char *input, piped *p, assay_error *error)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, number = 0;
    *p = (piped){.in = -1,
                 .out = -1,
                 .err = -1,
                 .input = input,
                 .input_left = input ? strlen(input) : 0,
                 .start_s = process_clock_s(),
                 .output = calloc(1, 1),
                 .messages = calloc(1, 1)};
    /* A socket, so that writing to a program that has closed its input is an error and no signal. */
    if (!p->output || !p->messages || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
        pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        number = errno;
    const process_plan plan = {
        .argv = argv, .input_fd = in[0], .output_fd = out[1], .prepare = divide_output, .context = &err[1]};
    p->pid = number == 0 ? process_start(&plan, &number) : -1;
    p->in = in[1], p->out = out[0], p->err = err[0];
    const int theirs[] = {in[0], out[1], err[1]};
    for (int i = 0; i < 3; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (p->pid > 0)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s could not be started: %s", argv[0],
                           strerror(number));
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void send_some(piped *p)
{
    const ssize_t sent =
        p->input_left > 0 ? send(p->in, p->input, p->input_left, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
    if (sent > 0) {
        p->input += sent;
        p->input_left -= (size_t)sent;
    }
    if (p->input_left == 0 || (sent < 0 && errno != EAGAIN && errno != EINTR))
        close_end(&p->in); /* the end of the input, or nobody reads it */
}

static void receive_some(piped *p, int *fd, char **text, size_t *bytes)
{
    char buffer[65536];
    const ssize_t got = read(*fd, buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        close_end(fd);
    if (got <= 0)
        return;
    char *grown = *bytes + (size_t)got < PIPED_MOST_BYTES ? realloc(*text, *bytes + (size_t)got + 1) : NULL;
    if (!grown) {
        p->overflow = 1;
        piped_stop(p, 1);
        close_end(fd);
        return;
    }
    memcpy(grown + *bytes, buffer, (size_t)got);
    *text = grown;
    *bytes += (size_t)got;
    grown[*bytes] = '\0';
}

/* 0 when there was nothing to do within the time. */
static int pump(piped *p, int wait_ms)
{
    struct pollfd watched[3] = {{.fd = p->in, .events = p->talks ? POLLIN : POLLOUT},
                                {.fd = p->out, .events = POLLIN},
                                {.fd = p->err, .events = POLLIN}};
    const int ready = poll(watched, 3, wait_ms);
    if (ready > 0 && watched[0].revents && !p->talks)
        send_some(p);
    if (ready > 0 && watched[1].revents)
        receive_some(p, &p->out, &p->output, &p->output_bytes);
    if (ready > 0 && watched[2].revents)
        receive_some(p, &p->err, &p->messages, &p->message_bytes);
    return ready > 0;
}

int piped_step(piped *p, int wait_ms, process_result *result)
{
    int status;
    pump(p, wait_ms);
    const pid_t ended = waitpid((pid_t)p->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return 0;
    while ((p->out >= 0 || p->err >= 0) && pump(p, AFTER_END_MS))
        ;
    kill(-(pid_t)p->pid, SIGKILL); /* what it left behind */
    *result = (process_result){.end = ended > 0 && WIFSIGNALED(status) ? PROCESS_SIGNALED : PROCESS_EXITED,
                               .code = ended < 0             ? 0
                                       : WIFSIGNALED(status) ? WTERMSIG(status)
                                                             : WEXITSTATUS(status),
                               .seconds = process_clock_s() - p->start_s};
    p->pid = 0;
    return 1;
}

void piped_finish(piped *p, double limit_s, process_result *result)
{
    process_end why = PROCESS_EXITED;
    while (!piped_step(p, 20, result)) {
        if (why == PROCESS_EXITED && process_interrupted())
            why = PROCESS_INTERRUPTED;
        else if (why == PROCESS_EXITED && limit_s > 0 && process_clock_s() - p->start_s > limit_s)
            why = PROCESS_TIMED_OUT;
        else
            continue;
        piped_stop(p, 1);
    }
    if (why != PROCESS_EXITED)
        result->end = why;
}

void piped_stop(piped *p, int at_once)
{
    if (p->pid <= 0)
        return;
    p->stopped = 1;
    kill(-(pid_t)p->pid, at_once ? SIGKILL : SIGTERM);
}

void piped_release(piped *p)
{
    process_result ended;
    if (p->pid > 0) {
        piped_stop(p, 1);
        while (!piped_step(p, 20, &ended))
            ;
    }
    close_end(&p->in);
    close_end(&p->out);
    close_end(&p->err);
    free(p->output);
    free(p->messages);
    p->output = p->messages = NULL;
}

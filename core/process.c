/* Child processes with a time limit, and the Ctrl-C flag. */
#include "core/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void process_watch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: waits return at once */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int process_interrupted(void)
{
    return interrupted;
}

double process_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The tail of the child's output: as long as what ptxas says of a module with a thousand kernels, some 500 bytes each. */
enum { OUTPUT_LIMIT = 512 << 10, MOST_IN_PIPE = 1 << 20 };

static void append_output(process_result *result, size_t *used, const char *text, size_t bytes)
{
    if (bytes > OUTPUT_LIMIT) {
        text += bytes - OUTPUT_LIMIT;
        bytes = OUTPUT_LIMIT;
    }
    if (*used + bytes > OUTPUT_LIMIT) {
        const size_t drop = *used + bytes - OUTPUT_LIMIT;
        memmove(result->output, result->output + drop, *used - drop);
        *used -= drop;
    }
    memcpy(result->output + *used, text, bytes);
    *used += bytes;
    result->output[*used] = '\0';
}

/* In the child: own process group, default signals, its streams, then exec. A parent that is killed cannot enforce the time limit, so the
 * child goes with it. */
static void become_child(const process_plan *plan, pid_t parent, int report_fd)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!plan->namespaces && getppid() != parent) /* it ended before the line above */
        _exit(127);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (plan->input_fd >= 0)
        dup2(plan->input_fd, STDIN_FILENO);
    if (plan->output_fd >= 0) {
        dup2(plan->output_fd, STDOUT_FILENO);
        dup2(plan->output_fd, STDERR_FILENO);
    }
    int code = plan->prepare ? plan->prepare(plan->context) : 0;
    if (code == 0) {
        execvp(plan->argv[0], (char *const *)plan->argv);
        code = errno;
    }
    (void)!write(report_fd, &code, sizeof code);
    _exit(127);
}

/* fork(), into new namespaces if they are wanted. */
static pid_t make_child(int namespaces)
{
    fflush(NULL);
    return namespaces == 0 ? fork() : (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
}

long process_start(const process_plan *plan, int *error_number)
{
    int report[2], code = 0;
    /* Closed by exec from the start: a child that another thread starts now would keep it open. */
    if (pipe2(report, O_CLOEXEC) != 0) {
        *error_number = errno;
        return -1;
    }
    const pid_t parent = getpid(), child = make_child(plan->namespaces);
    if (child == 0)
        become_child(plan, parent, report[1]);
    *error_number = errno;
    close(report[1]);
    if (child > 0) {
        setpgid(child, child); /* also here: whichever of the two runs first */
        ssize_t got;
        while ((got = read(report[0], &code, sizeof code)) < 0 && errno == EINTR)
            ;
        if (got == sizeof code) {
            *error_number = code;
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
        }
    }
    close(report[0]);
    return child > 0 && code == 0 ? child : -1;
}

/* What a child may take, and who says that its time begins again. */
typedef struct time_limit {
    double seconds, start;
    process_watch watch; /* or NULL */
    void *context;
} time_limit;

/* Wait for the end of the child, draining its output; kills the whole group at the limit or on an interrupt. */
static void supervise(pid_t child, int output_fd, time_limit *limit, process_result *result)
{
    size_t used = 0;
    int open = output_fd >= 0, ended = 0, status = 0;
    process_end end = PROCESS_EXITED;
    while (!ended) {
        if (open) {
            struct pollfd watched = {.fd = output_fd, .events = POLLIN};
            if (poll(&watched, 1, 20) > 0) {
                char buffer[4096];
                const ssize_t got = read(output_fd, buffer, sizeof buffer);
                if (got > 0)
                    append_output(result, &used, buffer, (size_t)got);
                else if (got == 0)
                    open = 0;
            }
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
        const pid_t waited = waitpid(child, &status, WNOHANG);
        ended = waited == child || (waited < 0 && errno != EINTR);
        if (!ended && limit->watch && limit->watch(limit->context))
            limit->start = process_clock_s();
        if (!ended && interrupted) {
            end = PROCESS_INTERRUPTED;
            kill(-child, SIGTERM);
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        } else if (!ended && limit->seconds > 0 && process_clock_s() - limit->start > limit->seconds) {
            end = PROCESS_TIMED_OUT;
        }
        if (!ended && end != PROCESS_EXITED) {
            kill(-child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            ended = 1;
        }
    }
    /* What was written just before the end, a pipe's fill at most: a grandchild holding the pipe is not waited for. */
    for (size_t left = MOST_IN_PIPE; open && left > 0;) {
        char buffer[4096];
        struct pollfd watched = {.fd = output_fd, .events = POLLIN};
        ssize_t got = 0;
        if (poll(&watched, 1, 0) <= 0 || (got = read(output_fd, buffer, sizeof buffer)) <= 0)
            break;
        append_output(result, &used, buffer, (size_t)got);
        left -= left < (size_t)got ? left : (size_t)got;
    }
    if (end == PROCESS_EXITED && WIFSIGNALED(status))
        end = PROCESS_SIGNALED;
    result->end = end;
    result->code = end == PROCESS_SIGNALED ? WTERMSIG(status) : WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (interrupted && end == PROCESS_SIGNALED && (result->code == SIGINT || result->code == SIGTERM))
        result->end = PROCESS_INTERRUPTED;
}

void process_run(const char *const *argv, double time_limit_s, int capture, process_result *result)
{
    process_run_watched(argv, time_limit_s, capture, NULL, NULL, result);
}

static long start_plainly(const process_plan *plan, void *context, int *error_number)
{
    (void)context;
    return process_start(plan, error_number);
}

static void run(const char *const *argv, time_limit limit, int capture, process_starter start,
                void *start_context, process_result *result)
{
    *result = (process_result){.end = PROCESS_NOT_STARTED};
    int output[2] = {-1, -1};
    limit.start = process_clock_s();
    if (capture && pipe2(output, O_CLOEXEC) != 0) {
        result->code = errno;
        return;
    }
    if (capture && !(result->output = calloc(1, OUTPUT_LIMIT + 1))) {
        result->code = ENOMEM;
        close(output[0]);
        close(output[1]);
        return;
    }
    const process_plan plan = {.argv = argv, .input_fd = -1, .output_fd = output[1]};
    const long child = start(&plan, start_context, &result->code);
    if (capture)
        close(output[1]);
    if (child > 0)
        supervise((pid_t)child, output[0], &limit, result);
    if (capture)
        close(output[0]);
    result->seconds = process_clock_s() - limit.start;
}

void process_run_watched(const char *const *argv, double time_limit_s, int capture, process_watch watch,
                         void *context, process_result *result)
{
    const time_limit limit = {.seconds = time_limit_s, .watch = watch, .context = context};
    run(argv, limit, capture, start_plainly, NULL, result);
}

void process_run_started(const char *const *argv, double time_limit_s, process_starter start, void *context,
                         process_result *result)
{
    run(argv, (time_limit){.seconds = time_limit_s}, 1, start, context, result);
}

void process_result_release(process_result *result)
{
    free(result->output);
    result->output = NULL;
}

void process_describe(const process_result *result, char *out, size_t out_bytes)
{
    switch (result->end) {
    case PROCESS_EXITED:
        snprintf(out, out_bytes, "exited with status %d", result->code);
        return;
    case PROCESS_SIGNALED:
        snprintf(out, out_bytes, "killed by signal %d (%s)", result->code, strsignal(result->code));
        return;
    case PROCESS_TIMED_OUT:
        snprintf(out, out_bytes, "timed out after %.0f s", result->seconds);
        return;
    case PROCESS_INTERRUPTED:
        snprintf(out, out_bytes, "interrupted");
        return;
    case PROCESS_NOT_STARTED:
        snprintf(out, out_bytes, "could not be started: %s", strerror(result->code));
        return;
    }
}

/* The parent's number, 0 if there is none or it cannot be known. The name in parentheses before it may hold anything. */
static long parent_of(long pid)
{
    char path[64], line[1024] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    const char *after_name = strrchr(line, ')');
    return after_name && sscanf(after_name + 1, " %*c %ld", &parent) == 1 ? parent : 0;
}

int process_descends_from(long pid, long ancestor)
{
    enum { MOST_GENERATIONS = 64 }; /* the tree may change while it is climbed */
    for (int i = 0; i < MOST_GENERATIONS && pid > 0; i++, pid = parent_of(pid))
        if (pid == ancestor)
            return 1;
    return 0;
}

void process_executable_folder(char *out, size_t out_bytes)
{
    const ssize_t length = readlink("/proc/self/exe", out, out_bytes - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash != NULL)
        *slash = '\0';
}

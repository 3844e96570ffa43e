/* A worker process, its conversation and its end; see worker.h. */
#include "verify/worker.h"
#include "core/process.h"
#include "core/utf8.h"
#include "verify/source_lines.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUT_LIMIT = 65536,
    MOST_IN_PIPE = 1 << 20,
    TICK_MS = 20,
    END_WAIT_MS = 2000,
    REPORT_WAIT_MS = 60000
};

struct worker {
    pid_t pid;
    int socket, output;
    worker_end end;
    int signal, status; /* what ended it, or with which status it exited */
    double limit_s, waited_s;
    char what[160], reason[WORKER_REASON_MAX];
    char library[PATH_MAX]; /* the module that was loaded last; "" before */
    unsigned measures;
    assay_device_info info;
    protocol_answer answer;
    int took_order;
    step_kind failed_step;
    /* The queue. */
    uint32_t step_count, text_used;
    protocol_step steps[PROTOCOL_MOST_STEPS];
    char text[PROTOCOL_MOST_TEXT];
    int memory; /* descriptor of the shared memory */
    unsigned char *shared;
    int64_t shared_bytes;
    size_t said;
    char words[OUTPUT_LIMIT + 1];
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

/* What is there now, a pipe's fill at most: a writer without end is not waited for. */
static void drain(worker *w)
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
        drain(w);
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
    drain(w);
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

static assay_status lose(worker *w, worker_end end, assay_error *error)
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

/* ---- the conversation ---- */

/* Wait for a message of exactly `bytes`, within what is left of the case's time. */
static assay_status receive(worker *w, void *message, size_t bytes, assay_error *error)
{
    const double start = now_s(), before = w->waited_s;
    for (;;) {
        struct pollfd watched[2] = {{.fd = w->socket, .events = POLLIN}, {.fd = w->output, .events = POLLIN}};
        const int ready = poll(watched, 2, TICK_MS);
        w->waited_s = before + (now_s() - start);
        drain(w);
        if (ready > 0 && watched[0].revents) {
            const ssize_t got = recv(w->socket, message, bytes, MSG_DONTWAIT | MSG_TRUNC);
            if (got == (ssize_t)bytes)
                return ASSAY_OK;
            if (got >= 0 || (errno != EAGAIN && errno != EINTR))
                return lose(w, WORKER_CRASHED, error);
        }
        if (process_interrupted())
            return lose(w, WORKER_INTERRUPTED, error);
        if (w->limit_s > 0 && w->waited_s > w->limit_s)
            return lose(w, WORKER_TIMED_OUT, error);
    }
}

/* With the descriptor of the shared memory, which STEP_SHARE needs. */
static assay_status send_queue(worker *w, assay_error *error)
{
    protocol_header header = {
        .magic = PROTOCOL_MAGIC, .step_count = w->step_count, .text_bytes = w->text_used};
    struct iovec parts[3] = {
        {&header, sizeof header}, {w->steps, w->step_count * sizeof w->steps[0]}, {w->text, w->text_used}};
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    if (w->memory >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *first = CMSG_FIRSTHDR(&message);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(first), &w->memory, sizeof w->memory);
    }
    ssize_t sent;
    while ((sent = sendmsg(w->socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR &&
           !process_interrupted())
        ;
    w->step_count = w->text_used = 0;
    return sent > 0 ? ASSAY_OK : lose(w, process_interrupted() ? WORKER_INTERRUPTED : WORKER_CRASHED, error);
}

/* What a step's failure may be called: only loading can find a kernel wrong, and only the kernel itself refuses a problem. */
static assay_status failure(step_kind kind, int32_t status)
{
    const int plausible = status > ASSAY_OK && status <= ASSAY_ERR_CHECK && status != ASSAY_ERR_UNSUPPORTED &&
                          (status != ASSAY_ERR_CHECK || kind == STEP_LOAD);
    return plausible ? (assay_status)status : ASSAY_ERR_DEVICE;
}

assay_status worker_flush(worker *w, assay_error *error)
{
    if (w->end != WORKER_RUNS)
        return lose(w, w->end, error);
    if (w->step_count == 0)
        return ASSAY_OK;
    step_kind kinds[PROTOCOL_MOST_STEPS];
    const uint32_t count = w->step_count;
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = (step_kind)w->steps[i].kind;
    assay_status status = send_queue(w, error);
    if (status == ASSAY_OK)
        status = receive(w, &w->answer, sizeof w->answer, error);
    if (status != ASSAY_OK)
        return status;
    protocol_answer *a = &w->answer;
    a->message[sizeof a->message - 1] = '\0';
    utf8_make_line(a->message);
    w->took_order |= a->took_order;
    if (a->magic != PROTOCOL_MAGIC || a->done < 0 || (uint32_t)a->done > count)
        return lose(w, WORKER_CRASHED, error);
    if ((uint32_t)a->done == count)
        return ASSAY_OK;
    w->failed_step = kinds[a->done];
    return assay_error_set(error, failure(w->failed_step, a->status), "%s", a->message);
}

assay_status worker_add(worker *w, protocol_step step, const void *text, assay_error *error)
{
    const uint32_t bytes = text ? (uint32_t)step.bytes : 0;
    if (w->step_count == PROTOCOL_MOST_STEPS || w->text_used + bytes > PROTOCOL_MOST_TEXT) {
        const assay_status status = worker_flush(w, error);
        if (status != ASSAY_OK)
            return status;
    }
    if (bytes > PROTOCOL_MOST_TEXT)
        return assay_error_set(error, ASSAY_ERR_INVALID, "a step with %u bytes of text", bytes);
    if (bytes > 0)
        memcpy(w->text + w->text_used, text, bytes);
    w->text_used += bytes;
    w->steps[w->step_count++] = step;
    return ASSAY_OK;
}

assay_status worker_load(worker *w, const char *library, const char *op, assay_error *error)
{
    char text[4096 + ASSAY_NAME_MAX];
    const int bytes = snprintf(text, sizeof text, "%s%c%s", library, '\0', op) + 1;
    if (bytes > (int)sizeof text)
        return assay_error_set(error, ASSAY_ERR_INVALID, "the path %s is too long", library);
    snprintf(w->library, sizeof w->library, "%s", library);
    const assay_status status =
        worker_add(w, (protocol_step){.kind = STEP_LOAD, .bytes = bytes}, text, error);
    return status == ASSAY_OK ? worker_flush(w, error) : status;
}

assay_status worker_share(worker *w, int64_t bytes, assay_error *error)
{
    if (w->shared && w->shared_bytes >= bytes)
        return ASSAY_OK;
    if (bytes == 0) /* the tensors of an empty problem; nothing cannot be mapped */
        bytes = 1;
    if (w->shared)
        munmap(w->shared, (size_t)w->shared_bytes);
    if (w->memory >= 0)
        close(w->memory);
    w->shared = NULL;
    w->memory = memfd_create("assay-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Sealed: a worker that shortens it would end the judge at its next access. */
    if (w->memory >= 0 && ftruncate(w->memory, bytes) == 0 &&
        fcntl(w->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        void *mapped = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->memory, 0);
        w->shared = mapped == MAP_FAILED ? NULL : mapped;
    }
    w->shared_bytes = w->shared ? bytes : 0;
    return w->shared ? worker_add(w, (protocol_step){.kind = STEP_SHARE, .bytes = bytes}, NULL, error)
                     : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld shared bytes: %s",
                                       (long long)bytes, strerror(errno));
}

/* ---- begin ---- */

assay_status worker_adopt(long pid, int socket, int output, double time_limit_s, worker **out,
                          assay_error *error)
{
    protocol_hello hello;
    *out = NULL;
    worker *w = calloc(1, sizeof *w);
    if (!w)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    w->pid = (pid_t)pid;
    w->socket = socket;
    w->output = output;
    w->memory = -1;
    w->limit_s = time_limit_s;
    assay_error lost = {0};
    assay_status status = receive(w, &hello, sizeof hello, &lost);
    if (status == ASSAY_OK) {
        hello.message[sizeof hello.message - 1] = '\0';
        status = hello.magic == PROTOCOL_MAGIC ? (assay_status)hello.status : ASSAY_ERR_ENVIRONMENT;
        w->info = hello.info;
    }
    *out = w;
    if (status == ASSAY_OK)
        return ASSAY_OK;
    assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", lost.message[0] ? lost.message : hello.message);
    worker_close(w);
    *out = NULL;
    return ASSAY_ERR_ENVIRONMENT;
}

assay_status worker_start(const worker_setup *setup, worker **out, assay_error *error)
{
    int sockets[2] = {-1, -1}, output[2] = {-1, -1}, error_number = 0, words = 0;
    const char *argv[64];
    *out = NULL;
    while (setup->tool && setup->tool[words] && words < 60) {
        argv[words] = setup->tool[words];
        words++;
    }
    argv[words] = setup->program;
    argv[words + 1] = setup->device;
    argv[words + 2] = NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(output, O_CLOEXEC) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot make a socket: %s", strerror(errno));
    const process_plan plan = {.argv = argv, .input_fd = sockets[1], .output_fd = output[1]};
    unsigned measures = 0;
    const long pid = setup->confine ? confine_start(&plan, setup->confine, &measures, &error_number)
                                    : process_start(&plan, &error_number);
    close(sockets[1]);
    close(output[1]);
    if (pid > 0) {
        const assay_status status = worker_adopt(pid, sockets[0], output[0], setup->time_limit_s, out, error);
        if (*out)
            (*out)->measures = measures;
        return status;
    }
    close(sockets[0]);
    close(output[0]);
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s could not be started: %s", argv[0],
                           strerror(error_number));
}

void worker_begin(worker *w, double time_limit_s)
{
    drain(w);
    w->said = 0;
    w->words[0] = '\0';
    w->limit_s = time_limit_s;
    w->waited_s = 0;
    w->what[0] = '\0';
}

void worker_name_step(worker *w, const char *label, const char *name)
{
    snprintf(w->what, sizeof w->what, "%s%s%s", label ? label : "", label && label[0] ? ", " : "", name);
}

unsigned worker_measures(const worker *w)
{
    return w->measures;
}

const assay_device_info *worker_info(const worker *w)
{
    return &w->info;
}

unsigned char *worker_shared(const worker *w)
{
    return w->shared;
}

step_kind worker_failed_step(const worker *w)
{
    return w->failed_step;
}

assay_status worker_returned(const worker *w)
{
    const int32_t returned = w->answer.returned;
    return returned >= ASSAY_OK && returned <= ASSAY_ERR_CHECK ? (assay_status)returned : ASSAY_ERR_DEVICE;
}

int worker_took_order(worker *w)
{
    const int took = w->took_order != 0;
    w->took_order = 0;
    return took;
}

int64_t worker_value(const worker *w)
{
    return w->answer.value;
}

uint64_t worker_address(const worker *w, int buffer)
{
    return w->answer.address[buffer];
}

int worker_lost(const worker *w)
{
    return w->end != WORKER_RUNS;
}

worker_end worker_how_ended(const worker *w)
{
    return w->end;
}

const char *worker_reason(const worker *w)
{
    return w->reason;
}

double worker_waited_s(const worker *w)
{
    return w->waited_s;
}

const char *worker_output(const worker *w)
{
    return w->words;
}

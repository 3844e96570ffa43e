/* The conversation with a worker process; see worker.h. */
#include "verify/worker_parts.h"
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
#include <unistd.h>

enum { TICK_MS = 20 };

assay_status worker_receive(worker *w, void *message, size_t bytes, assay_error *error)
{
    const double start = process_clock_s(), before = w->waited_s;
    for (;;) {
        struct pollfd watched[2] = {{.fd = w->socket, .events = POLLIN}, {.fd = w->output, .events = POLLIN}};
        const int ready = poll(watched, 2, TICK_MS);
        w->waited_s = before + (process_clock_s() - start);
        worker_drain(w);
        if (ready > 0 && watched[0].revents) {
            const ssize_t got = recv(w->socket, message, bytes, MSG_DONTWAIT | MSG_TRUNC);
            if (got == (ssize_t)bytes)
                return ASSAY_OK;
            if (got >= 0 || (errno != EAGAIN && errno != EINTR))
                return worker_lose(w, WORKER_CRASHED, error);
        }
        if (process_interrupted())
            return worker_lose(w, WORKER_INTERRUPTED, error);
        if (w->limit_s > 0 &&
            (w->waited_s > w->limit_s || w->waited_s + w->earlier_s > WORKER_MOST_LIMITS * w->limit_s))
            return worker_lose(w, WORKER_TIMED_OUT, error);
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
    return sent > 0 ? ASSAY_OK
                    : worker_lose(w, process_interrupted() ? WORKER_INTERRUPTED : WORKER_CRASHED, error);
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
        return worker_lose(w, w->end, error);
    if (w->step_count == 0)
        return ASSAY_OK;
    step_kind kinds[PROTOCOL_MOST_STEPS];
    const uint32_t count = w->step_count;
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = (step_kind)w->steps[i].kind;
    assay_status status = send_queue(w, error);
    if (status == ASSAY_OK)
        status = worker_receive(w, &w->answer, sizeof w->answer, error);
    if (status != ASSAY_OK)
        return status;
    protocol_answer *a = &w->answer;
    a->message[sizeof a->message - 1] = '\0';
    utf8_make_line(a->message);
    w->took_order |= a->took_order;
    if (a->magic != PROTOCOL_MAGIC || a->done < 0 || (uint32_t)a->done > count)
        return worker_lose(w, WORKER_CRASHED, error);
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

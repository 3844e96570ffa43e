/* Doing the judge's steps; see serve.h. */
#include "verify/serve.h"
#include "core/workspace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { PEEK_WAIT_NS = 5000000 };

typedef struct server {
    int socket, received_fd; /* the descriptor that came with the last message, or -1 */
    assay_device *device;
    assay_run_fn run, own; /* the kernel; one that was there already and is no module */
    char *shared;
    int64_t shared_bytes;
    void *buffers[PROTOCOL_BUFFERS];
    int64_t buffer_bytes[PROTOCOL_BUFFERS];
    protocol_answer answer;
    protocol_step steps[PROTOCOL_MOST_STEPS];
    _Alignas(16) char text[PROTOCOL_MOST_TEXT + 1];
    size_t text_used; /* of the message's text, by the steps before */
} server;

static assay_status fail(assay_error *error, const char *what)
{
    return assay_error_set(error, ASSAY_ERR_INVALID, "worker: %s", what);
}

/* The next `bytes` of the message's text; NULL where there are not as many. */
static char *take_text(server *s, const protocol_header *header, size_t bytes)
{
    char *text = s->text + s->text_used;
    if (bytes > header->text_bytes - s->text_used)
        return NULL;
    s->text_used += bytes;
    return text;
}

static assay_status map_shared(server *s, int64_t bytes, assay_error *error)
{
    if (s->shared)
        munmap(s->shared, (size_t)s->shared_bytes);
    s->shared = s->received_fd < 0
                    ? MAP_FAILED
                    : mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->received_fd, 0);
    s->shared_bytes = bytes;
    if (s->shared != MAP_FAILED)
        return ASSAY_OK;
    s->shared = NULL;
    s->shared_bytes = 0;
    return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %lld shared bytes", (long long)bytes);
}

static void free_buffers(server *s)
{
    for (int i = 0; i < PROTOCOL_BUFFERS; i++) {
        assay_device_free(s->device, s->buffers[i]);
        s->buffers[i] = NULL;
        s->buffer_bytes[i] = 0;
    }
}

static assay_status allocate(server *s, const protocol_step *step, assay_error *error)
{
    const assay_status status = assay_device_alloc(s->device, step->bytes, &s->buffers[step->buffer], error);
    s->buffer_bytes[step->buffer] = status == ASSAY_OK ? step->bytes : 0;
    s->answer.address[step->buffer] = (uint64_t)(uintptr_t)s->buffers[step->buffer];
    return status;
}

/* Steps that name bytes of a buffer: are they there? */
static int is_in_range(const server *s, const protocol_step *step, int uses_shared)
{
    const int b = step->buffer;
    return b >= 0 && b < PROTOCOL_BUFFERS && step->offset >= 0 && step->bytes >= 0 &&
           step->bytes <= s->buffer_bytes[b] - step->offset &&
           (!uses_shared || (step->shared >= 0 && step->bytes <= s->shared_bytes - step->shared));
}

static assay_status set_tensor(server *s, const protocol_step *step, assay_error *error)
{
    if (!is_in_range(s, step, 0))
        return fail(error, "a tensor outside of its buffer");
    assay_device_set_tensor(s->device, s->buffers[step->buffer], step->offset, step->bytes, step->value == 1);
    return ASSAY_OK;
}

/* The bytes at the offset become step->bytes by copies, in doubling stretches. */
static assay_status repeat(server *s, const protocol_step *step, char *to, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int64_t done = (int64_t)step->value; done > 0 && done < step->bytes && status == ASSAY_OK;
         done *= 2) {
        const int64_t left = step->bytes - done;
        status = assay_device_copy(s->device, to + done, to, left < done ? left : done, error);
    }
    return status;
}

static assay_status set_order(server *s, const protocol_step *step, assay_error *error)
{
    static const char *const orders[] = {"forward", "reversed", "random"};
    const assay_cpu_options options = {
        .order = orders[step->value % 3], .order_seed = (uint64_t)step->offset, .poison_shared = 1};
    return assay_device_set_cpu_options(s->device, &options, error);
}

static assay_status peek(server *s, const protocol_step *step, const char *from, assay_error *error)
{
    nanosleep(&(struct timespec){.tv_nsec = PEEK_WAIT_NS}, NULL); /* a stray launch gets time to write */
    return assay_device_peek(s->device, s->shared + step->shared, from, step->bytes, error);
}

static assay_status move_bytes(server *s, const protocol_step *step, assay_error *error)
{
    const int uses_shared =
        step->kind == STEP_UPLOAD || step->kind == STEP_DOWNLOAD || step->kind == STEP_PEEK;
    if (!is_in_range(s, step, uses_shared))
        return fail(error, "a step outside of its buffer");
    char *at = (char *)s->buffers[step->buffer] + step->offset, *shared = s->shared + step->shared;
    switch (step->kind) {
    case STEP_UPLOAD:
        return assay_device_upload(s->device, at, shared, step->bytes, error);
    case STEP_DOWNLOAD:
        return assay_device_download(s->device, shared, at, step->bytes, error);
    case STEP_PEEK:
        return peek(s, step, at, error);
    case STEP_FILL:
        return assay_device_fill(s->device, at, (int)step->value, step->bytes, error);
    default:
        return repeat(s, step, at, error);
    }
}

static assay_status load(server *s, const protocol_header *header, const protocol_step *step,
                         assay_error *error)
{
    const char *path = take_text(s, header, (size_t)step->bytes);
    if (!path || step->bytes == 0 || path[step->bytes - 1] != '\0' || strlen(path) + 1 >= (size_t)step->bytes)
        return fail(error, "a library without a name");
    return module_open_library(path, path + strlen(path) + 1, &s->run, error);
}

static assay_status run(server *s, const protocol_header *header, const protocol_step *step,
                        assay_error *error)
{
    _Alignas(16) char args[PROTOCOL_MOST_TEXT];
    const char *text = take_text(s, header, (size_t)step->bytes);
    if (!text || !s->run)
        return fail(error, "there is no kernel to run");
    memcpy(args, text, (size_t)step->bytes);
    assay_status returned = ASSAY_OK;
    if (s->run ==
        s->own) { /* a function of this program in place of a kernel has device memory for its own */
        s->answer.returned = (int32_t)s->run(args, assay_device_stream(s->device));
        return ASSAY_OK;
    }
    const assay_status status = assay_device_call(s->device, s->run, args, &returned, error);
    s->answer.returned = (int32_t)returned;
    return status;
}

static assay_status say(server *s, const protocol_header *header, const protocol_step *step)
{
    const char *text = take_text(s, header, (size_t)step->bytes);
    printf("%.*s\n", text ? (int)step->bytes : 0, text);
    fflush(stdout);
    return ASSAY_OK;
}

static assay_status do_step(server *s, const protocol_header *header, const protocol_step *step,
                            assay_error *error)
{
    switch ((step_kind)step->kind) {
    case STEP_LOAD:
        return load(s, header, step, error);
    case STEP_SHARE:
        return map_shared(s, step->bytes, error);
    case STEP_ALLOCATE:
        return step->buffer >= 0 && step->buffer < PROTOCOL_BUFFERS ? allocate(s, step, error)
                                                                    : fail(error, "no such buffer");
    case STEP_TENSOR:
        return set_tensor(s, step, error);
    case STEP_FREE:
        free_buffers(s);
        return ASSAY_OK;
    case STEP_UPLOAD:
    case STEP_REPEAT:
    case STEP_FILL:
    case STEP_DOWNLOAD:
    case STEP_PEEK:
        return move_bytes(s, step, error);
    case STEP_ORDER:
        return set_order(s, step, error);
    case STEP_BLOCK:
        return assay_device_block(s->device, error);
    case STEP_UNBLOCK:
        return assay_device_unblock(s->device, error);
    case STEP_RUN:
        return run(s, header, step, error);
    case STEP_SYNC_STREAM:
        return assay_device_sync_stream(s->device, error);
    case STEP_SYNC_ALL:
        return assay_device_sync_all(s->device, error);
    case STEP_FREE_BYTES:
        return assay_device_free_bytes(s->device, &s->answer.value, error);
    case STEP_SAY:
        return say(s, header, step);
    }
    return fail(error, "a step of no known kind");
}

/* One message: header, steps, text. 0 at the end of the conversation. */
static int receive(server *s, protocol_header *header)
{
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec parts[3] = {
        {header, sizeof *header}, {s->steps, sizeof s->steps}, {s->text, PROTOCOL_MOST_TEXT}};
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    /* The lengths are known from the header: peek at it first. */
    if (recv(s->socket, header, sizeof *header, MSG_PEEK) != sizeof *header ||
        header->magic != PROTOCOL_MAGIC || header->step_count > PROTOCOL_MOST_STEPS ||
        header->text_bytes > PROTOCOL_MOST_TEXT)
        return 0;
    parts[1].iov_len = header->step_count * sizeof s->steps[0];
    parts[2].iov_len = header->text_bytes;
    message.msg_iovlen = 3;
    if (recvmsg(s->socket, &message, MSG_CMSG_CLOEXEC) < (ssize_t)sizeof *header)
        return 0;
    const struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    if (first && first->cmsg_type == SCM_RIGHTS)
        memcpy(&s->received_fd, CMSG_DATA(first), sizeof s->received_fd);
    return 1;
}

static int answer(server *s, const protocol_header *header)
{
    assay_status status = ASSAY_OK;
    assay_error error = {0};
    uint32_t done = 0;
    s->text_used = 0;
    s->answer.value = 0;
    while (done < header->step_count && status == ASSAY_OK) {
        status = do_step(s, header, &s->steps[done], &error);
        done += status == ASSAY_OK;
    }
    s->answer.magic = PROTOCOL_MAGIC;
    s->answer.took_order = assay_device_took_order(s->device);
    s->answer.done = (int32_t)done;
    s->answer.status = (int32_t)status;
    snprintf(s->answer.message, sizeof s->answer.message, "%s", error.message);
    if (s->received_fd >= 0)
        close(s->received_fd);
    s->received_fd = -1;
    return send(s->socket, &s->answer, sizeof s->answer, MSG_NOSIGNAL) == sizeof s->answer;
}

static int greet(server *s, const char *device_kind)
{
    assay_error error = {0};
    protocol_hello hello = {.magic = PROTOCOL_MAGIC};
    hello.status = (int32_t)assay_device_open(device_kind, 0, &s->device, &error);
    if (s->device)
        hello.info = *assay_device_get_info(s->device);
    snprintf(hello.message, sizeof hello.message, "%s", error.message);
    return send(s->socket, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello && s->device;
}

int serve(int socket, const char *device_kind, assay_run_fn own)
{
    protocol_header header;
    server *s = calloc(1, sizeof *s);
    if (!s)
        return ASSAY_EXIT_ENVIRONMENT;
    s->socket = socket;
    s->received_fd = -1;
    s->run = s->own = own;
    const int opened = greet(s, device_kind);
    while (opened && receive(s, &header) && answer(s, &header))
        ;
    if (s->device)
        free_buffers(s);
    assay_device_close(s->device);
    free(s);
    return opened ? ASSAY_EXIT_OK : ASSAY_EXIT_ENVIRONMENT;
}

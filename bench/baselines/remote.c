/* A client of a measuring server on a Unix socket: see remote.h. */
#include "bench/baselines/remote.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct remote {
    int fd;
    char *line; /* received and not yet used */
    size_t bytes, capacity;
};

assay_status remote_connect(const char *socket_path, remote **out, assay_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof address.sun_path)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: too long for a socket's path", socket_path);
    strcpy(address.sun_path, socket_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        const int cause = errno;
        if (fd >= 0)
            close(fd);
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "no measuring server at %s: %s", socket_path,
                               strerror(cause));
    }
    remote *r = calloc(1, sizeof *r);
    if (!r) {
        close(fd);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a connection");
    }
    r->fd = fd;
    *out = r;
    return ASSAY_OK;
}

void remote_close(remote *r)
{
    if (!r)
        return;
    close(r->fd);
    free(r->line);
    free(r);
}

static assay_status send_all(remote *r, const char *text, size_t bytes, assay_error *error)
{
    while (bytes > 0) {
        const ssize_t sent = send(r->fd, text, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the measuring server is gone: %s",
                                   strerror(errno));
        text += sent;
        bytes -= (size_t)sent;
    }
    return ASSAY_OK;
}

static assay_status receive_some(remote *r, double deadline_ms, assay_error *error)
{
    if (r->capacity - r->bytes < 4096) {
        char *grown = realloc(r->line, r->capacity + 65536);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an answer");
        r->line = grown;
        r->capacity += 65536;
    }
    const double left_ms = deadline_ms - clock_now_ms();
    struct pollfd watched = {.fd = r->fd, .events = POLLIN};
    const int ready = left_ms > 0.0 ? poll(&watched, 1, (int)left_ms + 1) : 0;
    if (ready < 0 && errno == EINTR)
        return ASSAY_OK;
    if (ready <= 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the measuring server did not answer in time");
    const ssize_t got = recv(r->fd, r->line + r->bytes, r->capacity - r->bytes - 1, 0);
    if (got < 0 && errno == EINTR)
        return ASSAY_OK;
    if (got <= 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the measuring server ended");
    r->bytes += (size_t)got;
    return ASSAY_OK;
}

static assay_status receive_line(remote *r, double time_limit_s, json_t **answer, assay_error *error)
{
    const double deadline_ms = clock_now_ms() + 1e3 * time_limit_s;
    char *end;
    while (!(end = r->bytes ? memchr(r->line, '\n', r->bytes) : NULL)) {
        const assay_status status = receive_some(r, deadline_ms, error);
        if (status != ASSAY_OK)
            return status;
    }
    const size_t used = (size_t)(end - r->line) + 1;
    *answer = json_loadb(r->line, used - 1, JSON_REJECT_DUPLICATES, NULL);
    memmove(r->line, r->line + used, r->bytes - used);
    r->bytes -= used;
    if (!json_is_object(*answer))
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "the measuring server sent something that is not a JSON object");
    return ASSAY_OK;
}

assay_status remote_call(remote *r, json_t *request, double time_limit_s, json_t **answer, assay_error *error)
{
    *answer = NULL;
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a request");
    assay_status status = send_all(r, text, strlen(text), error);
    free(text);
    if (status == ASSAY_OK)
        status = send_all(r, "\n", 1, error);
    if (status == ASSAY_OK)
        status = receive_line(r, time_limit_s, answer, error);
    if (status == ASSAY_OK && !json_is_true(json_object_get(*answer, "ok")))
        status =
            assay_error_set(error,
                            json_is_true(json_object_get(*answer, "unsupported")) ? ASSAY_ERR_UNSUPPORTED
                                                                                  : ASSAY_ERR_ENVIRONMENT,
                            "%s", json_get_text(*answer, "reason", "the measuring server gave no reason"));
    if (status != ASSAY_OK) {
        json_decref(*answer);
        *answer = NULL;
    }
    return status;
}

/* Lines of JSON: see messages.h. */
#include "mcp/messages.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rpc_read(rpc_reader *r)
{
    if (r->capacity - r->bytes < 65536) {
        char *grown = realloc(r->text, r->capacity + 262144);
        if (!grown) {
            r->ended = 1;
            return;
        }
        r->text = grown;
        r->capacity += 262144;
    }
    const ssize_t got = read(r->fd, r->text + r->bytes, 65536);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        r->ended = 1;
    if (got > 0)
        r->bytes += (size_t)got;
    /* The rest of a line that is too long is not kept. */
    if (r->bytes > RPC_MOST_BYTES && !memchr(r->text, '\n', r->bytes)) {
        r->bytes = 0;
        r->overflow = 1;
    }
}

char *rpc_next_line(rpc_reader *r, int *too_long)
{
    const char *end = r->bytes > 0 ? memchr(r->text, '\n', r->bytes) : NULL;
    const size_t length = end ? (size_t)(end - r->text) : r->bytes;
    *too_long = 0;
    if (!end && (!r->ended || r->bytes == 0))
        return NULL;
    *too_long = r->overflow;
    r->overflow = 0;
    char *line = *too_long ? strdup("") : strndup(r->text, length);
    const size_t used = length + (end != NULL);
    memmove(r->text, r->text + used, r->bytes - used);
    r->bytes -= used;
    return line;
}

void rpc_release(rpc_reader *r)
{
    free(r->text);
    r->text = NULL;
}

static assay_status send_message(int fd, json_t *message, assay_error *error)
{
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(message);
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for an answer");
    const size_t length = strlen(text);
    text[length] = '\n'; /* in place of the NUL: a message is a line */
    size_t sent = 0;
    while (sent < length + 1) {
        const ssize_t wrote = write(fd, text + sent, length + 1 - sent);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            break;
        sent += (size_t)wrote;
    }
    free(text);
    return sent == length + 1
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_IO, "cannot write an answer: %s", strerror(errno));
}

/* Past a string that begins at `at`, or the end of the text. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

static json_t *read_id(const char *text)
{
    text += strspn(text, " \t");
    const size_t length = *text == '"' ? (size_t)(skip_string(text) - text) : strspn(text, "-0123456789");
    if (!strchr(",} \t\r", text[length])) /* 1.5 is not 1; a line that ends there is found, too */
        return NULL;
    json_t *id = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    if (json_is_string(id) || json_is_integer(id))
        return id;
    json_decref(id);
    return NULL;
}

json_t *rpc_find_id(const char *line)
{
    int depth = 0;
    for (const char *at = line; *at;) {
        if (*at == '"') {
            const char *end = skip_string(at), *next = end + strspn(end, " \t");
            if (depth == 1 && strncmp(at, "\"id\"", 4) == 0 && *next == ':')
                return read_id(next + 1);
            at = end;
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    }
    return NULL;
}

static json_t *id_of(const json_t *id)
{
    return id ? json_deep_copy(id) : json_null();
}

assay_status rpc_answer(int fd, const json_t *id, json_t *result, assay_error *error)
{
    return send_message(fd, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id_of(id), "result", result),
                        error);
}

assay_status rpc_refuse(int fd, const json_t *id, int code, const char *message, assay_error *error)
{
    return send_message(fd,
                        json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id_of(id), "error",
                                  "code", code, "message", message),
                        error);
}

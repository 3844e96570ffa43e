/* See text_stream.h. */
#include "core/text_stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct cookie {
    char **text;
    size_t *bytes;
    size_t used, capacity;
} cookie;

static ssize_t add(void *context, const char *from, size_t bytes)
{
    cookie *c = context;
    if (c->used + bytes + 1 > c->capacity) {
        const size_t capacity = 2 * (c->used + bytes + 1);
        char *grown = realloc(*c->text, capacity);
        if (grown == NULL) {
            errno = ENOMEM;
            return 0; /* what a stream takes for an error */
        }
        *c->text = grown;
        c->capacity = capacity;
    }
    memcpy(*c->text + c->used, from, bytes);
    c->used += bytes;
    (*c->text)[c->used] = '\0';
    if (c->bytes)
        *c->bytes = c->used;
    return (ssize_t)bytes;
}

/* For ftell(), by which writers see whether they come first; a text is written in order. */
static int tell(void *context, off64_t *position, int whence)
{
    const cookie *c = context;
    if (whence == SEEK_SET ? *position != (off64_t)c->used : *position != 0)
        return -1;
    *position = (off64_t)c->used;
    return 0;
}

static int end(void *context)
{
    free(context);
    return 0;
}

FILE *text_stream_open(char **text, size_t *bytes)
{
    cookie *c = calloc(1, sizeof *c);
    FILE *stream = NULL;
    *text = calloc(1, 1);
    if (bytes)
        *bytes = 0;
    if (c && *text) {
        *c = (cookie){.text = text, .bytes = bytes, .capacity = 1};
        stream = fopencookie(c, "w", (cookie_io_functions_t){.write = add, .seek = tell, .close = end});
    }
    if (!stream) {
        free(c);
        free(*text);
        *text = NULL;
    }
    return stream;
}

int text_stream_close(FILE *stream, char **text)
{
    if (!stream)
        return 0;
    const int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed)
        return 1;
    free(*text);
    *text = NULL;
    return 0;
}

/* Growing text; see text_buffer.h. */
#include "report/text_buffer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(text_buffer *buffer, size_t extra)
{
    if (buffer->failed)
        return 0;
    const size_t need = buffer->length + extra + 1;
    if (need <= buffer->capacity)
        return 1;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < need)
        capacity *= 2;
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = 1;
        return 0;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return 1;
}

void text_append(text_buffer *buffer, const char *text, size_t bytes)
{
    if (!reserve(buffer, bytes))
        return;
    memcpy(buffer->data + buffer->length, text, bytes);
    buffer->length += bytes;
    buffer->data[buffer->length] = '\0';
}

void text_puts(text_buffer *buffer, const char *text)
{
    text_append(buffer, text, strlen(text));
}

void text_printf(text_buffer *buffer, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int bytes = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (bytes < 0)
        buffer->failed = 1;
    else if (reserve(buffer, (size_t)bytes)) {
        vsnprintf(buffer->data + buffer->length, (size_t)bytes + 1, format, again);
        buffer->length += (size_t)bytes;
    }
    va_end(again);
}

const char *text_get(const text_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

void text_release(text_buffer *buffer)
{
    free(buffer->data);
    *buffer = (text_buffer){0};
}

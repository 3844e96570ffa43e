/* A growing, NUL-terminated text. A failed allocation is remembered, so that callers append freely and check
 * once. */
#ifndef ASSAY_REPORT_TEXT_BUFFER_H
#define ASSAY_REPORT_TEXT_BUFFER_H

#include <stddef.h>

typedef struct text_buffer { /* zero-initialise */
    char *data;
    size_t length, capacity;
    int failed; /* 1 after an allocation failed; the text is then incomplete */
} text_buffer;

void text_append(text_buffer *buffer, const char *text, size_t bytes);
void text_puts(text_buffer *buffer, const char *text);
void text_printf(text_buffer *buffer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Never NULL: "" for an empty buffer. Valid until the next change. */
const char *text_get(const text_buffer *buffer);
void text_release(text_buffer *buffer);

#endif

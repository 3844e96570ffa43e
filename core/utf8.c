/* See utf8.h. */
#include "core/utf8.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 character at `at`, 0 if there is none. */
static size_t utf8_length(const unsigned char *at)
{
    const size_t length = at[0] < 0x80                    ? 1
                          : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                          : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                          : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates and what lies above U+10FFFF. */
    const int foreign = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return foreign ? 0 : length;
}

void utf8_repair(char *text)
{
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1)
        if ((length = utf8_length((const unsigned char *)text)) == 0)
            *text = '?';
}

void utf8_make_line(char *text)
{
    utf8_repair(text);
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        if (*at < 0x20 || *at == 0x7f)
            *at = ' ';
        else if (*at == 0xc2 && at[1] < 0xa0) /* the control characters U+0080 to U+009F */
            at[0] = at[1] = ' ';
    }
}

void clean_printf(FILE *out, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return; /* no memory for a line: the next call that needs some says so */
    int breaks = 0;
    for (size_t end = strlen(format); end > 0 && breaks < length && format[end - 1] == '\n'; end--)
        breaks++;
    text[length - breaks] = '\0';
    utf8_make_line(text);
    fprintf(out, "%s%.*s", text, breaks, "\n\n\n");
    free(text);
}

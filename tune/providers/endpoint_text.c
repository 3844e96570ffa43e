/* What belongs to endpoints with and without libcurl: see endpoint.h. */
#include "tune/providers/endpoint.h"
#include <string.h>

int endpoint_is_address(const char *word)
{
    return strncmp(word, "http://", 7) == 0 || strncmp(word, "https://", 8) == 0;
}

/* ```json ... ``` around the whole reply is common and harmless; any other text around it is refused. */
const char *endpoint_text(const char *text, size_t *length)
{
    *length = strlen(text);
    while (*length > 0 && strchr(" \t\r\n", text[*length - 1]))
        --*length;
    const size_t blanks = strspn(text, " \t\r\n");
    if (blanks >= *length)
        return text;
    text += blanks;
    *length -= blanks;
    if (*length < 7 || strncmp(text, "```", 3) != 0 || strncmp(text + *length - 3, "```", 3) != 0)
        return text;
    const char *line = memchr(text, '\n', *length);
    if (line == NULL || line - text > 12)
        return text;
    *length -= (size_t)(line + 1 - text) + 3;
    return line + 1;
}

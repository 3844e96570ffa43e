/* Text as HTML and as script data. */
#include "dashboard/site.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void html_escape(text_buffer *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        switch (*at) {
        case '&':
            text_puts(out, "&amp;");
            break;
        case '<':
            text_puts(out, "&lt;");
            break;
        case '>':
            text_puts(out, "&gt;");
            break;
        case '"':
            text_puts(out, "&quot;");
            break;
        default:
            text_append(out, at, 1);
        }
    }
}

json_t *html_json(const char *text)
{
    text_buffer out = {0};
    html_escape(&out, text);
    json_t *value = json_string(text_get(&out));
    text_release(&out);
    return value ? value : json_string("(not UTF-8)");
}

void script_string(text_buffer *out, const char *text)
{
    json_t *value = json_string(text);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    text_puts(out, dumped ? dumped : "\"\"");
    free(dumped);
    json_decref(value);
}

void script_number(text_buffer *out, double value, int digits)
{
    if (isfinite(value))
        text_printf(out, "%.*g", digits, value);
    else
        text_puts(out, "null");
}

void site_file_name(const char *before, const char *name, const char *after, char *out, size_t out_bytes)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char clean[160];
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof clean; n++)
        clean[n] = strchr(allowed, name[n]) ? name[n] : '_';
    clean[n] = '\0';
    snprintf(out, out_bytes, "%s%s%s", before, clean, after);
}

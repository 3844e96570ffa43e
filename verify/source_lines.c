/* See source_lines.h. */
#include "verify/source_lines.h"
#include "core/json_file.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_S = 10 };

/* addr2line prints the innermost inlined function first; the first line outside the device's own headers helps. */
static int find_line(const char *library, const char *offset, char *line, size_t bytes)
{
    const char *const command[] = {"addr2line", "-i", "-e", library, offset, NULL};
    process_result result;
    int found = 0;
    process_run(command, LIMIT_S, 1, &result);
    for (char *at = result.output; result.end == PROCESS_EXITED && at && *at && !found;) {
        const size_t length = strcspn(at, "\n");
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        text[strcspn(text, " ")] = '\0';
        found = text[0] != '?' && text[0] != '\0' && !strstr(text, "/assay_simt/");
        if (found)
            snprintf(line, bytes, "%s", file_base_name(text));
        at += length + (at[length] == '\n');
    }
    process_result_release(&result);
    return found;
}

void source_lines_resolve(const char *library, char *text, size_t bytes)
{
    char mark[272];
    snprintf(mark, sizeof mark, "%s+0x", file_base_name(library));
    const size_t mark_bytes = strlen(mark);
    for (char *at = strstr(text, mark); at; at = strstr(at + 1, mark)) {
        const size_t digits = strspn(at + mark_bytes, "0123456789abcdef");
        char offset[32], line[272];
        if (digits == 0 || digits > 16)
            continue;
        snprintf(offset, sizeof offset, "0x%.*s", (int)digits, at + mark_bytes);
        if (!find_line(library, offset, line, sizeof line))
            continue;
        const size_t old = mark_bytes + digits, new = strlen(line), rest = strlen(at + old) + 1;
        if (strlen(text) - old + new >= bytes)
            continue;
        memmove(at + new, at + old, rest);
        memcpy(at, line, new);
    }
}

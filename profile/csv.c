/* See csv.h. */
#include "profile/csv.h"
#include <stdlib.h>
#include <string.h>

static int reserve(csv_record *r, size_t text_size, size_t fields_size)
{
    if (text_size > r->text_size) {
        char *text = realloc(r->text, text_size);
        if (!text)
            return 0;
        r->text = text;
        r->text_size = text_size;
    }
    if (fields_size > r->fields_size) {
        const char **fields = realloc(r->fields, fields_size * sizeof *fields);
        if (!fields)
            return 0;
        r->fields = fields;
        r->fields_size = fields_size;
    }
    return 1;
}

/* Where the record ends: at a newline outside of quotes, or at the text's end. */
static const char *find_end(const char *at, size_t *commas)
{
    int quoted = 0;
    for (*commas = 0; *at && (quoted || *at != '\n'); at++) {
        quoted ^= *at == '"';
        *commas += *at == ',';
    }
    return at;
}

const char *csv_next(const char *at, csv_record *record)
{
    size_t commas;
    if (!*at)
        return NULL;
    const char *end = find_end(at, &commas);
    if (!reserve(record, (size_t)(end - at) + 2, commas + 1))
        return NULL;
    char *to = record->text;
    int quoted = 0;
    record->count = 0;
    record->fields[record->count++] = to;
    for (; at < end; at++) {
        if (*at == '"' && quoted && at[1] == '"')
            *to++ = *at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (*at == ',' && !quoted) {
            *to++ = '\0';
            record->fields[record->count++] = to;
        } else if (quoted || *at != '\r')
            *to++ = *at;
    }
    *to = '\0';
    return *end == '\n' ? end + 1 : end;
}

const char *csv_next_line(const char *at, csv_record *record)
{
    static const char between[] = "\",\"";
    const size_t length = strcspn(at, "\n");
    if (!*at || !reserve(record, length + 1, length / 3 + 1))
        return NULL;
    memcpy(record->text, at, length);
    record->text[length] = '\0';
    char *from = record->text + (record->text[0] == '"'), *end = record->text + length;
    if (end > from && end[-1] == '\r')
        *--end = '\0';
    if (end > from && end[-1] == ',') /* a row may end in a comma */
        *--end = '\0';
    if (end > from && end[-1] == '"')
        *--end = '\0';
    record->count = 0;
    for (char *next; (next = strstr(from, between)) != NULL; from = next + sizeof between - 1) {
        record->fields[record->count++] = from;
        *next = '\0';
    }
    record->fields[record->count++] = from;
    return at[length] == '\n' ? at + length + 1 : at + length;
}

int csv_find(const csv_record *record, const char *text)
{
    for (int i = 0; i < record->count; i++)
        if (strcmp(record->fields[i], text) == 0)
            return i;
    return -1;
}

void csv_release(csv_record *record)
{
    free(record->text);
    free(record->fields);
    *record = (csv_record){0};
}

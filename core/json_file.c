/* Strict JSON and text files, replaced atomically: write to a temporary name beside the target, flush, rename. */
#include "core/json_file.h"
#include <errno.h>
#include <math.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No file of Assay comes near; a device that never ends must not take all memory. */
#define LARGEST_TEXT ((size_t)1 << 31)

const char *file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

assay_status make_folders(const char *path, assay_error *error)
{
    char buffer[4096];
    if (snprintf(buffer, sizeof buffer, "%s", path) >= (int)sizeof buffer)
        return assay_error_set(error, ASSAY_ERR_IO, "%s: path is too long", path);
    for (char *slash = buffer + 1;; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        const char kept = *slash;
        *slash = '\0';
        if (mkdir(buffer, 0777) != 0 && errno != EEXIST)
            return assay_error_set(error, ASSAY_ERR_IO, "cannot create folder %s: %s", buffer,
                                   strerror(errno));
        *slash = kept;
        if (kept == '\0')
            return ASSAY_OK;
    }
}

static assay_status make_parent(const char *path, assay_error *error)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return ASSAY_OK;
    *slash = '\0';
    return make_folders(folder, error);
}

int path_is_stream(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static assay_status write_stream(const char *path, const char *text, size_t bytes, assay_error *error)
{
    FILE *stream = fopen(path, "w");
    if (stream == NULL)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    const int wrote = fwrite(text, 1, bytes, stream) == bytes && fflush(stream) == 0;
    const int write_errno = errno;
    if (fclose(stream) != 0 || !wrote)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", path,
                               strerror(wrote ? errno : write_errno));
    return ASSAY_OK;
}

assay_status text_file_write(const char *path, const char *text, size_t bytes, assay_error *error)
{
    if (path[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_INVALID, "the name of a file to write is empty");
    if (path_is_stream(path))
        return write_stream(path, text, bytes, error);
    const assay_status made = make_parent(path, error);
    if (made != ASSAY_OK)
        return made;
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%s.tmp.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "w");
    if (file == NULL)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
    const int wrote = fwrite(text, 1, bytes, file) == bytes && fflush(file) == 0 && fsync(fileno(file)) == 0;
    const int write_errno = errno;
    if (fclose(file) != 0 || !wrote) {
        unlink(temporary);
        return assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s; the old file, if any, is unchanged",
                               path, strerror(wrote ? errno : write_errno));
    }
    if (rename(temporary, path) != 0) {
        const int rename_errno = errno;
        unlink(temporary);
        return assay_error_set(error, ASSAY_ERR_IO, "cannot replace %s: %s", path, strerror(rename_errno));
    }
    return ASSAY_OK;
}

/* All of a stream, NUL-terminated in a malloc'ed buffer; NULL with errno set. */
static char *read_all(FILE *file, size_t *bytes)
{
    size_t capacity = 65536, size = 0;
    char *buffer = malloc(capacity);
    while (buffer != NULL) {
        size += fread(buffer + size, 1, capacity - size - 1, file);
        if (size < capacity - 1)
            break;
        capacity *= 2;
        char *grown = capacity <= LARGEST_TEXT ? realloc(buffer, capacity) : NULL;
        if (grown == NULL) {
            free(buffer);
            errno = capacity <= LARGEST_TEXT ? ENOMEM : EFBIG;
            return NULL;
        }
        buffer = grown;
    }
    if (buffer != NULL && ferror(file)) {
        const int read_errno = errno;
        free(buffer);
        errno = read_errno;
        return NULL;
    }
    if (buffer != NULL)
        buffer[size] = '\0';
    *bytes = size;
    return buffer;
}

assay_status text_file_read(const char *path, char **text, size_t *bytes, assay_error *error)
{
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    char *buffer = read_all(file, &size);
    const int read_errno = errno;
    fclose(file);
    if (buffer == NULL)
        return assay_error_set(error, read_errno == ENOMEM ? ASSAY_ERR_NO_MEMORY : ASSAY_ERR_IO,
                               "cannot read %s: %s", path, strerror(read_errno));
    *text = buffer;
    if (bytes != NULL)
        *bytes = size;
    return ASSAY_OK;
}

/* Past a string that begins at its opening quote, or NULL if it does not end. */
static const char *pass_string(const char *at)
{
    for (at++;; at += 2) {
        at = strpbrk(at, "\"\\");
        if (at == NULL || *at == '"')
            return at != NULL ? at + 1 : NULL;
        if (at[1] == '\0')
            return NULL;
    }
}

/* Past a value: to the bracket that closes it, or for a plain one to what follows. NULL if it does not end. */
static const char *pass_value(const char *at)
{
    int depth = 0;
    do {
        at = strpbrk(at, depth > 0 ? "\"[]{}" : "\"[]{},");
        if (at == NULL)
            return NULL;
        if (*at == '"') {
            at = pass_string(at);
            if (at == NULL || depth == 0)
                return at;
            continue;
        }
        if (depth == 0 && *at != '[' && *at != '{')
            return at;
        depth += *at == '[' || *at == '{' ? 1 : -1;
        at++;
    } while (depth > 0);
    return at;
}

/* If the string from `at` to `end`, quotes included, is a key to skip: its value's first character, else NULL. */
static const char *find_skipped_value(const char *at, const char *end, const char *const *skip)
{
    const size_t length = (size_t)(end - at) - 2;
    const char *colon = end + strspn(end, " \t\r\n");
    if (*colon != ':')
        return NULL;
    for (; *skip != NULL; skip++)
        if (strlen(*skip) == length && memcmp(*skip, at + 1, length) == 0)
            return colon + 1 + strspn(colon + 1, " \t\r\n");
    return NULL;
}

/* Replace the values of skipped keys by null, in place; the text only gets shorter. Text that is broken stays as it is from there on, for
 * the parser to name. Returns the new length. */
static size_t remove_values(char *text, size_t bytes, const char *const *skip)
{
    const char *from = text, *const text_end = text + bytes;
    char *to = text;
    for (const char *quote; (quote = strchr(from, '"')) != NULL;) {
        const char *end = pass_string(quote);
        const char *value = end != NULL ? find_skipped_value(quote, end, skip) : NULL;
        const char *after = value != NULL ? pass_value(value) : NULL;
        if (end == NULL || (value != NULL && after == NULL))
            break;
        const char *kept = value != NULL ? value : end;
        memmove(to, from, (size_t)(kept - from));
        to += kept - from;
        from = kept;
        if (value != NULL && after - value >= 4) { /* a shorter value, a number, may stay */
            memcpy(to, "null", 4);
            to += 4;
            from = after;
        }
    }
    memmove(to, from, (size_t)(text_end - from));
    to += text_end - from;
    *to = '\0';
    return (size_t)(to - text);
}

assay_status json_text_read_without(char *text, size_t bytes, const char *where, const char *const *skip,
                                    json_t **out, assay_error *error)
{
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: begins with a byte-order mark (EF BB BF); save it as UTF-8 without one",
                               where);
    if (skip != NULL && memchr(text, '\0', bytes) == NULL)
        bytes = remove_values(text, bytes, skip);
    json_error_t parse;
    json_t *value = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &parse);
    if (value == NULL && json_error_code(&parse) == json_error_duplicate_key)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s:%d:%d: %s; each key is allowed once", where,
                               parse.line, parse.column, parse.text);
    if (value == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s:%d:%d: not valid JSON: %s", where, parse.line,
                               parse.column, parse.text);
    if (!json_is_object(value)) {
        json_decref(value);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: a JSON object is expected at the top", where);
    }
    *out = value;
    return ASSAY_OK;
}

assay_status json_file_read_without(const char *path, const char *const *skip, json_t **out,
                                    assay_error *error)
{
    char *text;
    size_t bytes;
    assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    status = json_text_read_without(text, bytes, path, skip, out, error);
    free(text);
    return status;
}

assay_status json_file_read(const char *path, json_t **out, assay_error *error)
{
    return json_file_read_without(path, NULL, out, error);
}

assay_status json_file_write(const char *path, const json_t *value, int compact, assay_error *error)
{
    /* 17 digits would be exact but turns 0.1 into 0.10000000000000001; 15 keep what was measured. */
    const size_t flags = JSON_REAL_PRECISION(15) | (compact ? JSON_COMPACT : JSON_INDENT(1));
    char *text = json_dumps(value, flags);
    if (text == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: the value cannot be written as JSON", path);
    const size_t length = strlen(text);
    text[length] = '\n'; /* replaces the terminator: the length is passed on explicitly */
    const assay_status status = text_file_write(path, text, length + 1, error);
    free(text);
    return status;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

const char *json_get_text(const json_t *object, const char *key, const char *fallback)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : fallback;
}

double json_get_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

int json_get_int(const json_t *object, const char *key, int fallback)
{
    const double value = json_get_number(object, key, fallback);
    return value >= INT_MIN && value <= INT_MAX ? (int)value
                                                : fallback; /* beyond it the conversion is undefined */
}

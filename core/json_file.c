/* Strict JSON and text files, replaced atomically: write to a temporary name beside the target, flush, rename. */
#include "json_file.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

assay_status text_file_write(const char *path, const char *text, size_t bytes, assay_error *error)
{
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

assay_status text_file_read(const char *path, char **text, size_t *bytes, assay_error *error)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    size_t capacity = 65536, size = 0;
    char *buffer = malloc(capacity);
    while (buffer != NULL) {
        size += fread(buffer + size, 1, capacity - size - 1, file);
        if (size < capacity - 1)
            break;
        capacity *= 2;
        char *grown = realloc(buffer, capacity);
        if (grown == NULL)
            free(buffer);
        buffer = grown;
    }
    const int failed = ferror(file);
    fclose(file);
    if (buffer == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: not enough memory to read it", path);
    if (failed) {
        free(buffer);
        return assay_error_set(error, ASSAY_ERR_IO, "cannot read %s: %s", path, strerror(EIO));
    }
    buffer[size] = '\0';
    *text = buffer;
    if (bytes != NULL)
        *bytes = size;
    return ASSAY_OK;
}

assay_status json_file_read(const char *path, json_t **out, assay_error *error)
{
    char *text;
    size_t bytes;
    const assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    json_error_t parse;
    json_t *value = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &parse);
    free(text);
    if (value == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s:%d:%d: not valid JSON: %s", path, parse.line,
                               parse.column, parse.text);
    if (!json_is_object(value)) {
        json_decref(value);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: a JSON object is expected at the top", path);
    }
    *out = value;
    return ASSAY_OK;
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

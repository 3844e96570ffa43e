/* Strict JSON files: written to a temporary name and renamed, never half-written, never with NaN or Infinity. */
#ifndef ASSAY_CORE_JSON_FILE_H
#define ASSAY_CORE_JSON_FILE_H

#include <assay/status.h>
#include <jansson.h>

/* Read a JSON object. The error names file, line and column. *out is a new reference. */
assay_status json_file_read(const char *path, json_t **out, assay_error *error);

/* The same with null in place of the values of all members whose key is in `skip` (NULL-terminated, keys without escapes), at any depth.
 * These values are passed over and not parsed: sample arrays are nine tenths of a result file, and parsing them is nine tenths of the
 * time. Of a value passed over only brackets and strings are checked; columns in error messages count without it. */
assay_status json_file_read_without(const char *path, const char *const *skip, json_t **out,
                                    assay_error *error);

/* The same of a text in memory, which is changed in place and ends in NUL. `where` is what messages call it. */
assay_status json_text_read_without(char *text, size_t bytes, const char *where, const char *const *skip,
                                    json_t **out, assay_error *error);

/* Write `value` sorted by insertion, indented by 1 (or compact), atomically; creates missing parent folders. */
assay_status json_file_write(const char *path, const json_t *value, int compact, assay_error *error);

/* A real, or null where the value is not finite (strict JSON has no NaN). New reference. */
json_t *json_number(double value);

/* String, number or boolean at a key, or the fallback; never fails. The string is borrowed. */
const char *json_get_text(const json_t *object, const char *key, const char *fallback);
double json_get_number(const json_t *object, const char *key, double fallback);
/* The number cut to an integer; the fallback also where it does not fit an int. */
int json_get_int(const json_t *object, const char *key, int fallback);

/* A pipe, a terminal or a device: to be written as it is, since a rename would put a file in its place. */
int path_is_stream(const char *path);

/* Write a text file atomically, creating missing parent folders. What is no file (a pipe, a device) is written in place. */
assay_status text_file_write(const char *path, const char *text, size_t bytes, assay_error *error);
/* Read a whole file of less than 2 GiB; *text is malloc'ed and NUL-terminated. */
assay_status text_file_read(const char *path, char **text, size_t *bytes, assay_error *error);
/* What stands behind the last slash; borrowed. */
const char *file_base_name(const char *path);
/* mkdir -p */
assay_status make_folders(const char *path, assay_error *error);

#endif

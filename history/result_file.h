/* Reading one result file for history and comparison: the object `assay`, checked to be one that this program understands. */
#ifndef ASSAY_HISTORY_RESULT_FILE_H
#define ASSAY_HISTORY_RESULT_FILE_H

#include <assay/status.h>
#include <jansson.h>
#include <stdint.h>

/* *out: the object `assay`, a new reference. ASSAY_ERR_FORMAT with file and cause: broken JSON, no result, another schema, a figure without
 * a positive mean. */
assay_status result_file_read(const char *path, json_t **out, assay_error *error);

/* "2026-01-31T12:00:00Z" as Unix seconds; 0 if it is no such text. */
int64_t result_time(const char *text);
void result_time_text(int64_t time, char out[32]);

/* A JSON object as text with sorted keys: equal objects give equal texts. "{}" for anything else. malloc'ed, NULL without memory. */
char *result_canonical(const json_t *object);

#endif

/* Compact forms for the history: deflated text, and samples as differences of whole nanoseconds (result files
 * hold no finer ones), which take a quarter of the time and half of the room of their JSON. Inside the
 * history only; knows no table. */
#ifndef ASSAY_HISTORY_PACK_H
#define ASSAY_HISTORY_PACK_H

#include "results/result.h"

typedef struct pack_bytes {
    unsigned char *data; /* owned; pack_release */
    size_t size;
} pack_bytes;
void pack_release(pack_bytes *bytes);

assay_status pack_text(const char *text, size_t bytes, pack_bytes *out, assay_error *error);
/* *text is malloc'ed and NUL-terminated. ASSAY_ERR_FORMAT if damaged. */
assay_status unpack_text(const void *data, size_t size, char **text, size_t *bytes, assay_error *error);

/* The samples of every mode and repetition, or the quantiles that an export left in their place. */
assay_status pack_samples(const result *r, pack_bytes *out, assay_error *error);
/* The reverse, into a result that was read without samples. */
assay_status unpack_samples(const void *data, size_t size, result *r, assay_error *error);

#endif

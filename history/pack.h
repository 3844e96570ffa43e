/* Compact forms for the history: deflated text, and samples as differences of whole nanoseconds (result files hold no finer ones).
 * Inside the history only; knows no table. */
#ifndef ASSAY_HISTORY_PACK_H
#define ASSAY_HISTORY_PACK_H

#include <assay/status.h>
#include <jansson.h>

typedef struct pack_bytes {
    unsigned char *data; /* owned; pack_release */
    size_t size;
} pack_bytes;
void pack_release(pack_bytes *bytes);

assay_status pack_text(const char *text, size_t bytes, pack_bytes *out, assay_error *error);
/* *text is malloc'ed and NUL-terminated. ASSAY_ERR_FORMAT if damaged. */
assay_status unpack_text(const void *data, size_t size, char **text, size_t *bytes, assay_error *error);

/* Take `samples_us` out of every repetition of a figure, or, where an export left them instead, `quantiles_us`. out->data stays NULL
 * if there are none. The figure's repetitions lose the arrays. */
assay_status pack_samples(json_t *figure, pack_bytes *out, assay_error *error);
/* The reverse: put the arrays back under the names they had. */
assay_status unpack_samples(const void *data, size_t size, json_t *figure, assay_error *error);

#endif

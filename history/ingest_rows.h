/* Writing one result into the tables. Inside the history only; transactions are the caller's. */
#ifndef ASSAY_HISTORY_INGEST_ROWS_H
#define ASSAY_HISTORY_INGEST_ROWS_H

#include "history/database.h"
#include "history/pack.h"
#include "results/identity.h"

/* A result made ready outside the transaction, so that other writers wait only for the writing. */
typedef struct ingest_record {
    result *r;
    pack_bytes document, samples;
    int sample_count; /* of two results of one run the one with more is kept */
    char *dims, *params, *method;
    result_identity identity;
} ingest_record;

/* Takes over `r`, also on failure; release in any case. */
assay_status ingest_record_make(result *r, ingest_record *out, assay_error *error);
void ingest_record_release(ingest_record *record);

typedef enum ingest_outcome { INGEST_ADDED, INGEST_KNOWN, INGEST_COMPLETED } ingest_outcome;

typedef struct ingest_writer ingest_writer; /* prepared statements of one open history */
assay_status ingest_writer_open(history *h, ingest_writer **out, assay_error *error);
void ingest_writer_close(ingest_writer *w);
assay_status ingest_writer_put(ingest_writer *w, const ingest_record *record, ingest_outcome *outcome,
                               assay_error *error);

#endif

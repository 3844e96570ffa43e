/* Inside tune/archive and tune/experience only: the open database. Not for users of archive.h. */
#ifndef ASSAY_TUNE_ARCHIVE_DATABASE_H
#define ASSAY_TUNE_ARCHIVE_DATABASE_H

#include "core/database.h"
#include "tune/archive/archive.h"
#include <stdint.h>

struct archive {
    database base;
    char *texts[8]; /* unpacked texts of the row that a caller sees */
    double *samples;
};

extern const char archive_schema_sql[];

/* The row of a text, made if it is new; 0 for "" and NULL. Equal texts have one row. */
assay_status archive_put_text(archive *a, const char *text, int64_t *id, assay_error *error);
/* The text of a row in a->texts[slot], valid until that slot is used again; "" for 0. */
const char *archive_get_text(archive *a, int64_t id, int slot);
/* The row of a short word (a provider's name), made if it is new. */
assay_status archive_put_word(archive *a, const char *word, int64_t *id, assay_error *error);

/* 64 hexadecimal digits as 32 bytes; 0 for anything else. */
int archive_pack_identity(const char *hex, unsigned char out[32]);

/* COMMIT, or ROLLBACK if `status` is not ASSAY_OK. Returns the first failure. */
assay_status archive_close_transaction(archive *a, assay_status status, assay_error *error);
/* archive_begin_run and archive_record inside a transaction of the caller. */
assay_status archive_insert_run(archive *a, archive_run *run, assay_error *error);
assay_status archive_record_within(archive *a, int64_t run_id, archive_candidate *c, assay_error *error);

/* 64 bits of a text, for an index. */
int64_t archive_hash_text(const char *text);

#endif

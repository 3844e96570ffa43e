/* Inside tune/experience only: one entry, and the log in memory. */
#ifndef ASSAY_TUNE_EXPERIENCE_ENTRY_H
#define ASSAY_TUNE_EXPERIENCE_ENTRY_H

#include <assay/status.h>
#include <jansson.h>

/* What ranks an entry. */
typedef struct experience_row {
    const char *uid, *kind, *backend, *chip, *bottleneck, *strategy, *outcome;
    double effect;       /* NAN: not measured */
    const json_t *entry; /* borrowed; NULL: its document is in the file */
} experience_row;

struct experience {
    char *path;     /* NULL: no file, read only */
    json_t *by_uid; /* entries by identifier, in order of arrival */
    json_t *own;    /* identifiers that are not the seed's: true */
    /* Of a log that is opened to recommend: the file's entries, which by_uid does not have. */
    experience_row *rows;
    char *texts; /* that the rows point into */
    size_t row_count;
};

/* JSON lines; NUL-terminated. */
extern const char experience_seed_text[];

enum { EXPERIENCE_UID_BYTES = 65, EXPERIENCE_MAX_TEXT = 2000 };

/* 1, or ASSAY_ERR_INVALID with the key. */
assay_status experience_check(const json_t *entry, assay_error *error);
/* 1 if entries may have the word under that key; *allowed: the words that they may have, "" where any will do. */
int experience_allows(const char *name, const char *word, const char **allowed);
void experience_uid(const json_t *entry, char uid[EXPERIENCE_UID_BYTES]);

/* Entries of JSON lines, all of them checked; a new array. `where` is what messages call the text. */
assay_status experience_parse_lines(const char *text, const char *where, json_t **out, assay_error *error);
/* Add entries in memory; own_entries 0: the seed's. `uids`: their identifiers; NULL: they are hashed. */
void experience_take(struct experience *x, const json_t *entries, const json_t *uids, int own_entries,
                     long *added, long *known);

/* The file behind a log: entries of it with their identifiers (two new arrays, NULL where there are none), and adding some in one
 * transaction. Without SQLite ASSAY_ERR_UNSUPPORTED. */
assay_status experience_file_read(const char *path, json_t **entries, json_t **uids, assay_error *error);
/* What ranks its entries, in their order of arrival; *rows and *texts are the caller's to free. */
assay_status experience_file_rows(const char *path, experience_row **rows, char **texts, size_t *count,
                                  assay_error *error);
/* Add the documents of some entries to `documents`, by identifier. ASSAY_ERR_FORMAT: one is broken or not there; the message names it. */
assay_status experience_file_documents(const char *path, const char *const *uids, size_t count,
                                       json_t *documents, assay_error *error);
assay_status experience_file_add(const char *path, const json_t *entries, assay_error *error);

#endif

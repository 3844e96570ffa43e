/* What ranks the entries of a log's file, without their documents: see experience_entry.h. */
#include "tune/experience/experience_entry.h"
#include "tune/archive/database.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 7, FIRST_ROWS = 256 };

/* Rows point into the texts by offsets until all are read. */
typedef struct row_reader {
    FILE *out; /* of the texts */
    char *texts;
    size_t bytes;
    experience_row *rows;
    size_t *offsets; /* [row * TEXTS + column] */
    size_t count, capacity;
} row_reader;

static int grow(row_reader *r)
{
    const size_t capacity = r->capacity ? 2 * r->capacity : FIRST_ROWS;
    experience_row *rows = realloc(r->rows, capacity * sizeof *rows);
    r->rows = rows ? rows : r->rows;
    size_t *offsets = rows ? realloc(r->offsets, capacity * TEXTS * sizeof *offsets) : NULL;
    r->offsets = offsets ? offsets : r->offsets;
    r->capacity = offsets ? capacity : r->capacity;
    return offsets != NULL;
}

static int take_row(row_reader *r, sqlite3_stmt *s)
{
    if (r->count == r->capacity && !grow(r))
        return 0;
    for (int i = 0; i < TEXTS; i++) {
        r->offsets[r->count * TEXTS + (size_t)i] = (size_t)ftello(r->out);
        fputs(db_text(s, i), r->out);
        fputc('\0', r->out);
    }
    const double effect = sqlite3_column_double(s, TEXTS); /* 0 where there is none */
    r->rows[r->count++].effect = effect > 0 ? effect : NAN;
    return 1;
}

static void point_into(row_reader *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const size_t *at = r->offsets + i * TEXTS;
        const char *t = r->texts;
        r->rows[i] = (experience_row){t + at[0], t + at[1], t + at[2],         t + at[3], t + at[4],
                                      t + at[5], t + at[6], r->rows[i].effect, NULL};
    }
}

assay_status experience_file_rows(const char *path, experience_row **rows, char **texts, size_t *count,
                                  assay_error *error)
{
    archive *a = NULL;
    sqlite3_stmt *s = NULL;
    row_reader r = {.count = 0};
    *rows = NULL;
    *texts = NULL;
    *count = 0;
    r.out = open_memstream(&r.texts, &r.bytes);
    assay_status status = r.out ? archive_open(path, ARCHIVE_READ, &a, error)
                                : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        status = db_prepare(&a->base,
                            "SELECT uid, kind, backend, chip, bottleneck, strategy, outcome, effect"
                            " FROM experience ORDER BY recorded, uid",
                            &s, error);
    int code = SQLITE_DONE;
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW)
        if (!take_row(&r, s))
            status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(&a->base, "read", error);
    sqlite3_finalize(s);
    archive_close(a);
    if (r.out && fclose(r.out) != 0 && status == ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK) {
        point_into(&r);
        *rows = r.rows;
        *texts = r.texts;
        *count = r.count;
    } else {
        free(r.rows);
        free(r.texts);
    }
    free(r.offsets);
    return status;
}

static assay_status read_document(archive *a, sqlite3_stmt *s, const char *uid, json_t *documents,
                                  assay_error *error)
{
    sqlite3_reset(s);
    db_bind_text(s, 1, uid);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return db_error(&a->base, "read", error);
    json_t *entry = code == SQLITE_ROW ? json_loads(db_text(s, 0), 0, NULL) : NULL;
    if (!entry || experience_check(entry, NULL) != ASSAY_OK) {
        json_decref(entry);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s has a broken entry: %.64s", a->base.path, uid);
    }
    json_object_set_new(documents, uid, entry);
    return ASSAY_OK;
}

assay_status experience_file_documents(const char *path, const char *const *uids, size_t count,
                                       json_t *documents, assay_error *error)
{
    archive *a = NULL;
    sqlite3_stmt *s = NULL;
    if (count == 0)
        return ASSAY_OK;
    assay_status status = archive_open(path, ARCHIVE_READ, &a, error);
    if (status == ASSAY_OK)
        status = db_prepare(&a->base, "SELECT document FROM experience WHERE uid = ?", &s, error);
    for (size_t i = 0; i < count && status == ASSAY_OK; i++)
        status = read_document(a, s, uids[i], documents, error);
    sqlite3_finalize(s);
    archive_close(a);
    return status;
}

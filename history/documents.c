/* Single things of the history: a result's whole document, a card's snapshots, a revision by its beginning. Reads only. */
#include "history/database.h"
#include "history/pack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static assay_status add_samples(history *h, int64_t result_id, json_t *document, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    assay_status status = db_prepare(h, "SELECT figure, data FROM sample WHERE result_id = ?", &s, error);
    if (status != ASSAY_OK)
        return status;
    int code = SQLITE_DONE;
    sqlite3_bind_int64(s, 1, result_id);
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *figure = json_object_get(json_object_get(document, "figures"), db_text(s, 0));
        status = unpack_samples(sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1), figure, error);
    }
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(h, "read", error);
    sqlite3_finalize(s);
    return status;
}

static assay_status unpack_document(sqlite3_stmt *s, json_t **out, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t broken;
    assay_status status =
        unpack_text(sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0), &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    *out = json_loadb(text, bytes, 0, &broken);
    free(text);
    return *out ? ASSAY_OK
                : assay_error_set(error, ASSAY_ERR_FORMAT, "a result of the history is damaged: %s",
                                  broken.text);
}

assay_status history_result_document(history *h, int64_t result_id, int with_samples, json_t **out,
                                     assay_error *error)
{
    sqlite3_stmt *s = NULL;
    *out = NULL;
    assay_status status = db_prepare(h, "SELECT document FROM result WHERE id = ?", &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, result_id);
    const int code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        status = unpack_document(s, out, error);
    else if (code != SQLITE_DONE)
        status = db_error(h, "read", error);
    else
        status = assay_error_set(error, ASSAY_ERR_INVALID, "history %s has no result %lld", h->path,
                                 (long long)result_id);
    sqlite3_finalize(s);
    if (status == ASSAY_OK && with_samples)
        status = add_samples(h, result_id, *out, error);
    if (status != ASSAY_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

assay_status history_snapshot(history *h, const char *slug, const char *kind, int64_t time, json_t **out,
                              assay_error *error)
{
    sqlite3_stmt *s = NULL;
    *out = NULL;
    assay_status status =
        db_prepare(h,
                   "SELECT document FROM snapshot WHERE slug = ?1 AND kind = ?2 ORDER BY"
                   " (?3 = 0 OR time <= ?3) DESC,"
                   " CASE WHEN ?3 = 0 OR time <= ?3 THEN -time ELSE time END, id DESC LIMIT 1",
                   &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, slug);
    db_bind_text(s, 2, kind);
    sqlite3_bind_int64(s, 3, time);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = db_error(h, "read", error);
    if (code == SQLITE_ROW) {
        json_error_t broken;
        *out = json_loads(db_text(s, 0), 0, &broken);
        if (!*out)
            status = assay_error_set(error, ASSAY_ERR_FORMAT, "a snapshot of the history is damaged: %s",
                                     broken.text);
    }
    sqlite3_finalize(s);
    return status;
}

assay_status history_find_revision(history *h, const char *text, char commit[64], assay_error *error)
{
    sqlite3_stmt *s = NULL;
    char second[64] = "";
    int found = 0, code;
    assay_status status = db_prepare(
        h, "SELECT hash FROM revision WHERE substr(hash, 1, length(?1)) = ?1 ORDER BY hash = ?1 DESC LIMIT 2",
        &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, text);
    for (; (code = sqlite3_step(s)) == SQLITE_ROW; found++)
        snprintf(found == 0 ? commit : second, 64, "%s", db_text(s, 0));
    if (code != SQLITE_DONE)
        status = db_error(h, "read", error);
    sqlite3_finalize(s);
    if (status != ASSAY_OK)
        return status;
    if (found == 0 || text[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_INVALID, "history %s has no commit that begins with '%s'",
                               h->path, text);
    if (found == 1 || strcmp(commit, text) == 0)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_INVALID, "'%s' is the beginning of several commits: %.12s, %.12s",
                           text, commit, second);
}

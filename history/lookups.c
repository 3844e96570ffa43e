/* Single things of the history: a card's snapshots, a revision by its beginning. Reads only. */
#include "history/database.h"
#include <stdio.h>
#include <string.h>

assay_status history_snapshot(history *h, const char *slug, const char *kind, int64_t time, json_t **out,
                              assay_error *error)
{
    sqlite3_stmt *s = NULL;
    *out = NULL;
    assay_status status =
        db_prepare(&h->base,
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
        status = db_error(&h->base, "read", error);
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
        &h->base,
        "SELECT hash FROM revision WHERE substr(hash, 1, length(?1)) = ?1 ORDER BY hash = ?1 DESC LIMIT 2",
        &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, text);
    for (; (code = sqlite3_step(s)) == SQLITE_ROW; found++)
        snprintf(found == 0 ? commit : second, 64, "%s", db_text(s, 0));
    if (code != SQLITE_DONE)
        status = db_error(&h->base, "read", error);
    sqlite3_finalize(s);
    if (status != ASSAY_OK)
        return status;
    if (found == 0 || text[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_INVALID, "history %s has no commit that begins with '%s'",
                               h->base.path, text);
    if (found == 1 || strcmp(commit, text) == 0)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_INVALID, "'%s' is the beginning of several commits: %.12s, %.12s",
                           text, commit, second);
}

/* The SQLite file behind an experience log: the table `experience` of an archive. */
#include "tune/experience/experience.h"
#include "tune/experience/experience_entry.h"
#include "core/json_file.h"
#include "tune/archive/database.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

assay_status experience_file_read(const char *path, json_t **entries, json_t **uids, assay_error *error)
{
    archive *a = NULL;
    sqlite3_stmt *s = NULL;
    *entries = *uids = NULL;
    assay_status status = archive_open(path, ARCHIVE_READ, &a, error);
    if (status == ASSAY_OK)
        status =
            db_prepare(&a->base, "SELECT document, uid FROM experience ORDER BY recorded, uid", &s, error);
    if (status == ASSAY_OK) {
        *entries = json_array();
        *uids = json_array();
    }
    int code = SQLITE_DONE;
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *entry = json_loads(db_text(s, 0), 0, NULL);
        if (entry == NULL || experience_check(entry, NULL) != ASSAY_OK) {
            json_decref(entry);
            status =
                assay_error_set(error, ASSAY_ERR_FORMAT, "%s has a broken entry: %.64s", path, db_text(s, 1));
            break;
        }
        json_array_append_new(*entries, entry);
        json_t *uid = json_string(db_text(s, 1)); /* NULL: not UTF-8 */
        json_array_append_new(*uids, uid ? uid : json_null());
    }
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(&a->base, "read", error);
    sqlite3_finalize(s);
    archive_close(a);
    return status;
}

static assay_status insert(archive *a, const json_t *entry, assay_error *error)
{
    static const char *const columns[] = {"kind", "backend", "chip", "bottleneck", "strategy", "outcome"};
    char uid[EXPERIENCE_UID_BYTES];
    sqlite3_stmt *s = NULL;
    assay_status status =
        db_prepare(&a->base,
                   "INSERT OR IGNORE INTO experience (uid, kind, backend, chip, bottleneck,"
                   " strategy, outcome, effect, recorded, document) VALUES (?,?,?,?,?,?,?,?,?,?)",
                   &s, error);
    char *text = json_dumps(entry, JSON_COMPACT);
    if (status == ASSAY_OK && text == NULL)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an entry");
    if (status != ASSAY_OK) {
        sqlite3_finalize(s);
        free(text);
        return status;
    }
    experience_uid(entry, uid);
    db_bind_text(s, 1, uid);
    for (int i = 0; i < 6; i++)
        db_bind_text(s, i + 2, json_get_text(entry, columns[i], ""));
    db_bind_number(s, 8, json_get_number(entry, "effect", NAN));
    sqlite3_bind_int64(s, 9, (sqlite3_int64)time(NULL));
    db_bind_text(s, 10, text);
    status = db_finish(&a->base, s, error);
    free(text);
    return status;
}

assay_status experience_file_add(const char *path, const json_t *entries, assay_error *error)
{
    archive *a = NULL;
    size_t index;
    json_t *entry;
    assay_status status = archive_open(path, ARCHIVE_WRITE, &a, error);
    if (status == ASSAY_OK)
        status = db_exec(&a->base, "BEGIN IMMEDIATE", error);
    if (status == ASSAY_OK) {
        json_array_foreach(entries, index, entry)
        {
            if (status == ASSAY_OK)
                status = insert(a, entry, error);
        }
        status = archive_close_transaction(a, status, error);
    }
    archive_close(a);
    return status;
}

/* Opening an archive: WAL, waiting for other writers, making the tables of a new file; binding and reading values. */
#include "tune/archive/database.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 30000, OPEN_ATTEMPTS = 200 };

assay_status archive_fail(const archive *a, const char *doing, assay_error *error)
{
    const int code = sqlite3_errcode(a->db);
    const int is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    const char *more = code == SQLITE_BUSY      ? ": another program has kept it locked for 30 s"
                       : code == SQLITE_FULL    ? ": the disk is full"
                       : code == SQLITE_NOTADB  ? ": this is no archive; name another file"
                       : code == SQLITE_CORRUPT ? ": it is damaged; merge its readable copy into a new one"
                       : code == SQLITE_CANTOPEN || code == SQLITE_READONLY
                           ? ": may the file and its folder be written?"
                           : "";
    return assay_error_set(error, is_damaged ? ASSAY_ERR_FORMAT : ASSAY_ERR_IO, "archive %s: cannot %s: %s%s",
                           a->path, doing, sqlite3_errmsg(a->db), more);
}

assay_status archive_exec(archive *a, const char *sql, assay_error *error)
{
    return sqlite3_exec(a->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ASSAY_OK
                                                                   : archive_fail(a, "write", error);
}

assay_status archive_prepare(archive *a, const char *sql, sqlite3_stmt **out, assay_error *error)
{
    return sqlite3_prepare_v2(a->db, sql, -1, out, NULL) == SQLITE_OK ? ASSAY_OK
                                                                      : archive_fail(a, "read", error);
}

assay_status archive_finish(archive *a, sqlite3_stmt *s, assay_error *error)
{
    const int code = sqlite3_step(s);
    const assay_status status =
        code == SQLITE_DONE || code == SQLITE_ROW ? ASSAY_OK : archive_fail(a, "write", error);
    sqlite3_finalize(s);
    return status;
}

void archive_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text ? text : "", -1, SQLITE_STATIC);
}

void archive_bind_number(sqlite3_stmt *s, int at, double number)
{
    if (isfinite(number))
        sqlite3_bind_double(s, at, number);
    else
        sqlite3_bind_null(s, at);
}

const char *archive_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    return text ? (const char *)text : "";
}

double archive_number(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

static int read_pragma(archive *a, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int number = -1;
    if (sqlite3_prepare_v2(a->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return number;
}

/* A file of another program or of another Assay is refused before anything is written. */
static assay_status check_version(archive *a, int *is_new, assay_error *error)
{
    const int version = read_pragma(a, "PRAGMA user_version");
    const int tables = read_pragma(a, "SELECT count(*) FROM sqlite_master");
    *is_new = version == 0 && tables == 0;
    if (version < 0 || tables < 0)
        return archive_fail(a, "read", error);
    if (*is_new)
        return ASSAY_OK;
    if (version == 0 || read_pragma(a, "SELECT count(*) FROM sqlite_master WHERE name = 'candidate'") != 1)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s is an SQLite database, but no archive of tuning runs", a->path);
    return version == ARCHIVE_SCHEMA
               ? ASSAY_OK
               : assay_error_set(
                     error, ASSAY_ERR_FORMAT,
                     "archive %s has schema %d, made by another Assay; this one has %d: move it away",
                     a->path, version, ARCHIVE_SCHEMA);
}

/* Changing a new file to WAL needs it alone, and SQLite does not wait for that by itself. */
static assay_status enter_wal(archive *a, assay_error *error)
{
    for (int attempt = 0;; attempt++) {
        if (sqlite3_exec(a->db,
                         "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
                         NULL, NULL, NULL) == SQLITE_OK)
            return ASSAY_OK;
        const int code = sqlite3_errcode(a->db);
        if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || attempt == OPEN_ATTEMPTS)
            return archive_fail(a, "open", error);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

/* Asked again inside the transaction: another writer may have made the tables meanwhile. */
static assay_status make_tables(archive *a, assay_error *error)
{
    char set_version[64];
    int is_new = 0;
    assay_status status = archive_exec(a, "BEGIN IMMEDIATE", error);
    if (status != ASSAY_OK)
        return status;
    status = check_version(a, &is_new, error);
    snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d", ARCHIVE_SCHEMA);
    if (status == ASSAY_OK && is_new)
        status = archive_exec(a, archive_schema_sql, error);
    if (status == ASSAY_OK && is_new)
        status = archive_exec(a, set_version, error);
    if (status == ASSAY_OK)
        return archive_exec(a, "COMMIT", error);
    sqlite3_exec(a->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* The folder of a read-only copy cannot hold the index that readers of a WAL file share; nobody writes there. */
static int is_on_read_only_ground(const char *path)
{
    char folder[4096], wal[4200];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    snprintf(wal, sizeof wal, "%s-wal", path);
    return access(folder, W_OK) != 0 && access(wal, F_OK) != 0;
}

/* A relative path begins with "./", as ":memory:" and "file:..." mean something else to SQLite. */
static int open_file(archive *a, archive_mode mode)
{
    char path[3 * sizeof a->path + 40];
    if (mode == ARCHIVE_READ && is_on_read_only_ground(a->path)) {
        size_t used = (size_t)snprintf(path, sizeof path, "file:");
        for (const char *c = a->path; *c; c++)
            used += (size_t)snprintf(path + used, sizeof path - used, strchr("%?#", *c) ? "%%%02X" : "%c",
                                     (unsigned char)*c);
        snprintf(path + used, sizeof path - used, "?immutable=1");
        return sqlite3_open_v2(path, &a->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    }
    snprintf(path, sizeof path, "%s%s", a->path[0] == '/' ? "" : "./", a->path);
    return sqlite3_open_v2(path, &a->db,
                           SQLITE_OPEN_READWRITE | (mode == ARCHIVE_WRITE ? SQLITE_OPEN_CREATE : 0), NULL);
}

static assay_status open_database(archive *a, archive_mode mode, assay_error *error)
{
    int is_new = 0;
    if (open_file(a, mode) != SQLITE_OK)
        return archive_fail(a, "open", error);
    sqlite3_busy_timeout(a->db, WAIT_MS);
    assay_status status = check_version(a, &is_new, error);
    if (status == ASSAY_OK && is_new && mode == ARCHIVE_READ)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s is empty, not an archive (assay tune makes one)",
                               a->path);
    if (status == ASSAY_OK && mode == ARCHIVE_WRITE)
        status = enter_wal(a, error);
    return status == ASSAY_OK && is_new ? make_tables(a, error) : status;
}

assay_status archive_open(const char *path, archive_mode mode, archive **out, assay_error *error)
{
    *out = NULL;
    if (mode == ARCHIVE_READ && access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_IO, "archive %s: %s (assay tune makes one)", path,
                               strerror(errno));
    if (strlen(path) >= sizeof(*out)->path)
        return assay_error_set(error, ASSAY_ERR_INVALID, "the archive's path is too long");
    archive *a = calloc(1, sizeof *a);
    if (a == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the archive");
    snprintf(a->path, sizeof a->path, "%s", path);
    const assay_status status = open_database(a, mode, error);
    if (status != ASSAY_OK) {
        archive_close(a);
        return status;
    }
    *out = a;
    return ASSAY_OK;
}

void archive_close(archive *a)
{
    if (a == NULL)
        return;
    for (size_t i = 0; i < sizeof a->texts / sizeof *a->texts; i++)
        free(a->texts[i]);
    free(a->samples);
    sqlite3_close(a->db);
    free(a);
}

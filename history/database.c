/* Opening a history: WAL, waiting for other writers, and making the tables of a new file. Knows no table. */
#include "history/database.h"
#include "core/memory.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 30000, OPEN_ATTEMPTS = 200 };

assay_status db_error(const history *h, const char *doing, assay_error *error)
{
    const int code = sqlite3_errcode(h->db), cause = sqlite3_system_errno(h->db);
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)
        return assay_error_set(
            error, ASSAY_ERR_IO, "history %s: cannot %s: %s: may the file and its folder be written?",
            h->path, doing, code == SQLITE_CANTOPEN && cause ? strerror(cause) : sqlite3_errmsg(h->db));
    const char *more = code == SQLITE_BUSY     ? ": another program has kept it locked for 30 s"
                       : code == SQLITE_FULL   ? ": the disk is full"
                       : code == SQLITE_NOTADB ? ": this is no history; name another file"
                       : code == SQLITE_CORRUPT
                           ? ": it is damaged; move it away and ingest the result files again"
                           : "";
    return assay_error_set(error,
                           code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ASSAY_ERR_FORMAT : ASSAY_ERR_IO,
                           "history %s: cannot %s: %s%s", h->path, doing, sqlite3_errmsg(h->db), more);
}

assay_status db_exec(history *h, const char *sql, assay_error *error)
{
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ASSAY_OK : db_error(h, "write", error);
}

assay_status db_prepare(history *h, const char *sql, sqlite3_stmt **out, assay_error *error)
{
    return sqlite3_prepare_v2(h->db, sql, -1, out, NULL) == SQLITE_OK ? ASSAY_OK : db_error(h, "read", error);
}

void db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text ? text : "", -1, SQLITE_STATIC);
}

void db_bind_number(sqlite3_stmt *s, int at, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(s, at, value);
    else
        sqlite3_bind_null(s, at);
}

const char *db_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    return text ? (const char *)text : "";
}

double db_number(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

static assay_status read_version(history *h, int *version, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status = db_prepare(h, "PRAGMA user_version", &s, error);
    if (status != ASSAY_OK)
        return status;
    const int row = sqlite3_step(s) == SQLITE_ROW;
    *version = row ? sqlite3_column_int(s, 0) : 0;
    sqlite3_finalize(s);
    return row ? ASSAY_OK : db_error(h, "read", error);
}

static assay_status refuse_other(const history *h, int version, assay_error *error)
{
    return assay_error_set(
        error, ASSAY_ERR_FORMAT,
        "history %s has schema %d, made by another Assay; this one has %d: move the file away "
        "and ingest the result files again",
        h->path, version, HISTORY_SCHEMA);
}

/* A database that is no history has tables and no version of ours. */
static assay_status refuse_foreign(history *h, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status = db_prepare(h, "SELECT count(*) FROM sqlite_master", &s, error);
    if (status != ASSAY_OK)
        return status;
    const int tables = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : 0;
    sqlite3_finalize(s);
    return tables == 0
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_FORMAT,
                                 "%s is an SQLite database of another program, not a history", h->path);
}

/* Before anything is written, the journal mode included: a file that is not ours, or of another Assay, stays
 * as it is. */
static assay_status refuse_untouched(history *h, assay_error *error)
{
    int version = 0;
    const assay_status status = read_version(h, &version, error);
    if (status != ASSAY_OK)
        return status;
    if (version == 0)
        return refuse_foreign(h, error);
    return version == HISTORY_SCHEMA ? ASSAY_OK : refuse_other(h, version, error);
}

/* The version is read again inside the transaction: another writer may have made the tables meanwhile. */
static assay_status make_tables(history *h, assay_error *error)
{
    int version = 0;
    char set_version[64];
    assay_status status = db_exec(h, "BEGIN IMMEDIATE", error);
    if (status != ASSAY_OK)
        return status;
    status = read_version(h, &version, error);
    if (status == ASSAY_OK && version == 0)
        status = refuse_foreign(h, error);
    if (status == ASSAY_OK && version == 0)
        status = db_exec(h, history_schema_sql, error);
    snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d", HISTORY_SCHEMA);
    if (status == ASSAY_OK && version == 0)
        status = db_exec(h, set_version, error);
    if (status == ASSAY_OK)
        return db_exec(h, "COMMIT", error);
    sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Changing a new file to WAL needs it alone, and SQLite does not wait for that by itself. */
static assay_status enter_wal(history *h, assay_error *error)
{
    for (int attempt = 0;; attempt++) {
        if (sqlite3_exec(h->db,
                         "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
                         NULL, NULL, NULL) == SQLITE_OK)
            return ASSAY_OK;
        const int code = sqlite3_errcode(h->db);
        if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || attempt == OPEN_ATTEMPTS)
            return db_error(h, "open", error);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

static assay_status check_version(history *h, history_mode mode, assay_error *error)
{
    int version = 0;
    assay_status status = read_version(h, &version, error);
    if (status != ASSAY_OK || version == HISTORY_SCHEMA)
        return status;
    if (version != 0)
        return refuse_other(h, version, error);
    return mode == HISTORY_WRITE ? make_tables(h, error)
                                 : assay_error_set(error, ASSAY_ERR_FORMAT,
                                                   "%s is not a history (assay ingest makes one)", h->path);
}

/* The folder of a read-only copy cannot hold the index that readers of a WAL file share. Nobody writes there,
 * so it is not needed. */
static int is_on_read_only_ground(const char *path)
{
    char folder[4096], wal[4200];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    snprintf(wal, sizeof wal, "%s-wal", path);
    return access(folder, W_OK) != 0 && access(wal, F_OK) != 0;
}

/* file:PATH?immutable=1 with the characters escaped that mean something in it. */
static int open_immutable(history *h)
{
    char uri[3 * sizeof h->path + 32] = "file:";
    size_t used = strlen(uri);
    for (const char *c = h->path; *c; c++)
        used += (size_t)snprintf(uri + used, sizeof uri - used, strchr("%?#", *c) ? "%%%02X" : "%c",
                                 (unsigned char)*c);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    return sqlite3_open_v2(uri, &h->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
}

/* A relative path begins with "./", as ":memory:" and "file:..." mean something else to SQLite. */
static int open_file(history *h, history_mode mode)
{
    char path[sizeof h->path + 2];
    if (mode == HISTORY_READ && is_on_read_only_ground(h->path))
        return open_immutable(h);
    snprintf(path, sizeof path, "%s%s", h->path[0] == '/' ? "" : "./", h->path);
    return sqlite3_open_v2(path, &h->db,
                           SQLITE_OPEN_READWRITE | (mode == HISTORY_WRITE ? SQLITE_OPEN_CREATE : 0), NULL);
}

/* SQLite's own allocator, but that a lack of memory ends the process: a statement that ends early looks like one without more rows. */
static sqlite3_mem_methods usual;

static void *allocate(int bytes)
{
    void *memory = usual.xMalloc(bytes);
    if (!memory && bytes > 0)
        memory_exhausted();
    return memory;
}

static void *allocate_again(void *old, int bytes)
{
    void *memory = usual.xRealloc(old, bytes);
    if (!memory && bytes > 0)
        memory_exhausted();
    return memory;
}

/* Before SQLite is first used; later it refuses, and keeps what it has. */
static void require_memory(void)
{
    if (usual.xMalloc || sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK)
        return;
    sqlite3_mem_methods required = usual;
    required.xMalloc = allocate;
    required.xRealloc = allocate_again;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &required);
}

assay_status history_open(const char *path, history_mode mode, history **out, assay_error *error)
{
    *out = NULL;
    if (mode == HISTORY_READ && access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_IO, "history %s: %s (assay ingest makes one)", path,
                               strerror(errno));
    require_memory();
    history *h = calloc(1, sizeof *h);
    if (!h)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the history");
    snprintf(h->path, sizeof h->path, "%s", path);
    assay_status status = ASSAY_OK;
    if (open_file(h, mode) != SQLITE_OK)
        status = db_error(h, "open", error);
    if (h->db)
        sqlite3_busy_timeout(h->db, WAIT_MS);
    if (status == ASSAY_OK && mode == HISTORY_WRITE)
        status = refuse_untouched(h, error);
    if (status == ASSAY_OK && mode == HISTORY_WRITE)
        status = enter_wal(h, error);
    if (status == ASSAY_OK)
        status = check_version(h, mode, error);
    if (status != ASSAY_OK) {
        history_close(h);
        return status;
    }
    *out = h;
    return ASSAY_OK;
}

void history_close(history *h)
{
    if (!h)
        return;
    sqlite3_close(h->db);
    free(h);
}

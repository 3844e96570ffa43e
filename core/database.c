/* Opening a database: WAL, waiting for other writers, and making the tables of a new file; see database.h. */
#include "core/database.h"
#include "core/memory.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 30000, OPEN_ATTEMPTS = 200 };

assay_status db_error(const database *d, const char *doing, assay_error *error)
{
    const int code = sqlite3_errcode(d->db), cause = sqlite3_system_errno(d->db);
    const char *name = d->kind->name, *more = "";
    char hint[256];
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)
        return assay_error_set(
            error, ASSAY_ERR_IO, "%s %s: cannot %s: %s: may the file and its folder be written?", name,
            d->path, doing, code == SQLITE_CANTOPEN && cause ? strerror(cause) : sqlite3_errmsg(d->db));
    snprintf(hint, sizeof hint,
             code == SQLITE_NOTADB ? ": this is no %s; name another file" : ": it is damaged; %s",
             code == SQLITE_NOTADB ? name : d->kind->repair);
    if (code == SQLITE_BUSY)
        more = ": another program has kept it locked for 30 s";
    else if (code == SQLITE_FULL)
        more = ": the disk is full";
    else if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        more = hint;
    return assay_error_set(error, more == hint ? ASSAY_ERR_FORMAT : ASSAY_ERR_IO, "%s %s: cannot %s: %s%s",
                           name, d->path, doing, sqlite3_errmsg(d->db), more);
}

assay_status db_exec(database *d, const char *sql, assay_error *error)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ASSAY_OK : db_error(d, "write", error);
}

assay_status db_prepare(database *d, const char *sql, sqlite3_stmt **out, assay_error *error)
{
    return sqlite3_prepare_v2(d->db, sql, -1, out, NULL) == SQLITE_OK ? ASSAY_OK : db_error(d, "read", error);
}

assay_status db_finish(database *d, sqlite3_stmt *s, assay_error *error)
{
    const int code = sqlite3_step(s);
    const assay_status status =
        code == SQLITE_DONE || code == SQLITE_ROW ? ASSAY_OK : db_error(d, "write", error);
    sqlite3_finalize(s);
    return status;
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

static int read_number(database *d, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int number = -1;
    if (sqlite3_prepare_v2(d->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return number;
}

/* A file of another program or of another Assay is refused before anything is written, the journal mode included. */
static assay_status check_version(database *d, int *is_new, assay_error *error)
{
    char find[128];
    const int version = read_number(d, "PRAGMA user_version");
    const int tables = version < 0 ? -1 : read_number(d, "SELECT count(*) FROM sqlite_master");
    *is_new = version == 0 && tables == 0;
    if (tables < 0)
        return db_error(d, "read", error);
    if (*is_new)
        return ASSAY_OK;
    snprintf(find, sizeof find, "SELECT count(*) FROM sqlite_master WHERE name = '%s'", d->kind->table);
    if (version == 0 || read_number(d, find) != 1)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s is an SQLite database of another program, no %s",
                               d->path, d->kind->name);
    return version == d->kind->schema
               ? ASSAY_OK
               : assay_error_set(
                     error, ASSAY_ERR_FORMAT,
                     "%s %s has schema %d, made by another Assay; this one has %d: move the file away%s",
                     d->kind->name, d->path, version, d->kind->schema, d->kind->made_again);
}

/* Asked again inside the transaction: another writer may have made the tables meanwhile. */
static assay_status make_tables(database *d, assay_error *error)
{
    char set_version[64];
    int is_new = 0;
    assay_status status = db_exec(d, "BEGIN IMMEDIATE", error);
    if (status != ASSAY_OK)
        return status;
    status = check_version(d, &is_new, error);
    snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d", d->kind->schema);
    if (status == ASSAY_OK && is_new)
        status = db_exec(d, d->kind->schema_sql, error);
    if (status == ASSAY_OK && is_new)
        status = db_exec(d, set_version, error);
    if (status == ASSAY_OK)
        return db_exec(d, "COMMIT", error);
    sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Changing a new file to WAL needs it alone, and SQLite does not wait for that by itself. */
static assay_status enter_wal(database *d, assay_error *error)
{
    for (int attempt = 0;; attempt++) {
        if (sqlite3_exec(d->db,
                         "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
                         NULL, NULL, NULL) == SQLITE_OK)
            return ASSAY_OK;
        const int code = sqlite3_errcode(d->db);
        if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || attempt == OPEN_ATTEMPTS)
            return db_error(d, "open", error);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
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
static int open_immutable(database *d)
{
    char uri[3 * sizeof d->path + 32] = "file:";
    size_t used = strlen(uri);
    for (const char *c = d->path; *c; c++)
        used += (size_t)snprintf(uri + used, sizeof uri - used, strchr("%?#", *c) ? "%%%02X" : "%c",
                                 (unsigned char)*c);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    return sqlite3_open_v2(uri, &d->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
}

/* A relative path begins with "./", as ":memory:" and "file:..." mean something else to SQLite. */
static int open_file(database *d, database_mode mode)
{
    char path[sizeof d->path + 2];
    if (mode == DATABASE_READ && is_on_read_only_ground(d->path))
        return open_immutable(d);
    snprintf(path, sizeof path, "%s%s", d->path[0] == '/' ? "" : "./", d->path);
    return sqlite3_open_v2(path, &d->db,
                           SQLITE_OPEN_READWRITE | (mode == DATABASE_WRITE ? SQLITE_OPEN_CREATE : 0), NULL);
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

assay_status database_open(const char *path, database_mode mode, const database_kind *kind, database *out,
                           assay_error *error)
{
    *out = (database){.kind = kind};
    if (mode == DATABASE_READ && access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_IO, "%s %s: %s (%s makes one)", kind->name, path,
                               strerror(errno), kind->made_by);
    if (strlen(path) >= sizeof out->path)
        return assay_error_set(error, ASSAY_ERR_INVALID, "the path of the %s is too long", kind->name);
    require_memory();
    snprintf(out->path, sizeof out->path, "%s", path);
    assay_status status = ASSAY_OK;
    int is_new = 0;
    if (open_file(out, mode) != SQLITE_OK)
        status = db_error(out, "open", error);
    if (out->db)
        sqlite3_busy_timeout(out->db, WAIT_MS);
    if (status == ASSAY_OK)
        status = check_version(out, &is_new, error);
    if (status == ASSAY_OK && is_new && mode == DATABASE_READ)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s is empty, no %s (%s makes one)", path, kind->name,
                               kind->made_by);
    if (status == ASSAY_OK && mode == DATABASE_WRITE)
        status = enter_wal(out, error);
    return status == ASSAY_OK && is_new ? make_tables(out, error) : status;
}

void database_close(database *d)
{
    sqlite3_close(d->db);
    d->db = NULL;
}

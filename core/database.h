/* A file of SQLite that belongs to Assay: opened safely among several readers and writers, its tables made in a new file, files of
 * other programs and other versions left as they are. Compiled only where SQLite is; knows no table. */
#ifndef ASSAY_CORE_DATABASE_H
#define ASSAY_CORE_DATABASE_H

#include <assay/status.h>
#include <sqlite3.h>

typedef enum database_mode {
    DATABASE_READ, /* the file must be there; also in a folder that cannot be written */
    DATABASE_WRITE /* it is made if it is not there */
} database_mode;

/* What differs between databases. */
typedef struct database_kind {
    const char *name;       /* "history": what messages call it */
    const char *made_by;    /* "assay ingest": the command that makes one */
    const char *repair;     /* what to do about a damaged one */
    const char *made_again; /* follows "move the file away": how the content comes back, or "" */
    const char *table;      /* one of its tables, by which it is told from others */
    const char *schema_sql; /* makes the tables */
    int schema;             /* kept as PRAGMA user_version */
} database_kind;

typedef struct database {
    const database_kind *kind;
    sqlite3 *db;
    char path[4096];
} database;

/* Open `path`; close with database_close, also after a failure. ASSAY_ERR_IO: SQLite's message with the file; ASSAY_ERR_FORMAT: another
 * program's file, another version's, or a damaged one. SQLite gets an allocator that ends the process when memory ends: a statement
 * that ends early looks like one without more rows. */
assay_status database_open(const char *path, database_mode mode, const database_kind *kind, database *out,
                           assay_error *error);
void database_close(database *d);

/* The failure of SQLite's last call: ASSAY_ERR_IO, or ASSAY_ERR_FORMAT of a damaged file. `doing` follows "cannot". */
assay_status db_error(const database *d, const char *doing, assay_error *error);
assay_status db_exec(database *d, const char *sql, assay_error *error);
assay_status db_prepare(database *d, const char *sql, sqlite3_stmt **out, assay_error *error);
/* Step a statement that gives no row, and finalize it. */
assay_status db_finish(database *d, sqlite3_stmt *s, assay_error *error);

/* NULL binds and reads as "" for texts and NAN for numbers. Texts must outlive the statement's step. */
void db_bind_text(sqlite3_stmt *s, int at, const char *text);
void db_bind_number(sqlite3_stmt *s, int at, double value);
const char *db_text(sqlite3_stmt *s, int column);
double db_number(sqlite3_stmt *s, int column);

#endif

/* Inside the history only: the open database and what its files share. Not for users of history.h. */
#ifndef ASSAY_HISTORY_DATABASE_H
#define ASSAY_HISTORY_DATABASE_H

#include "history/history.h"
#include <sqlite3.h>

struct history {
    sqlite3 *db;
    char path[4096];
};

/* SQL that makes the tables in an empty file. */
extern const char history_schema_sql[];

/* ASSAY_ERR_IO with SQLite's message and the file; a full disk and a lock that was never released are named.
 */
assay_status db_error(const history *h, const char *doing, assay_error *error);
assay_status db_exec(history *h, const char *sql, assay_error *error);
assay_status db_prepare(history *h, const char *sql, sqlite3_stmt **out, assay_error *error);

/* NULL binds and reads as "" for texts and NAN for numbers. Texts must outlive the statement's step. */
void db_bind_text(sqlite3_stmt *s, int at, const char *text);
void db_bind_number(sqlite3_stmt *s, int at, double value);
const char *db_text(sqlite3_stmt *s, int column);
double db_number(sqlite3_stmt *s, int column);

/* `filter` as SQL: " WHERE ..." or "" over the tables test_case c, card d, revision v, result r and, if
 * `with_mode`, timing f. db_bind_filter binds its values in the same order from parameter 1 on.
 * ASSAY_ERR_INVALID if it is too long. */
typedef struct db_filter {
    char sql[8192];
    char values[8192]; /* NUL-separated */
    int count;
    size_t used;
} db_filter;
assay_status db_filter_build(const history_filter *filter, int with_mode, db_filter *out, assay_error *error);
void db_filter_bind(const db_filter *filter, sqlite3_stmt *s);

#endif

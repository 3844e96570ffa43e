/* Inside the history only: the open database and what its files share. Not for users of history.h. */
#ifndef ASSAY_HISTORY_DATABASE_H
#define ASSAY_HISTORY_DATABASE_H

#include "core/database.h"
#include "history/history.h"

struct history {
    database base;
};

/* SQL that makes the tables in an empty file. */
extern const char history_schema_sql[];

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

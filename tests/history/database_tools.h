/* A history in a temporary folder, and made-up results that go into it. */
#ifndef ASSAY_TESTS_HISTORY_DATABASE_TOOLS_H
#define ASSAY_TESTS_HISTORY_DATABASE_TOOLS_H

#include "test.h"
#include "history/history.h"
#include "history/ingest.h"
#include <sqlite3.h>

static double hundred[10];
static char folder[256], db[300];

static inline int set_up(void **state)
{
    fill_times(hundred, 10, 100.0, 0.004);
    make_folder(folder);
    snprintf(db, sizeof db, "%s/history.db", folder);
    return 0;
}

static inline int tear_down(void **state)
{
    remove_folder(folder);
    return 0;
}

static inline made_result plain(void)
{
    return (made_result){.times = hundred, .count = 10};
}

/* FOLDER/results/NAME with one result in it. */
static inline void make_results(const char *name, const made_result *r, char out[600])
{
    snprintf(out, 600, "%s/results/%s", folder, name);
    write_result(out, r);
}

static inline ingest_summary ingest(const char *path)
{
    history *h;
    assay_error error = {0};
    ingest_summary summary;
    assert_int_equal(history_open(db, HISTORY_WRITE, &h, &error), ASSAY_OK);
    assert_int_equal(history_ingest(h, &path, 1, &(ingest_options){0}, &summary, &error), ASSAY_OK);
    history_close(h);
    return summary;
}

static inline void run_sql(const char *sql)
{
    sqlite3 *raw;
    assert_int_equal(sqlite3_open(db, &raw), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(raw, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(raw);
}

#endif

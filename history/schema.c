/* The tables of the history, as the steps that lead from each schema version to the next. A step that was ever released is never
 * edited: files written by it exist. docs/history.md explains the tables. */
#include "history/database.h"

/* Version 1: results with their figures. `document` is the result's `assay` object without its samples, deflated. */
static const char step_to_1[] =
    "CREATE TABLE card (id INTEGER PRIMARY KEY, device_kind TEXT NOT NULL, name TEXT NOT NULL, slug TEXT NOT "
    "NULL,"
    " uuid TEXT NOT NULL, driver TEXT NOT NULL, runtime TEXT NOT NULL, sm_count INTEGER, compute TEXT,"
    " UNIQUE (slug, uuid, driver, runtime));"
    "CREATE TABLE revision (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, time INTEGER, subject TEXT,"
    " first_run INTEGER);"
    "CREATE TABLE test_case (id INTEGER PRIMARY KEY, op TEXT NOT NULL, variant TEXT NOT NULL, dtype TEXT NOT "
    "NULL,"
    " size TEXT NOT NULL, kind TEXT NOT NULL, math_mode TEXT NOT NULL, distribution TEXT NOT NULL, dims TEXT "
    "NOT NULL,"
    " params TEXT NOT NULL,"
    " UNIQUE (op, variant, dtype, size, kind, math_mode, distribution, dims, params));"
    "CREATE TABLE result (id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL REFERENCES test_case(id),"
    " card_id INTEGER NOT NULL REFERENCES card(id), revision_id INTEGER NOT NULL REFERENCES revision(id),"
    " dirty INTEGER NOT NULL, time INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, verdict "
    "TEXT NOT NULL,"
    " output_check TEXT NOT NULL, source_sha256 TEXT NOT NULL, method TEXT NOT NULL, flops REAL, bytes REAL,"
    " floor_cold_us REAL, floor_hot_us REAL, identity TEXT NOT NULL, ingested INTEGER NOT NULL, document "
    "BLOB NOT NULL,"
    " UNIQUE (case_id, card_id, revision_id, time, identity));"
    "CREATE INDEX result_by_revision ON result (revision_id, time);"
    "CREATE TABLE figure (result_id INTEGER NOT NULL REFERENCES result(id) ON DELETE CASCADE, name TEXT NOT "
    "NULL,"
    " mean_us REAL, median_us REAL, min_us REAL, p95_us REAL, stddev_us REAL, low_us REAL, high_us REAL, gbs "
    "REAL,"
    " tflops REAL, percent_of_roof REAL, above_roof INTEGER, samples INTEGER, repetitions INTEGER, repeated "
    "INTEGER,"
    " PRIMARY KEY (result_id, name)) WITHOUT ROWID;";

/* Version 2: samples, static figures, and what the card could do at the time. */
static const char step_to_2[] = "CREATE TABLE sample (result_id INTEGER NOT NULL REFERENCES result(id) ON "
                                "DELETE CASCADE, figure TEXT NOT NULL,"
                                " data BLOB NOT NULL, PRIMARY KEY (result_id, figure));"
                                "CREATE TABLE static_figure (result_id INTEGER NOT NULL REFERENCES "
                                "result(id) ON DELETE CASCADE, key TEXT NOT NULL,"
                                " number REAL, text TEXT, PRIMARY KEY (result_id, key)) WITHOUT ROWID;"
                                "CREATE TABLE snapshot (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, kind "
                                "TEXT NOT NULL, time INTEGER NOT NULL,"
                                " document TEXT NOT NULL, UNIQUE (slug, kind, time, document));";

const char *const history_schema_steps[HISTORY_SCHEMA] = {step_to_1, step_to_2};

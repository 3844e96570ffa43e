/* Joining archives: SQL over both files. Runs are known by their identifiers, candidates by run and number, texts by
 * their hash, so that nothing conflicts and a second merge adds nothing. */
#include "tune/archive/database.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char merge_shared_sql[] =
    "INSERT OR IGNORE INTO problem (op, variant, dtype, size, dims, device, arch)"
    " SELECT op, variant, dtype, size, dims, device, arch FROM other.problem;"
    "INSERT OR IGNORE INTO long_text (hash, bytes, packed) SELECT hash, bytes, packed FROM other.long_text;"
    "INSERT OR IGNORE INTO word (text) SELECT text FROM other.word;"
    "INSERT OR IGNORE INTO experience SELECT * FROM other.experience;";

/* Ids of the other file to ids here; temporary, and gone with the connection. */
static const char merge_maps_sql[] =
    "DROP TABLE IF EXISTS temp.text_map; DROP TABLE IF EXISTS temp.problem_map; DROP TABLE IF EXISTS "
    "temp.word_map;"
    "CREATE TEMP TABLE text_map AS SELECT o.id AS theirs, m.id AS ours FROM other.long_text o"
    " JOIN main.long_text m ON m.hash = o.hash;"
    "CREATE INDEX temp.text_map_index ON text_map (theirs);"
    "CREATE TEMP TABLE problem_map AS SELECT o.id AS theirs, m.id AS ours FROM other.problem o JOIN "
    "main.problem m"
    " USING (op, variant, dtype, size, dims, device, arch);"
    "CREATE TEMP TABLE word_map AS SELECT o.id AS theirs, m.id AS ours FROM other.word o"
    " JOIN main.word m ON m.text = o.text;";

static const char merge_runs_sql[] =
    "INSERT OR IGNORE INTO run (uid, problem, strategy, seed, options, space, revision, host, command, "
    "started,"
    " ended, end_reason, default_us) SELECT o.uid, p.ours, o.strategy, o.seed, o.options,"
    " coalesce((SELECT ours FROM text_map WHERE theirs = o.space), 0), o.revision, o.host, o.command, "
    "o.started,"
    " o.ended, o.end_reason, o.default_us FROM other.run o JOIN problem_map p ON p.theirs = o.problem";

/* A run that went on elsewhere after an earlier merge has an end and a default now. */
static const char merge_ends_sql[] = "UPDATE run SET ended = o.ended, end_reason = o.end_reason, default_us "
                                     "= coalesce(run.default_us, o.default_us)"
                                     " FROM other.run o WHERE o.uid = run.uid AND run.ended = 0 AND (o.ended "
                                     "<> 0 OR o.default_us IS NOT NULL)";

static const char merge_candidates_sql[] =
    "INSERT OR IGNORE INTO candidate (run, number, problem, label, label_hash, identity, status, reason, "
    "time_us,"
    " tflops, speedup, samples, provider, parent, recorded, compile_s, verify_s, bench_s, source, report, "
    "verdict)"
    " SELECT m.id, o.number, m.problem, o.label, o.label_hash, o.identity, o.status, o.reason, o.time_us, "
    "o.tflops,"
    " o.speedup, o.samples, w.ours, o.parent, o.recorded, o.compile_s, o.verify_s, o.bench_s,"
    " (SELECT ours FROM text_map WHERE theirs = o.source), (SELECT ours FROM text_map WHERE theirs = "
    "o.report),"
    " (SELECT ours FROM text_map WHERE theirs = o.verdict)"
    " FROM other.candidate o JOIN other.run x ON x.id = o.run JOIN main.run m ON m.uid = x.uid"
    " JOIN word_map w ON w.theirs = o.provider ORDER BY o.id";

static long count_rows(archive *a, const char *table)
{
    char sql[100];
    sqlite3_stmt *s = NULL;
    long count = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM other.%s", table);
    if (sqlite3_prepare_v2(a->base.db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        count = (long)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return count;
}

static assay_status merge_attached(archive *a, archive_merge_counts *counts, assay_error *error)
{
    assay_status status = db_exec(&a->base, merge_shared_sql, error);
    if (status == ASSAY_OK)
        status = db_exec(&a->base, merge_maps_sql, error);
    if (status == ASSAY_OK)
        status = db_exec(&a->base, merge_runs_sql, error);
    if (status != ASSAY_OK)
        return status;
    counts->runs_added = sqlite3_changes(a->base.db);
    status = db_exec(&a->base, merge_ends_sql, error);
    if (status == ASSAY_OK)
        status = db_exec(&a->base, merge_candidates_sql, error);
    if (status != ASSAY_OK)
        return status;
    counts->candidates_added = sqlite3_changes(a->base.db);
    counts->runs_known = count_rows(a, "run") - counts->runs_added;
    counts->candidates_known = count_rows(a, "candidate") - counts->candidates_added;
    return ASSAY_OK;
}

static assay_status attach(archive *a, const char *path, assay_error *error)
{
    char relative[4100];
    sqlite3_stmt *s = NULL;
    snprintf(relative, sizeof relative, "%s%s", path[0] == '/' ? "" : "./", path);
    assay_status status = db_prepare(&a->base, "ATTACH DATABASE ? AS other", &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, relative);
    return db_finish(&a->base, s, error);
}

/* The other file is opened once by itself, so that a file that is no archive is refused by its name. */
static assay_status check_other(const archive *a, const char *path, assay_error *error)
{
    archive *other = NULL;
    char own[4096], theirs[4096];
    const assay_status status = archive_open(path, ARCHIVE_READ, &other, error);
    archive_close(other);
    if (status == ASSAY_OK && realpath(a->base.path, own) && realpath(path, theirs) &&
        strcmp(own, theirs) == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s would be merged with itself", path);
    return status;
}

assay_status archive_merge(archive *a, const char *path, archive_merge_counts *counts, assay_error *error)
{
    *counts = (archive_merge_counts){0};
    assay_status status = check_other(a, path, error);
    if (status == ASSAY_OK)
        status = attach(a, path, error);
    if (status != ASSAY_OK)
        return status;
    status = db_exec(&a->base, "BEGIN IMMEDIATE", error);
    if (status == ASSAY_OK) {
        status = merge_attached(a, counts, error);
        if (status == ASSAY_OK)
            status = db_exec(&a->base, "COMMIT", error);
        if (status != ASSAY_OK)
            sqlite3_exec(a->base.db, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_exec(a->base.db, "DETACH DATABASE other", NULL, NULL, NULL);
    return status;
}

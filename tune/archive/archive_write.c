/* Writing an archive: runs and candidates, a transaction each. */
#include "tune/archive/database.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static assay_status make_uid(char uid[ARCHIVE_UID_BYTES], assay_error *error)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "the system gives no random numbers for a run's identifier");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(uid + 2 * i, 3, "%02x", bytes[i]);
    return ASSAY_OK;
}

assay_status archive_close_transaction(archive *a, assay_status status, assay_error *error)
{
    if (status == ASSAY_OK)
        status = db_exec(&a->base, "COMMIT", error);
    if (status != ASSAY_OK)
        sqlite3_exec(a->base.db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static assay_status put_problem(archive *a, const archive_problem *p, int64_t *id, assay_error *error)
{
    const char *const columns[] = {p->op, p->variant, p->dtype, p->size, p->dims, p->device, p->arch};
    static const char *const statements[] = {
        "INSERT OR IGNORE INTO problem (op, variant, dtype, size, dims, device, arch) VALUES (?, ?, ?, ?, ?, "
        "?, ?)",
        "SELECT id FROM problem WHERE op = ? AND variant = ? AND dtype = ? AND size = ? AND dims = ?"
        " AND device = ? AND arch = ?"};
    for (int k = 0; k < 2; k++) {
        sqlite3_stmt *s = NULL;
        assay_status status = db_prepare(&a->base, statements[k], &s, error);
        if (status != ASSAY_OK)
            return status;
        for (int i = 0; i < 7; i++)
            db_bind_text(s, i + 1, columns[i]);
        const int code = sqlite3_step(s);
        if (code == SQLITE_ROW)
            *id = sqlite3_column_int64(s, 0);
        status = code == (k ? SQLITE_ROW : SQLITE_DONE) ? ASSAY_OK : db_error(&a->base, "write", error);
        sqlite3_finalize(s);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

assay_status archive_insert_run(archive *a, archive_run *run, assay_error *error)
{
    int64_t problem = 0, space = 0;
    sqlite3_stmt *s = NULL;
    assay_status status = put_problem(a, &run->problem, &problem, error);
    if (status == ASSAY_OK)
        status = archive_put_text(a, run->space, &space, error);
    if (status == ASSAY_OK)
        status = db_prepare(&a->base,
                            "INSERT INTO run (uid, problem, strategy, seed, options, space, revision, host,"
                            " command, started, ended, end_reason, default_us)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, run->uid);
    sqlite3_bind_int64(s, 2, problem);
    db_bind_text(s, 3, run->strategy);
    sqlite3_bind_int64(s, 4, (sqlite3_int64)run->seed);
    db_bind_text(s, 5, run->options);
    sqlite3_bind_int64(s, 6, space);
    db_bind_text(s, 7, run->commit);
    db_bind_text(s, 8, run->host);
    db_bind_text(s, 9, run->command);
    sqlite3_bind_int64(s, 10, run->started);
    sqlite3_bind_int64(s, 11, run->ended);
    db_bind_text(s, 12, run->end);
    db_bind_number(s, 13, run->default_us);
    status = db_finish(&a->base, s, error);
    run->id = sqlite3_last_insert_rowid(a->base.db);
    return status;
}

assay_status archive_begin_run(archive *a, archive_run *run, assay_error *error)
{
    assay_status status = run->uid[0] ? ASSAY_OK : make_uid(run->uid, error);
    if (run->started == 0)
        run->started = now_ms() / 1000;
    if (status == ASSAY_OK)
        status = db_exec(&a->base, "BEGIN IMMEDIATE", error);
    return status == ASSAY_OK ? archive_close_transaction(a, archive_insert_run(a, run, error), error)
                              : status;
}

assay_status archive_set_default(archive *a, int64_t run_id, double default_us, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status = db_prepare(&a->base, "UPDATE run SET default_us = ? WHERE id = ?", &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_number(s, 1, default_us);
    sqlite3_bind_int64(s, 2, run_id);
    return db_finish(&a->base, s, error);
}

assay_status archive_end_run(archive *a, int64_t run_id, const char *end, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status =
        db_prepare(&a->base, "UPDATE run SET ended = ?, end_reason = ? WHERE id = ?", &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, now_ms() / 1000);
    db_bind_text(s, 2, end);
    sqlite3_bind_int64(s, 3, run_id);
    return db_finish(&a->base, s, error);
}

int archive_pack_identity(const char *hex, unsigned char out[32])
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(hex) != 64)
        return 0;
    for (int i = 0; i < 64; i++) {
        const char *digit = strchr(digits, hex[i]);
        if (digit == NULL)
            return 0;
        out[i / 2] = (unsigned char)(i % 2 ? out[i / 2] << 4 | (digit - digits) : digit - digits);
    }
    return 1;
}

static assay_status next_number(archive *a, int64_t run_id, int64_t *problem, int64_t *number,
                                assay_error *error)
{
    sqlite3_stmt *s = NULL;
    assay_status status = db_prepare(&a->base,
                                     "SELECT problem, (SELECT coalesce(max(number) + 1, 0) FROM "
                                     "candidate WHERE run = ?1) FROM run WHERE id = ?1",
                                     &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, run_id);
    if (sqlite3_step(s) == SQLITE_ROW) {
        *problem = sqlite3_column_int64(s, 0);
        *number = sqlite3_column_int64(s, 1);
    } else {
        status = assay_error_set(error, ASSAY_ERR_INVALID, "archive %s has no run number %lld", a->base.path,
                                 (long long)run_id);
    }
    sqlite3_finalize(s);
    return status;
}

static void bind_optional_id(sqlite3_stmt *s, int at, int64_t id)
{
    if (id)
        sqlite3_bind_int64(s, at, id);
    else
        sqlite3_bind_null(s, at);
}

static void bind_optional_text(sqlite3_stmt *s, int at, const char *text)
{
    if (text && text[0])
        db_bind_text(s, at, text);
    else
        sqlite3_bind_null(s, at);
}

typedef struct candidate_rows {
    int64_t run, problem, provider, source, report, verdict;
    float *samples; /* or NULL */
} candidate_rows;

static assay_status insert_candidate(archive *a, const archive_candidate *c, const candidate_rows *rows,
                                     assay_error *error)
{
    unsigned char identity[32];
    sqlite3_stmt *s = NULL;
    const assay_status status =
        db_prepare(&a->base,
                   "INSERT INTO candidate (run, number, problem, label, label_hash, identity, status, "
                   "reason, time_us, tflops,"
                   " speedup, samples, provider, parent, recorded, compile_s, verify_s, bench_s, "
                   "source, report, verdict)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, rows->run);
    sqlite3_bind_int64(s, 2, c->number);
    sqlite3_bind_int64(s, 3, rows->problem);
    db_bind_text(s, 4, c->values);
    sqlite3_bind_int64(s, 5, archive_hash_text(c->values));
    if (archive_pack_identity(c->identity, identity))
        sqlite3_bind_blob(s, 6, identity, sizeof identity, SQLITE_STATIC);
    sqlite3_bind_int(s, 7, (int)c->status);
    bind_optional_text(s, 8, c->reason);
    db_bind_number(s, 9, c->time_us);
    db_bind_number(s, 10, c->tflops);
    db_bind_number(s, 11, c->speedup);
    if (rows->samples)
        sqlite3_bind_blob(s, 12, rows->samples, (int)((size_t)c->sample_count * sizeof(float)),
                          SQLITE_STATIC);
    sqlite3_bind_int64(s, 13, rows->provider);
    bind_optional_text(s, 14, c->parent);
    sqlite3_bind_int64(s, 15, c->recorded_ms);
    db_bind_number(s, 16, c->compile_s);
    db_bind_number(s, 17, c->verify_s);
    db_bind_number(s, 18, c->bench_s);
    bind_optional_id(s, 19, rows->source);
    bind_optional_id(s, 20, rows->report);
    bind_optional_id(s, 21, rows->verdict);
    return db_finish(&a->base, s, error);
}

static assay_status record(archive *a, int64_t run_id, archive_candidate *c, float *samples,
                           assay_error *error)
{
    candidate_rows rows = {.run = run_id, .samples = samples};
    assay_status status = next_number(a, run_id, &rows.problem, &c->number, error);
    if (status == ASSAY_OK)
        status = archive_put_word(a, c->provider, &rows.provider, error);
    if (status == ASSAY_OK)
        status = archive_put_text(a, c->source, &rows.source, error);
    if (status == ASSAY_OK)
        status = archive_put_text(a, c->compile_report, &rows.report, error);
    if (status == ASSAY_OK)
        status = archive_put_text(a, c->verdict, &rows.verdict, error);
    return status == ASSAY_OK ? insert_candidate(a, c, &rows, error) : status;
}

assay_status archive_record_within(archive *a, int64_t run_id, archive_candidate *c, assay_error *error)
{
    float *samples = c->sample_count > 0 ? malloc((size_t)c->sample_count * sizeof *samples) : NULL;
    if (c->sample_count > 0 && samples == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for samples");
    for (int i = 0; i < c->sample_count; i++)
        samples[i] = (float)c->samples[i];
    if (c->recorded_ms == 0)
        c->recorded_ms = now_ms();
    const assay_status status = record(a, run_id, c, samples, error);
    free(samples);
    return status;
}

assay_status archive_record(archive *a, int64_t run_id, archive_candidate *c, assay_error *error)
{
    const assay_status status = db_exec(&a->base, "BEGIN IMMEDIATE", error);
    return status == ASSAY_OK
               ? archive_close_transaction(a, archive_record_within(a, run_id, c, error), error)
               : status;
}

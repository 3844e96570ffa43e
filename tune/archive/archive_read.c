/* Reading an archive: runs to resume, candidates that are best, latest and all. */
#include "tune/archive/database.h"
#include "core/list.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_COLUMNS                                                                                  \
    " r.id, r.uid, p.op, p.variant, p.dtype, p.size, p.dims, p.device, p.arch, r.strategy, r.seed, " \
    "r.options,"                                                                                     \
    " r.space, r.revision, r.host, r.command, r.started, r.ended, r.end_reason, r.default_us"
enum { RUN_COLUMN_COUNT = 20 };
#define CANDIDATE_COLUMNS                                                                              \
    ", c.number, c.label, c.identity, c.status, c.reason, c.time_us, c.tflops, c.speedup, c.samples, " \
    "w.text,"                                                                                          \
    " c.parent, c.recorded, c.compile_s, c.verify_s, c.bench_s, c.source, c.report, c.verdict"
#define CANDIDATE_TABLES                                                                                     \
    " FROM candidate c JOIN run r ON r.id = c.run JOIN problem p ON p.id = c.problem JOIN word w ON w.id = " \
    "c.provider"

enum { SLOT_SPACE, SLOT_SOURCE, SLOT_REPORT, SLOT_VERDICT, SLOT_RUN };

static void read_run(archive *a, sqlite3_stmt *s, int with_texts, archive_run *run)
{
    *run = (archive_run){.id = sqlite3_column_int64(s, 0)};
    snprintf(run->uid, sizeof run->uid, "%s", db_text(s, 1));
    run->problem = (archive_problem){db_text(s, 2), db_text(s, 3), db_text(s, 4), db_text(s, 5),
                                     db_text(s, 6), db_text(s, 7), db_text(s, 8)};
    run->strategy = db_text(s, 9);
    run->seed = (uint64_t)sqlite3_column_int64(s, 10);
    run->options = db_text(s, 11);
    run->space = with_texts ? archive_get_text(a, sqlite3_column_int64(s, 12), SLOT_SPACE) : "";
    run->commit = db_text(s, 13);
    run->host = db_text(s, 14);
    run->command = db_text(s, 15);
    run->started = sqlite3_column_int64(s, 16);
    run->ended = sqlite3_column_int64(s, 17);
    run->end = db_text(s, 18);
    run->default_us = db_number(s, 19);
}

static assay_status read_samples(archive *a, sqlite3_stmt *s, int column, archive_candidate *c,
                                 assay_error *error)
{
    const int count = sqlite3_column_bytes(s, column) / (int)sizeof(float);
    const void *packed = sqlite3_column_blob(s, column);
    if (count == 0)
        return ASSAY_OK;
    double *grown = realloc(a->samples, (size_t)count * sizeof *grown);
    if (grown == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for samples");
    a->samples = grown;
    for (int i = 0; i < count; i++) {
        float sample;
        memcpy(&sample, (const char *)packed + (size_t)i * sizeof sample, sizeof sample);
        grown[i] = sample;
    }
    c->samples = grown;
    c->sample_count = count;
    return ASSAY_OK;
}

static assay_status read_candidate(archive *a, sqlite3_stmt *s, int with_texts, archive_candidate *c,
                                   assay_error *error)
{
    const int at = RUN_COLUMN_COUNT;
    const unsigned char *identity = sqlite3_column_blob(s, at + 2);
    *c = (archive_candidate){.number = sqlite3_column_int64(s, at), .values = db_text(s, at + 1)};
    snprintf(c->run_uid, sizeof c->run_uid, "%s", db_text(s, 1));
    for (int i = 0; identity && i < 32 && i < sqlite3_column_bytes(s, at + 2); i++)
        snprintf(c->identity + 2 * i, 3, "%02x", identity[i]);
    c->status = (evaluation_status)sqlite3_column_int(s, at + 3);
    c->reason = db_text(s, at + 4);
    c->time_us = db_number(s, at + 5);
    c->tflops = db_number(s, at + 6);
    c->speedup = db_number(s, at + 7);
    c->provider = db_text(s, at + 9);
    c->parent = db_text(s, at + 10);
    c->recorded_ms = sqlite3_column_int64(s, at + 11);
    c->compile_s = db_number(s, at + 12);
    c->verify_s = db_number(s, at + 13);
    c->bench_s = db_number(s, at + 14);
    c->source = with_texts ? archive_get_text(a, sqlite3_column_int64(s, at + 15), SLOT_SOURCE) : "";
    c->compile_report = with_texts ? archive_get_text(a, sqlite3_column_int64(s, at + 16), SLOT_REPORT) : "";
    c->verdict = with_texts ? archive_get_text(a, sqlite3_column_int64(s, at + 17), SLOT_VERDICT) : "";
    return read_samples(a, s, at + 8, c, error);
}

/* Give every row to `each` and finalize. */
static assay_status give_rows(archive *a, sqlite3_stmt *s, int with_texts, archive_each each, void *context,
                              assay_error *error)
{
    assay_status status = ASSAY_OK;
    int code = SQLITE_DONE;
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        archive_run run;
        archive_candidate c;
        read_run(a, s, with_texts, &run);
        status = read_candidate(a, s, with_texts, &c, error);
        if (status == ASSAY_OK)
            status = each(context, &run, &c, error);
    }
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(&a->base, "read", error);
    sqlite3_finalize(s);
    return status;
}

/* The texts of *out are the archive's: copied out of the row, since the statement ends here. */
static assay_status keep_run(archive *a, archive_run *run, assay_error *error)
{
    const char **texts[] = {
        &run->problem.op,   &run->problem.variant, &run->problem.dtype, &run->problem.size,
        &run->problem.dims, &run->problem.device,  &run->problem.arch,  &run->strategy,
        &run->options,      &run->commit,          &run->host,          &run->command,
        &run->end};
    size_t bytes = 0, used = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        bytes += strlen(*texts[i]) + 1;
    char *grown = realloc(a->texts[SLOT_RUN], bytes);
    if (grown == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a run's texts");
    a->texts[SLOT_RUN] = grown;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t length = strlen(*texts[i]) + 1;
        memcpy(grown + used, *texts[i], length);
        *texts[i] = grown + used;
        used += length;
    }
    return ASSAY_OK;
}

assay_status archive_find_run(archive *a, const archive_run *like, archive_run *out, int *found,
                              assay_error *error)
{
    const archive_problem *p = &like->problem;
    const char *const texts[] = {p->op,   p->variant, p->dtype, p->size,
                                 p->dims, p->device,  p->arch,  like->strategy};
    sqlite3_stmt *s = NULL;
    *found = 0;
    assay_status status = db_prepare(
        &a->base,
        "SELECT" RUN_COLUMNS " FROM run r JOIN problem p ON p.id = r.problem"
        " WHERE p.op = ? AND p.variant = ? AND p.dtype = ? AND p.size = ? AND p.dims = ? AND p.device = ?"
        " AND p.arch = ? AND r.strategy = ? AND r.seed = ? AND r.ended = 0 ORDER BY r.started DESC, r.id "
        "DESC",
        &s, error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; i < 8; i++)
        db_bind_text(s, i + 1, texts[i]);
    sqlite3_bind_int64(s, 9, (sqlite3_int64)like->seed);
    int code = SQLITE_DONE;
    while (!*found && (code = sqlite3_step(s)) == SQLITE_ROW) {
        read_run(a, s, 1, out);
        *found = strcmp(out->space, like->space ? like->space : "") == 0;
    }
    if (*found)
        status = keep_run(a, out, error);
    else if (code != SQLITE_DONE)
        status = db_error(&a->base, "read", error);
    sqlite3_finalize(s);
    return status;
}

assay_status archive_replay(archive *a, int64_t run_id, archive_each each, void *context, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status = db_prepare(&a->base,
                                           "SELECT" RUN_COLUMNS CANDIDATE_COLUMNS CANDIDATE_TABLES
                                           " WHERE c.run = ? ORDER BY c.number",
                                           &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, run_id);
    return give_rows(a, s, 1, each, context, error);
}

/* ---- filters ---- */

/* The rows of the problems that a filter selects, in order. *ids is malloc'ed. */
static assay_status select_problems(archive *a, const archive_filter *f, int64_t **ids, int *count,
                                    assay_error *error)
{
    static const archive_filter all;
    sqlite3_stmt *s = NULL;
    *ids = NULL;
    *count = 0;
    if (f == NULL)
        f = &all;
    assay_status status = db_prepare(
        &a->base,
        "SELECT id, op, variant, dtype, size, dims, device FROM problem ORDER BY op, variant, dtype, id", &s,
        error);
    int code = SQLITE_DONE;
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        if (!list_selects(f->op, db_text(s, 1)) || !list_selects_variant(f->variant, db_text(s, 2)) ||
            !list_selects(f->dtype, db_text(s, 3)) || !list_selects(f->size, db_text(s, 4)) ||
            (f->dims && f->dims[0] && strcmp(f->dims, db_text(s, 5)) != 0) ||
            !list_selects(f->device, db_text(s, 6)))
            continue;
        int64_t *grown = realloc(*ids, (size_t)(*count + 1) * sizeof *grown);
        if (grown == NULL) {
            status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the archive's problems");
            break;
        }
        *ids = grown;
        (*ids)[(*count)++] = sqlite3_column_int64(s, 0);
    }
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(&a->base, "read", error);
    sqlite3_finalize(s);
    return status;
}

/* Rows of a newer measurement of the same values hide older ones. */
static assay_status best_of_problem(archive *a, const archive_filter *f, int64_t problem, int limit,
                                    archive_each each, void *context, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    const assay_status status = db_prepare(
        &a->base,
        "SELECT" RUN_COLUMNS CANDIDATE_COLUMNS CANDIDATE_TABLES
        " WHERE c.problem = ?1 AND c.status = 0 AND c.recorded >= ?2 AND (?3 = '' OR r.uid LIKE ?3 || '%')"
        " AND NOT EXISTS (SELECT 1 FROM candidate n WHERE n.problem = ?1 AND n.label_hash = c.label_hash"
        " AND n.status = 0 AND (n.recorded > c.recorded OR (n.recorded = c.recorded AND n.id > c.id))"
        " AND n.label = c.label) ORDER BY c.time_us LIMIT ?4",
        &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, problem);
    sqlite3_bind_int64(s, 2, f ? f->since_ms : 0);
    db_bind_text(s, 3, f ? f->run : "");
    sqlite3_bind_int(s, 4, limit > 0 ? limit : -1);
    return give_rows(a, s, limit > 0 && limit <= 1000, each, context, error);
}

assay_status archive_best(archive *a, const archive_filter *filter, int limit, archive_each each,
                          void *context, assay_error *error)
{
    int64_t *ids = NULL;
    int count = 0;
    assay_status status = select_problems(a, filter, &ids, &count, error);
    for (int i = 0; status == ASSAY_OK && i < count; i++)
        status = best_of_problem(a, filter, ids[i], limit, each, context, error);
    free(ids);
    return status;
}

/* ... c.problem IN (1, 2) AND ... The numbers are ours, so that they may stand in the text. */
static char *filtered_sql(const int64_t *ids, int count, const char *tail)
{
    static const char head[] =
        "SELECT" RUN_COLUMNS CANDIDATE_COLUMNS CANDIDATE_TABLES
        " WHERE c.recorded >= ?1 AND (?2 = '' OR r.uid LIKE ?2 || '%') AND c.problem IN (";
    const size_t bytes = sizeof head + (size_t)count * 24 + strlen(tail) + 8;
    char *sql = malloc(bytes);
    if (sql == NULL)
        return NULL;
    size_t used = (size_t)snprintf(sql, bytes, "%s", head);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(sql + used, bytes - used, "%s%lld", i ? "," : "", (long long)ids[i]);
    snprintf(sql + used, bytes - used, ")%s", tail);
    return sql;
}

static assay_status give_filtered(archive *a, const archive_filter *f, const char *tail, int limit,
                                  int with_texts, archive_each each, void *context, assay_error *error)
{
    int64_t *ids = NULL;
    int count = 0;
    sqlite3_stmt *s = NULL;
    assay_status status = select_problems(a, f, &ids, &count, error);
    char *sql = status == ASSAY_OK ? filtered_sql(ids, count, tail) : NULL;
    free(ids);
    if (status != ASSAY_OK)
        return status;
    if (sql == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a query of the archive");
    status = db_prepare(&a->base, sql, &s, error);
    free(sql);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, f ? f->since_ms : 0);
    db_bind_text(s, 2, f ? f->run : "");
    sqlite3_bind_int(s, 3, limit > 0 ? limit : -1);
    return give_rows(a, s, with_texts, each, context, error);
}

assay_status archive_history(archive *a, const archive_filter *filter, int limit, archive_each each,
                             void *context, assay_error *error)
{
    return give_filtered(a, filter, " ORDER BY c.recorded DESC, c.id DESC LIMIT ?3", limit,
                         limit > 0 && limit <= 1000, each, context, error);
}

assay_status archive_walk(archive *a, const archive_filter *filter, archive_each each, void *context,
                          assay_error *error)
{
    return give_filtered(a, filter, " ORDER BY c.recorded, c.id LIMIT ?3", 0, 0, each, context, error);
}

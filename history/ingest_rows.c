/* Rows of one result: see ingest_rows.h. */
#include "history/ingest_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum statement {
    PUT_CARD,
    GET_CARD,
    PUT_REVISION,
    GET_REVISION,
    PUT_CASE,
    GET_CASE,
    PUT_RESULT,
    GET_RESULT,
    PUT_TIMING,
    PUT_FACT,
    COMPLETE_RESULT,
    STATEMENTS
};

static const char *const statements[STATEMENTS] = {
    [PUT_CARD] = "INSERT INTO card (slug, uuid, driver, runtime, device_kind, name, sm_count, compute)"
                 " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
    [GET_CARD] = "SELECT id FROM card WHERE slug = ?1 AND uuid = ?2 AND driver = ?3 AND runtime = ?4",
    [PUT_REVISION] = "INSERT INTO revision (hash, first_run) VALUES (?1, ?2)"
                     " ON CONFLICT (hash) DO UPDATE SET first_run = min(first_run, excluded.first_run)",
    [GET_REVISION] = "SELECT id FROM revision WHERE hash = ?1",
    [PUT_CASE] =
        "INSERT INTO test_case (op, variant, dtype, size, kind, math_mode, distribution, dims, params)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
    [GET_CASE] =
        "SELECT id FROM test_case WHERE op = ?1 AND variant = ?2 AND dtype = ?3 AND size = ?4 AND kind = ?5"
        " AND math_mode = ?6 AND distribution = ?7 AND dims = ?8 AND params = ?9",
    [PUT_RESULT] =
        "INSERT INTO result (case_id, card_id, revision_id, time, identity, dirty, status, reason, verdict,"
        " output_check, kernel_hash, method, method_identity, flops, bytes, ingested, sample_count, samples,"
        " document)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
        " ON CONFLICT DO NOTHING",
    [GET_RESULT] =
        "SELECT id FROM result WHERE case_id = ?1 AND card_id = ?2 AND revision_id = ?3 AND time = ?4"
        " AND identity = ?5",
    [PUT_TIMING] =
        "INSERT OR REPLACE INTO timing (result_id, mode, method_version, overhead_us, mean_us, median_us,"
        " min_us, p95_us, stddev_us, low_us, high_us, gbs, tflops, percent_of_roofline, above_roofline,"
        " samples, repetitions, repeated)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    [PUT_FACT] = "INSERT OR REPLACE INTO fact (result_id, key, number, text) VALUES (?1, ?2, ?3, ?4)",
    [COMPLETE_RESULT] = "UPDATE result SET document = ?2, sample_count = ?3, samples = ?4 WHERE id = ?1"
                        " AND sample_count < ?3",
};

struct ingest_writer {
    history *h;
    sqlite3_stmt *statement[STATEMENTS];
};

/* ---- a record ------------------------------------------------------------------------------------------ */

static int count_samples(const result *r)
{
    int count = 0;
    for (int mode = 0; mode < TIMING_MODES; mode++)
        for (int i = 0; result_has(r, (timing_mode)mode) && i < r->times[mode].repetition_count; i++) {
            const result_repetition *repetition = &r->times[mode].repetitions[i];
            count += repetition->samples_us ? repetition->sample_count : 0;
        }
    return count;
}

static assay_status pack_result(const result *r, ingest_record *out, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    assay_status status = result_write_text(r, RESULT_LOAD_SUMMARY, &text, &bytes, error);
    if (status == ASSAY_OK)
        status = pack_text(text, bytes, &out->document, error);
    if (status == ASSAY_OK)
        status = pack_samples(r, &out->samples, error);
    free(text);
    return status;
}

assay_status ingest_record_make(result *r, ingest_record *out, assay_error *error)
{
    *out = (ingest_record){.r = r, .sample_count = count_samples(r)};
    assay_status status = pack_result(r, out, error);
    if (status == ASSAY_OK)
        status = result_method_text(&r->method, &out->method, error);
    if (status == ASSAY_OK)
        status = identity_of(r, TIMING_MODES, &out->identity, error);
    out->dims = result_dims_text(&r->problem);
    out->params = result_params_text(&r->problem);
    if (status == ASSAY_OK && (!out->dims || !out->params))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    return status;
}

void ingest_record_release(ingest_record *record)
{
    result_free(record->r);
    pack_release(&record->document);
    pack_release(&record->samples);
    free(record->dims);
    free(record->params);
    free(record->method);
    identity_release(&record->identity);
    *record = (ingest_record){0};
}

/* ---- statements ---------------------------------------------------------------------------------------- */

assay_status ingest_writer_open(history *h, ingest_writer **out, assay_error *error)
{
    ingest_writer *w = calloc(1, sizeof *w);
    assay_status status =
        w ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for writing the history");
    if (w)
        w->h = h;
    for (int i = 0; status == ASSAY_OK && i < STATEMENTS; i++)
        status = db_prepare(&h->base, statements[i], &w->statement[i], error);
    if (status != ASSAY_OK) {
        ingest_writer_close(w);
        w = NULL;
    }
    *out = w;
    return status;
}

void ingest_writer_close(ingest_writer *w)
{
    for (int i = 0; w && i < STATEMENTS; i++)
        sqlite3_finalize(w->statement[i]);
    free(w);
}

/* Step a writing statement and make it ready for its next use. */
static assay_status step(ingest_writer *w, enum statement which, assay_error *error)
{
    const int code = sqlite3_step(w->statement[which]);
    const assay_status status = code == SQLITE_DONE ? ASSAY_OK : db_error(&w->h->base, "write", error);
    sqlite3_reset(w->statement[which]);
    return status;
}

/* Insert unless it is there, and answer its id. Both statements have the same first parameters. */
static assay_status put_and_get(ingest_writer *w, enum statement put, enum statement get,
                                const char *const *keys, int key_count, int64_t *id, assay_error *error)
{
    for (int i = 0; i < key_count; i++) {
        db_bind_text(w->statement[put], i + 1, keys[i]);
        db_bind_text(w->statement[get], i + 1, keys[i]);
    }
    const assay_status status = step(w, put, error);
    if (status != ASSAY_OK)
        return status;
    const int found = sqlite3_step(w->statement[get]) == SQLITE_ROW;
    *id = found ? sqlite3_column_int64(w->statement[get], 0) : 0;
    const assay_status read = found ? ASSAY_OK : db_error(&w->h->base, "read back", error);
    sqlite3_reset(w->statement[get]);
    return read;
}

static assay_status put_card(ingest_writer *w, const result_device *device, int64_t *id, assay_error *error)
{
    const char *const keys[] = {device->slug, device->uuid, device->driver, device->runtime};
    char compute[24] = "";
    if (device->compute_major > 0)
        snprintf(compute, sizeof compute, "%d.%d", device->compute_major, device->compute_minor);
    db_bind_text(w->statement[PUT_CARD], 5, device->kind);
    db_bind_text(w->statement[PUT_CARD], 6, device->name);
    sqlite3_bind_int(w->statement[PUT_CARD], 7, device->sm_count);
    db_bind_text(w->statement[PUT_CARD], 8, compute);
    return put_and_get(w, PUT_CARD, GET_CARD, keys, 4, id, error);
}

static assay_status put_revision(ingest_writer *w, const result *r, int64_t *id, assay_error *error)
{
    const char *const key = r->commit[0] ? r->commit : "unknown";
    sqlite3_bind_int64(w->statement[PUT_REVISION], 2, r->time);
    return put_and_get(w, PUT_REVISION, GET_REVISION, &key, 1, id, error);
}

static assay_status put_case(ingest_writer *w, const ingest_record *record, int64_t *id, assay_error *error)
{
    const result *r = record->r;
    char name[ASSAY_NAME_MAX + 16];
    result_full_name(&r->id, name, sizeof name);
    const char *const keys[] = {r->id.op,
                                name,
                                assay_dtype_name(r->id.dtype),
                                r->id.size,
                                result_kind_name(r->id.kind),
                                r->math_mode,
                                r->problem.distribution,
                                record->dims,
                                record->params};
    return put_and_get(w, PUT_CASE, GET_CASE, keys, 9, id, error);
}

/* ---- the result ---------------------------------------------------------------------------------------- */

static void bind_ids(sqlite3_stmt *s, const int64_t ids[3], int64_t time, const char *identity)
{
    for (int i = 0; i < 3; i++)
        sqlite3_bind_int64(s, i + 1, ids[i]);
    sqlite3_bind_int64(s, 4, time);
    db_bind_text(s, 5, identity);
}

/* One case is measured once in a second, so its time nearly names a run; the rest tells runs of several
 * processes apart. */
static void name_identity(const result *r, char *out, size_t bytes)
{
    const result_times *cold = result_get(r, TIMING_COLD);
    snprintf(out, bytes, "%d %.16s %.6g", r->dirty, r->hashes.kernel, cold ? cold->mean_us : 0.0);
}

static void bind_bytes(sqlite3_stmt *s, int at, const pack_bytes *bytes)
{
    sqlite3_bind_blob(s, at, bytes->data, (int)bytes->size, SQLITE_STATIC);
}

static void bind_result(sqlite3_stmt *s, const ingest_record *record)
{
    const result *r = record->r;
    sqlite3_bind_int(s, 6, r->dirty);
    db_bind_text(s, 7, result_status_name(r->status));
    db_bind_text(s, 8, r->reason);
    db_bind_text(s, 9, r->verdict.status);
    db_bind_text(s, 10, r->output_check);
    db_bind_text(s, 11, r->hashes.kernel);
    db_bind_text(s, 12, record->method);
    db_bind_text(s, 13, record->identity.text[IDENTITY_METHOD]);
    db_bind_number(s, 14, r->flops);
    db_bind_number(s, 15, r->bytes);
    sqlite3_bind_int64(s, 16, (int64_t)time(NULL));
    sqlite3_bind_int(s, 17, record->sample_count);
    bind_bytes(s, 18, &record->samples);
    bind_bytes(s, 19, &record->document);
}

static assay_status put_result_row(ingest_writer *w, const ingest_record *record, const int64_t ids[3],
                                   int64_t *id, int *is_new, assay_error *error)
{
    char identity[64];
    name_identity(record->r, identity, sizeof identity);
    bind_ids(w->statement[PUT_RESULT], ids, record->r->time, identity);
    bind_ids(w->statement[GET_RESULT], ids, record->r->time, identity);
    bind_result(w->statement[PUT_RESULT], record);
    const int before = sqlite3_total_changes(w->h->base.db);
    const assay_status status = put_and_get(w, PUT_RESULT, GET_RESULT, NULL, 0, id, error);
    *is_new = sqlite3_total_changes(w->h->base.db) != before;
    return status;
}

static assay_status put_timing(ingest_writer *w, const result *r, timing_mode mode, int64_t id,
                               assay_error *error)
{
    const result_times *t = &r->times[mode];
    sqlite3_stmt *s = w->statement[PUT_TIMING];
    const double numbers[] = {r->overhead_us[mode],  t->mean_us, t->median_us, t->min_us, t->p95_us,
                              t->stddev_us,          t->low_us,  t->high_us,   t->gbs,    t->tflops,
                              t->percent_of_roofline};
    const int counts[] = {t->above_roofline, t->sample_count, t->repetition_count, t->repeated};
    sqlite3_bind_int64(s, 1, id);
    db_bind_text(s, 2, timing_mode_name(mode));
    sqlite3_bind_int(s, 3, t->method_version);
    for (int i = 0; i < 11; i++)
        db_bind_number(s, 4 + i, numbers[i]);
    for (int i = 0; i < 4; i++)
        sqlite3_bind_int(s, 15 + i, counts[i]);
    return step(w, PUT_TIMING, error);
}

static assay_status put_facts(ingest_writer *w, const char *group, const result_facts *facts, int64_t id,
                              assay_error *error)
{
    sqlite3_stmt *s = w->statement[PUT_FACT];
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < facts->count; i++) {
        char key[256];
        snprintf(key, sizeof key, "%s.%s", group, facts->facts[i].name);
        sqlite3_bind_int64(s, 1, id);
        db_bind_text(s, 2, key);
        db_bind_number(s, 3, facts->facts[i].number);
        db_bind_text(s, 4, facts->facts[i].text);
        status = step(w, PUT_FACT, error);
    }
    return status;
}

static assay_status complete(ingest_writer *w, const ingest_record *record, int64_t id,
                             ingest_outcome *outcome, assay_error *error)
{
    sqlite3_stmt *s = w->statement[COMPLETE_RESULT];
    sqlite3_bind_int64(s, 1, id);
    bind_bytes(s, 2, &record->document);
    sqlite3_bind_int(s, 3, record->sample_count);
    bind_bytes(s, 4, &record->samples);
    const assay_status status = step(w, COMPLETE_RESULT, error);
    *outcome = sqlite3_changes(w->h->base.db) > 0 ? INGEST_COMPLETED : INGEST_KNOWN;
    return status;
}

assay_status ingest_writer_put(ingest_writer *w, const ingest_record *record, ingest_outcome *outcome,
                               assay_error *error)
{
    const result *r = record->r;
    int64_t ids[3] = {0}, id = 0;
    int is_new = 0;
    assay_status status = put_case(w, record, &ids[0], error);
    if (status == ASSAY_OK)
        status = put_card(w, &r->device, &ids[1], error);
    if (status == ASSAY_OK)
        status = put_revision(w, r, &ids[2], error);
    if (status == ASSAY_OK)
        status = put_result_row(w, record, ids, &id, &is_new, error);
    if (status != ASSAY_OK)
        return status;
    *outcome = INGEST_ADDED;
    if (!is_new)
        return complete(w, record, id, outcome, error);
    for (int mode = 0; status == ASSAY_OK && mode < TIMING_MODES; mode++)
        if (result_has(r, (timing_mode)mode))
            status = put_timing(w, r, (timing_mode)mode, id, error);
    if (status == ASSAY_OK)
        status = put_facts(w, "resources", &r->resources, id, error);
    return status == ASSAY_OK ? put_facts(w, "counters", &r->counters, id, error) : status;
}

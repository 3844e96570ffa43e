/* Rows of one result: see ingest_rows.h. */
#include "history/ingest_rows.h"
#include "core/json_file.h"
#include "history/result_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    PUT_FIGURE,
    PUT_SAMPLE,
    PUT_STATIC,
    HAS_SAMPLE,
    RENEW_RESULT,
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
        " output_check, source_sha256, method, flops, bytes, floor_cold_us, floor_hot_us, ingested, document)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"
        " ON CONFLICT DO NOTHING",
    [GET_RESULT] =
        "SELECT id FROM result WHERE case_id = ?1 AND card_id = ?2 AND revision_id = ?3 AND time = ?4"
        " AND identity = ?5",
    [PUT_FIGURE] = "INSERT OR REPLACE INTO figure (result_id, name, mean_us, median_us, min_us, p95_us, "
                   "stddev_us, low_us,"
                   " high_us, gbs, tflops, percent_of_roof, above_roof, samples, repetitions, repeated)"
                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    [PUT_SAMPLE] = "INSERT OR REPLACE INTO sample (result_id, figure, data) VALUES (?1, ?2, ?3)",
    [PUT_STATIC] =
        "INSERT OR REPLACE INTO static_figure (result_id, key, number, text) VALUES (?1, ?2, ?3, ?4)",
    [HAS_SAMPLE] = "SELECT max(length(data)) FROM sample WHERE result_id = ?1",
    [RENEW_RESULT] = "UPDATE result SET document = ?2 WHERE id = ?1",
};

struct ingest_writer {
    history *h;
    sqlite3_stmt *statement[STATEMENTS];
};

assay_status ingest_record_make(json_t *assay, ingest_record *out, assay_error *error)
{
    const char *name;
    json_t *figure;
    assay_status status = ASSAY_OK;
    *out = (ingest_record){.assay = assay};
    json_object_foreach(json_object_get(assay, "figures"), name, figure)
    {
        if (status != ASSAY_OK || out->sample_count == INGEST_FIGURES)
            break;
        out->sample_figures[out->sample_count] = name;
        status = pack_samples(figure, &out->samples[out->sample_count], error);
        out->sample_count += out->samples[out->sample_count].data != NULL;
    }
    char *text = status == ASSAY_OK ? json_dumps(assay, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    if (text)
        status = pack_text(text, strlen(text), &out->document, error);
    else if (status == ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    free(text);
    return status;
}

void ingest_record_release(ingest_record *record)
{
    for (int i = 0; i < record->sample_count; i++)
        pack_release(&record->samples[i]);
    pack_release(&record->document);
    json_decref(record->assay);
    *record = (ingest_record){0};
}

assay_status ingest_writer_open(history *h, ingest_writer **out, assay_error *error)
{
    ingest_writer *w = calloc(1, sizeof *w);
    assay_status status =
        w ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for writing the history");
    if (w)
        w->h = h;
    for (int i = 0; status == ASSAY_OK && i < STATEMENTS; i++)
        status = db_prepare(h, statements[i], &w->statement[i], error);
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
    const assay_status status = code == SQLITE_DONE ? ASSAY_OK : db_error(w->h, "write", error);
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
    const assay_status read = found ? ASSAY_OK : db_error(w->h, "read back", error);
    sqlite3_reset(w->statement[get]);
    return read;
}

static assay_status put_card(ingest_writer *w, const json_t *assay, int64_t *id, assay_error *error)
{
    const json_t *device = json_object_get(assay, "device");
    sqlite3_stmt *put = w->statement[PUT_CARD];
    const char *const keys[] = {json_get_text(device, "slug", ""), json_get_text(device, "uuid", ""),
                                json_get_text(device, "driver", ""), json_get_text(device, "runtime", "")};
    db_bind_text(put, 5, json_get_text(device, "kind", ""));
    db_bind_text(put, 6, json_get_text(device, "name", ""));
    db_bind_number(put, 7, json_get_number(device, "sm_count", NAN));
    db_bind_text(put, 8, json_get_text(device, "compute", ""));
    return put_and_get(w, PUT_CARD, GET_CARD, keys, 4, id, error);
}

static assay_status put_revision(ingest_writer *w, const json_t *assay, int64_t *id, assay_error *error)
{
    const char *const keys[] = {json_get_text(json_object_get(assay, "git"), "commit", "unknown")};
    sqlite3_bind_int64(w->statement[PUT_REVISION], 2, result_time(json_get_text(assay, "time", "")));
    return put_and_get(w, PUT_REVISION, GET_REVISION, keys, 1, id, error);
}

static assay_status put_case(ingest_writer *w, const json_t *assay, int64_t *id, assay_error *error)
{
    char *dims = result_canonical(json_object_get(assay, "dims"));
    char *params = result_canonical(json_object_get(assay, "params"));
    const char *const keys[] = {json_get_text(assay, "op", ""),
                                json_get_text(assay, "variant", ""),
                                json_get_text(assay, "dtype", ""),
                                json_get_text(assay, "size", ""),
                                json_get_text(assay, "kind", ""),
                                json_get_text(assay, "math_mode", ""),
                                json_get_text(json_object_get(assay, "inputs"), "distribution", ""),
                                dims,
                                params};
    const assay_status status = dims && params
                                    ? put_and_get(w, PUT_CASE, GET_CASE, keys, 9, id, error)
                                    : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a case");
    free(dims);
    free(params);
    return status;
}

/* How it was measured, without the neighbours it took turns with: those change whenever a variant is added. */
static char *method_text(const json_t *assay)
{
    json_t *method = json_copy(json_object_get(assay, "method"));
    json_object_del(method, "interleaved_with");
    char *text = result_canonical(method);
    json_decref(method);
    return text;
}

static void bind_ids(sqlite3_stmt *s, const int64_t ids[3], int64_t time, const char *identity)
{
    for (int i = 0; i < 3; i++)
        sqlite3_bind_int64(s, i + 1, ids[i]);
    sqlite3_bind_int64(s, 4, time);
    db_bind_text(s, 5, identity);
}

/* One case is measured once in a second, so its time nearly names a run; the rest tells runs of several processes apart. */
static void name_identity(const json_t *assay, char *out, size_t bytes)
{
    const json_t *cold = json_object_get(json_object_get(assay, "figures"), "cold");
    snprintf(out, bytes, "%d %.16s %.6g",
             json_is_true(json_object_get(json_object_get(assay, "git"), "dirty")),
             json_get_text(assay, "source_sha256", ""), json_get_number(cold, "mean_us", 0));
}

static void bind_result(sqlite3_stmt *s, const ingest_record *record, const char *method)
{
    const json_t *assay = record->assay, *floor = json_object_get(assay, "floor_us");
    sqlite3_bind_int(s, 6, json_is_true(json_object_get(json_object_get(assay, "git"), "dirty")));
    db_bind_text(s, 7, json_get_text(assay, "status", ""));
    db_bind_text(s, 8, json_get_text(assay, "reason", ""));
    db_bind_text(s, 9, json_get_text(json_object_get(assay, "verdict"), "status", ""));
    db_bind_text(s, 10, json_get_text(assay, "output_check", ""));
    db_bind_text(s, 11, json_get_text(assay, "source_sha256", ""));
    db_bind_text(s, 12, method);
    db_bind_number(s, 13, json_get_number(assay, "flops", NAN));
    db_bind_number(s, 14, json_get_number(assay, "bytes", NAN));
    db_bind_number(s, 15, json_get_number(floor, "cold", NAN));
    db_bind_number(s, 16, json_get_number(floor, "hot", NAN));
    sqlite3_bind_int64(s, 17, (int64_t)time(NULL));
    sqlite3_bind_blob(s, 18, record->document.data, (int)record->document.size, SQLITE_STATIC);
}

static assay_status put_result_row(ingest_writer *w, const ingest_record *record, const int64_t ids[3],
                                   int64_t *id, int *is_new, assay_error *error)
{
    char identity[64];
    char *method = method_text(record->assay);
    if (!method)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    const int64_t when = result_time(json_get_text(record->assay, "time", ""));
    name_identity(record->assay, identity, sizeof identity);
    bind_ids(w->statement[PUT_RESULT], ids, when, identity);
    bind_ids(w->statement[GET_RESULT], ids, when, identity);
    bind_result(w->statement[PUT_RESULT], record, method);
    const int before = sqlite3_total_changes(w->h->db);
    const assay_status status = put_and_get(w, PUT_RESULT, GET_RESULT, NULL, 0, id, error);
    *is_new = sqlite3_total_changes(w->h->db) != before;
    free(method);
    return status;
}

static assay_status put_figures(ingest_writer *w, const json_t *assay, int64_t id, assay_error *error)
{
    static const char *const keys[] = {"mean_us", "median_us", "min_us", "p95_us", "stddev_us"};
    static const char *const rates[] = {"gbs", "tflops", "percent_of_roof"};
    sqlite3_stmt *s = w->statement[PUT_FIGURE];
    const char *name;
    json_t *figure;
    json_object_foreach(json_object_get(assay, "figures"), name, figure)
    {
        const json_t *interval = json_object_get(figure, "ci95_us");
        sqlite3_bind_int64(s, 1, id);
        db_bind_text(s, 2, name);
        for (int i = 0; i < 5; i++)
            db_bind_number(s, 3 + i, json_get_number(figure, keys[i], NAN));
        for (size_t i = 0; i < 2; i++) {
            const json_t *end = json_array_get(interval, i);
            db_bind_number(s, 8 + (int)i, json_is_number(end) ? json_number_value(end) : NAN);
        }
        for (int i = 0; i < 3; i++)
            db_bind_number(s, 10 + i, json_get_number(figure, rates[i], NAN));
        sqlite3_bind_int(s, 13, json_is_true(json_object_get(figure, "above_roof")));
        sqlite3_bind_int(s, 14, (int)json_get_number(figure, "samples", 0));
        sqlite3_bind_int(s, 15, (int)json_array_size(json_object_get(figure, "repetitions")));
        sqlite3_bind_int(s, 16, (int)json_get_number(figure, "repeated", 0));
        const assay_status status = step(w, PUT_FIGURE, error);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

static assay_status put_samples(ingest_writer *w, const ingest_record *record, int64_t id, assay_error *error)
{
    sqlite3_stmt *s = w->statement[PUT_SAMPLE];
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < record->sample_count; i++) {
        sqlite3_bind_int64(s, 1, id);
        db_bind_text(s, 2, record->sample_figures[i]);
        sqlite3_bind_blob(s, 3, record->samples[i].data, (int)record->samples[i].size, SQLITE_STATIC);
        status = step(w, PUT_SAMPLE, error);
    }
    return status;
}

/* Numbers, booleans and texts below `value`, each under its dotted path; arrays are counted by position. */
static assay_status put_static(ingest_writer *w, const char *path, const json_t *value, int64_t id,
                               assay_error *error)
{
    char below[256];
    const char *key;
    json_t *item;
    size_t i;
    assay_status status = ASSAY_OK;
    json_object_foreach((json_t *)value, key, item)
    {
        snprintf(below, sizeof below, "%s.%s", path, key);
        if (status == ASSAY_OK)
            status = put_static(w, below, item, id, error);
    }
    json_array_foreach(value, i, item)
    {
        snprintf(below, sizeof below, "%s.%zu", path, i);
        if (status == ASSAY_OK)
            status = put_static(w, below, item, id, error);
    }
    if (status != ASSAY_OK || json_is_null(value) || json_is_object(value) || json_is_array(value))
        return status;
    sqlite3_stmt *s = w->statement[PUT_STATIC];
    sqlite3_bind_int64(s, 1, id);
    db_bind_text(s, 2, path);
    db_bind_number(s, 3,
                   json_is_number(value)    ? json_number_value(value)
                   : json_is_boolean(value) ? json_is_true(value)
                                            : NAN);
    db_bind_text(s, 4, json_is_string(value) ? json_string_value(value) : "");
    return step(w, PUT_STATIC, error);
}

static size_t sample_bytes_there(ingest_writer *w, int64_t id)
{
    sqlite3_stmt *s = w->statement[HAS_SAMPLE];
    sqlite3_bind_int64(s, 1, id);
    const size_t bytes = sqlite3_step(s) == SQLITE_ROW ? (size_t)sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return bytes;
}

static size_t sample_bytes_here(const ingest_record *record)
{
    size_t most = 0;
    for (int i = 0; i < record->sample_count; i++)
        most = record->samples[i].size > most ? record->samples[i].size : most;
    return most;
}

/* All samples take more room than the quantiles that an export keeps of them. */
static assay_status complete(ingest_writer *w, const ingest_record *record, int64_t id,
                             ingest_outcome *outcome, assay_error *error)
{
    *outcome = INGEST_KNOWN;
    if (sample_bytes_here(record) <= sample_bytes_there(w, id))
        return ASSAY_OK;
    *outcome = INGEST_COMPLETED;
    sqlite3_stmt *s = w->statement[RENEW_RESULT];
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_blob(s, 2, record->document.data, (int)record->document.size, SQLITE_STATIC);
    const assay_status status = step(w, RENEW_RESULT, error);
    return status == ASSAY_OK ? put_samples(w, record, id, error) : status;
}

assay_status ingest_writer_put(ingest_writer *w, const ingest_record *record, ingest_outcome *outcome,
                               assay_error *error)
{
    int64_t ids[3] = {0}, id = 0;
    int is_new = 0;
    assay_status status = put_case(w, record->assay, &ids[0], error);
    if (status == ASSAY_OK)
        status = put_card(w, record->assay, &ids[1], error);
    if (status == ASSAY_OK)
        status = put_revision(w, record->assay, &ids[2], error);
    if (status == ASSAY_OK)
        status = put_result_row(w, record, ids, &id, &is_new, error);
    if (status != ASSAY_OK)
        return status;
    *outcome = INGEST_ADDED;
    if (!is_new)
        return complete(w, record, id, outcome, error);
    status = put_figures(w, record->assay, id, error);
    if (status == ASSAY_OK)
        status = put_samples(w, record, id, error);
    static const char *const groups[] = {"resources", "static"};
    for (int i = 0; status == ASSAY_OK && i < 2; i++) {
        const json_t *group = json_object_get(record->assay, groups[i]);
        if (json_is_object(group))
            status = put_static(w, groups[i], group, id, error);
    }
    return status;
}

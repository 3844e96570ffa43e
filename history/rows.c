/* Walking the rows of the history: timing modes of results, whole results, revisions, cards, facts. Reads
 * only. */
#include "history/database.h"
#include "history/pack.h"
#include <stdio.h>
#include <stdlib.h>

#define JOINED                                                                            \
    " FROM result r JOIN test_case c ON c.id = r.case_id JOIN card d ON d.id = r.card_id" \
    " JOIN revision v ON v.id = r.revision_id"
/* Where git could not tell a commit's time, its first run stands for it. */
#define HISTORY_ORDER "coalesce(v.time, v.first_run)"

static const char row_columns[] =
    "SELECT r.id, r.case_id, r.card_id, r.revision_id, c.op, c.variant, c.dtype, c.size, c.kind, c.math_mode,"
    " c.distribution, c.dims, c.params, d.device_kind, d.name, d.slug, d.uuid, d.driver, d.runtime, v.hash,"
    " v.subject, v.time, r.dirty, r.time, r.status, r.reason, r.verdict, r.output_check, r.kernel_hash,"
    " r.method, f.mode, r.flops, r.bytes, f.overhead_us, f.mean_us, f.median_us, f.min_us, f.p95_us,"
    " f.stddev_us, f.low_us, f.high_us, f.gbs, f.tflops, f.percent_of_roofline, f.above_roofline, f.samples,"
    " f.repetitions, f.repeated, f.method_version" JOINED " LEFT JOIN timing f ON f.result_id = r.id";
static const char row_order[] =
    " ORDER BY c.op, c.dtype, c.size, c.variant, r.case_id, f.mode, r.card_id, " HISTORY_ORDER
    ", v.id, r.time, r.id";

/* A method that cannot be read is a label of its own, so that nothing is compared with it. */
static void read_label(const history_row *row, int mode_version, char *out, size_t bytes)
{
    result_method method;
    if (result_method_parse(row->method, &method, NULL) == ASSAY_OK)
        timing_method_label(&method, row->has_times ? mode_version : timing_mode_get(row->mode)->version,
                            row->mode, out, bytes);
    else
        snprintf(out, bytes, "unknown method");
}

/* One by one, as an initialiser's elements are not evaluated in order. `label` is where the row's
 * method_label goes. */
static history_row read_row(sqlite3_stmt *s, char label[METHOD_LABEL_BYTES])
{
    int at = 0; /* in the order of row_columns */
    history_row row = {.method_label = label};
    row.result_id = sqlite3_column_int64(s, at++);
    row.case_id = sqlite3_column_int64(s, at++);
    row.card_id = sqlite3_column_int64(s, at++);
    row.revision_id = sqlite3_column_int64(s, at++);
    const char **const texts[] = {
        &row.op,           &row.variant, &row.dtype,   &row.size,        &row.kind,      &row.math_mode,
        &row.distribution, &row.dims,    &row.params,  &row.device_kind, &row.card_name, &row.slug,
        &row.uuid,         &row.driver,  &row.runtime, &row.commit,      &row.subject};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = db_text(s, at++);
    row.commit_time = sqlite3_column_int64(s, at++);
    row.dirty = sqlite3_column_int(s, at++);
    row.time = sqlite3_column_int64(s, at++);
    const char **const more[] = {&row.status,       &row.reason,      &row.verdict,
                                 &row.output_check, &row.kernel_hash, &row.method};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        *more[i] = db_text(s, at++);
    row.has_times = timing_mode_parse(db_text(s, at++), &row.mode);
    double *const numbers[] = {
        &row.flops,  &row.bytes,  &row.overhead_us,        &row.mean_us, &row.median_us,
        &row.min_us, &row.p95_us, &row.stddev_us,          &row.low_us,  &row.high_us,
        &row.gbs,    &row.tflops, &row.percent_of_roofline};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = db_number(s, at++);
    int *const counts[] = {&row.above_roofline, &row.samples, &row.repetitions, &row.repeated};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = sqlite3_column_int(s, at++);
    read_label(&row, sqlite3_column_int(s, at), label, METHOD_LABEL_BYTES);
    return row;
}

/* Compose HEAD + filter + TAIL and bind the filter's values. */
static assay_status prepare_filtered(history *h, const char *head, const history_filter *filter,
                                     int with_mode, const char *tail, sqlite3_stmt **s, assay_error *error)
{
    db_filter *where = sqlite3_malloc(sizeof *where);
    if (!where)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a query of the history");
    assay_status status = db_filter_build(filter, with_mode, where, error);
    char *sql = status == ASSAY_OK ? sqlite3_mprintf("%s%s%s", head, where->sql, tail) : NULL;
    if (sql)
        status = db_prepare(&h->base, sql, s, error);
    if (sql && status == ASSAY_OK)
        db_filter_bind(where, *s);
    sqlite3_free(sql);
    sqlite3_free(where);
    return status;
}

static assay_status finish(history *h, sqlite3_stmt *s, int code, assay_error *error)
{
    const assay_status status =
        code == SQLITE_DONE || code == SQLITE_ROW ? ASSAY_OK : db_error(&h->base, "read", error);
    sqlite3_finalize(s);
    return status;
}

assay_status history_each_row(history *h, const history_filter *filter, history_row_fn each, void *context,
                              assay_error *error)
{
    sqlite3_stmt *s = NULL;
    int code;
    const assay_status status = prepare_filtered(h, row_columns, filter, 1, row_order, &s, error);
    if (status != ASSAY_OK)
        return status;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        char label[METHOD_LABEL_BYTES];
        const history_row row = read_row(s, label);
        if (each(context, &row) != 0)
            break;
    }
    return finish(h, s, code, error);
}

/* Of a row with the document first and, if wanted, the samples behind it. */
static assay_status read_result(sqlite3_stmt *s, result_load load, result **out, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    assay_status status =
        unpack_text(sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0), &text, &bytes, error);
    if (status == ASSAY_OK)
        status = result_read_text(text, bytes, "a result of the history", load, out, error);
    free(text);
    if (status == ASSAY_OK && load == RESULT_LOAD_SAMPLES)
        status = unpack_samples(sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1), *out, error);
    if (status != ASSAY_OK) {
        result_free(*out);
        *out = NULL;
    }
    return status;
}

assay_status history_each_result(history *h, const history_filter *filter, result_load load,
                                 assay_status (*each)(void *context, result *r, assay_error *error),
                                 void *context, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    int code;
    assay_status status = prepare_filtered(
        h, load == RESULT_LOAD_SAMPLES ? "SELECT r.document, r.samples" JOINED : "SELECT r.document" JOINED,
        filter, 0, " ORDER BY r.id", &s, error);
    if (status != ASSAY_OK)
        return status;
    while (status == ASSAY_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        result *r = NULL;
        status = read_result(s, load, &r, error);
        if (status == ASSAY_OK)
            status = each(context, r, error);
    }
    if (status == ASSAY_OK)
        return finish(h, s, code, error);
    sqlite3_finalize(s);
    return status;
}

assay_status history_result(history *h, int64_t result_id, result_load load, result **out, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    *out = NULL;
    assay_status status =
        db_prepare(&h->base, "SELECT document, samples FROM result WHERE id = ?", &s, error);
    if (status != ASSAY_OK)
        return status;
    sqlite3_bind_int64(s, 1, result_id);
    const int code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        status = read_result(s, load, out, error);
    else if (code != SQLITE_DONE)
        status = db_error(&h->base, "read", error);
    else
        status = assay_error_set(error, ASSAY_ERR_INVALID, "history %s has no result %lld", h->base.path,
                                 (long long)result_id);
    sqlite3_finalize(s);
    return status;
}

assay_status history_each_revision(history *h, const history_filter *filter,
                                   int (*each)(void *context, const history_revision *revision),
                                   void *context, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    int code;
    const assay_status status = prepare_filtered(
        h, "SELECT v.id, v.time, min(r.time), max(r.time), count(*), v.hash, v.subject" JOINED, filter, 0,
        " GROUP BY v.id ORDER BY " HISTORY_ORDER ", v.id", &s, error);
    if (status != ASSAY_OK)
        return status;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const history_revision revision = {.revision_id = sqlite3_column_int64(s, 0),
                                           .commit_time = sqlite3_column_int64(s, 1),
                                           .first_run = sqlite3_column_int64(s, 2),
                                           .last_run = sqlite3_column_int64(s, 3),
                                           .results = sqlite3_column_int64(s, 4),
                                           .commit = db_text(s, 5),
                                           .subject = db_text(s, 6)};
        if (each(context, &revision) != 0)
            break;
    }
    return finish(h, s, code, error);
}

assay_status history_each_card(history *h, int (*each)(void *context, const history_card *card),
                               void *context, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    int code;
    const assay_status status = db_prepare(&h->base,
                                           "SELECT d.id, min(r.time), max(r.time), count(*), d.device_kind, "
                                           "d.name, d.slug, d.uuid, d.driver, d.runtime,"
                                           " d.sm_count, d.compute FROM card d JOIN result r ON r.card_id = "
                                           "d.id GROUP BY d.id ORDER BY d.slug, d.id",
                                           &s, error);
    if (status != ASSAY_OK)
        return status;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const history_card card = {.card_id = sqlite3_column_int64(s, 0),
                                   .first_run = sqlite3_column_int64(s, 1),
                                   .last_run = sqlite3_column_int64(s, 2),
                                   .results = sqlite3_column_int64(s, 3),
                                   .device_kind = db_text(s, 4),
                                   .name = db_text(s, 5),
                                   .slug = db_text(s, 6),
                                   .uuid = db_text(s, 7),
                                   .driver = db_text(s, 8),
                                   .runtime = db_text(s, 9),
                                   .sm_count = sqlite3_column_int(s, 10),
                                   .compute = db_text(s, 11)};
        if (each(context, &card) != 0)
            break;
    }
    return finish(h, s, code, error);
}

assay_status history_each_fact(history *h, const history_filter *filter,
                               int (*each)(void *context, const history_fact *value), void *context,
                               assay_error *error)
{
    sqlite3_stmt *s = NULL;
    int code;
    const assay_status status = prepare_filtered(
        h,
        "SELECT r.id, r.case_id, r.revision_id, k.key, k.text, k.number" JOINED
        " JOIN fact k ON k.result_id = r.id",
        filter, 0, " ORDER BY r.case_id, k.key, " HISTORY_ORDER ", v.id, r.time, r.id", &s, error);
    if (status != ASSAY_OK)
        return status;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const history_fact value = {.result_id = sqlite3_column_int64(s, 0),
                                    .case_id = sqlite3_column_int64(s, 1),
                                    .revision_id = sqlite3_column_int64(s, 2),
                                    .key = db_text(s, 3),
                                    .text = db_text(s, 4),
                                    .number = db_number(s, 5)};
        if (each(context, &value) != 0)
            break;
    }
    return finish(h, s, code, error);
}

/* T4 files as candidates of an archive. */
#include "tune/archive/archive_export.h"
#include "tune/archive/database.h"
#include "core/json_file.h"
#include "tune/space/expression.h"
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

static evaluation_status status_of(const char *invalidity)
{
    return strcmp(invalidity, "correct") == 0       ? EVALUATION_SUCCESS
           : strcmp(invalidity, "compile") == 0     ? EVALUATION_FAILED_COMPILE
           : strcmp(invalidity, "correctness") == 0 ? EVALUATION_FAILED_CORRECTNESS
           : strcmp(invalidity, "timeout") == 0     ? EVALUATION_TIMEOUT
           : strcmp(invalidity, "constraints") == 0 ? EVALUATION_CONSTRAINTS
                                                    : EVALUATION_CRASHED;
}

/* us; NAN if there is no such measurement. T4's usual unit is ms. */
static double measurement(const json_t *result, const char *wanted)
{
    size_t index;
    json_t *m;
    json_array_foreach(json_object_get(result, "measurements"), index, m)
    {
        const char *unit = json_get_text(m, "unit", "ms");
        const double number = json_get_number(m, "value", NAN);
        if (strcmp(json_get_text(m, "name", ""), wanted) != 0 || !(number > 0))
            continue;
        return number * (strcmp(unit, "us") == 0 || strcmp(unit, "TFLOP/s") == 0 ? 1
                         : strcmp(unit, "s") == 0                                ? 1e6
                                                                                 : 1e3);
    }
    return NAN;
}

/* "A=1,B=2" of an object, in its order. 0 if it does not fit or a value is no number, text or boolean. */
static int make_label(const json_t *object, char *out, size_t out_bytes)
{
    size_t used = 0;
    const char *key;
    json_t *item;
    out[0] = '\0';
    json_object_foreach((json_t *)object, key, item)
    {
        const expression_value v = json_is_integer(item)   ? value_integer(json_integer_value(item))
                                   : json_is_real(item)    ? value_real(json_real_value(item))
                                   : json_is_boolean(item) ? value_boolean(json_is_true(item))
                                   : json_is_string(item)  ? value_text(json_string_value(item))
                                                           : (expression_value){.kind = VALUE_LIST};
        if (v.kind == VALUE_LIST || (v.kind == VALUE_TEXT && strpbrk(v.text, ",=")))
            return 0;
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s=", used ? "," : "", key);
        if (used < out_bytes)
            used += (size_t)value_format(&v, out + used, out_bytes - used);
        if (used >= out_bytes)
            return 0;
    }
    return used > 0;
}

static assay_status import_row(archive *a, int64_t run, const char *path, size_t index, const json_t *result,
                               assay_error *error)
{
    char label[2048];
    const json_t *times = json_object_get(result, "times");
    if (!make_label(json_object_get(result, "configuration"), label, sizeof label))
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: results[%zu] has no usable \"configuration\"",
                               path, index);
    archive_candidate c = {
        .values = label,
        .status = status_of(json_get_text(result, "invalidity", "correct")),
        .reason = "",
        .time_us = measurement(result, "time"),
        .tflops = measurement(result, "tflops"),
        .speedup = NAN,
        .provider = "import",
        .compile_s = json_get_number(times, "compilation_time", json_get_number(times, "compilation", NAN)),
        .verify_s = json_get_number(times, "verification", NAN),
        .bench_s = json_get_number(times, "benchmark", NAN)};
    if (c.status == EVALUATION_SUCCESS && !isfinite(c.time_us)) {
        c.status = EVALUATION_CRASHED;
        c.reason = "the file has no time";
    }
    if (c.status != EVALUATION_SUCCESS)
        c.time_us = NAN;
    return archive_record_within(a, run, &c, error);
}

static assay_status import_rows(archive *a, const char *path, const json_t *results, archive_run *run,
                                long *added, assay_error *error)
{
    size_t index;
    json_t *result;
    assay_status status = archive_insert_run(a, run, error);
    json_array_foreach(results, index, result)
    {
        if (status == ASSAY_OK)
            status = import_row(a, run->id, path, index, result, error);
        *added += status == ASSAY_OK;
    }
    return status;
}

static int is_known(archive *a, const char *uid)
{
    sqlite3_stmt *s = NULL;
    int known = 0;
    if (sqlite3_prepare_v2(a->base.db, "SELECT 1 FROM run WHERE uid = ?", -1, &s, NULL) == SQLITE_OK) {
        db_bind_text(s, 1, uid);
        known = sqlite3_step(s) == SQLITE_ROW;
    }
    sqlite3_finalize(s);
    return known;
}

assay_status archive_import_t4(archive *a, const char *path, const archive_problem *problem, long *added,
                               assay_error *error)
{
    char *text = NULL, hash[SHA256_DIGEST_STRING_LENGTH];
    size_t bytes = 0;
    json_t *root = NULL;
    *added = 0;
    assay_status status = json_file_read(path, &root, error);
    if (status == ASSAY_OK)
        status = text_file_read(path, &text, &bytes, error);
    const json_t *results = json_object_get(root, "results");
    if (status == ASSAY_OK && !json_is_array(results))
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no \"results\": this is no T4 file", path);
    if (status == ASSAY_OK) {
        archive_run run = {.problem = *problem,
                           .strategy = "import",
                           .options = "{}",
                           .space = "",
                           .commit = "",
                           .host = "",
                           .command = "",
                           .end = "imported",
                           .default_us = NAN,
                           .started = 1,
                           .ended = 1};
        SHA256Data((const uint8_t *)text, bytes, hash);
        snprintf(run.uid, sizeof run.uid, "%s", hash);
        if (!is_known(a, run.uid)) {
            status = db_exec(&a->base, "BEGIN IMMEDIATE", error);
            if (status == ASSAY_OK)
                status =
                    archive_close_transaction(a, import_rows(a, path, results, &run, added, error), error);
        }
    }
    free(text);
    json_decref(root);
    return status;
}

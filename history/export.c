/* Rows of the history as CSV or JSON: see export.h. */
#include "history/export.h"
#include "core/json_file.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_job {
    FILE *out;
    export_format format;
    int wide;
    long rows;
} export_job;

enum { BASE_COLUMNS = 6 };
static const char *const columns[] = {
    "timestamp",   "name",   "ms",     "tflops",  "status",  "config",      "kind",  "mode",
    "median_ms",   "min_ms", "p95_ms", "low_ms",  "high_ms", "stddev_ms",   "gbs",   "percent_of_roofline",
    "card",        "uuid",   "driver", "runtime", "commit",  "commit_time", "dirty", "verdict",
    "kernel_hash", "reason"};
enum { ALL_COLUMNS = sizeof columns / sizeof *columns };

static json_t *object_of(const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    return object ? object : json_object();
}

static const char *mode_of(const history_row *r)
{
    return r->has_times ? timing_mode_name(r->mode) : "";
}

static json_t *make_config(const history_row *r)
{
    return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "mode", mode_of(r), "dims",
                     object_of(r->dims), "params", object_of(r->params), "math_mode", r->math_mode,
                     "distribution", r->distribution, "card", r->slug, "driver", r->driver, "commit",
                     r->commit, "dirty", r->dirty, "method", object_of(r->method));
}

static json_t *ms(double us)
{
    return json_number(us * 1e-3);
}

static json_t *time_json(int64_t time)
{
    char text[32];
    result_time_text(time, text);
    return json_string(text);
}

/* All columns of a row, in their order. */
static json_t *make_row(const history_row *r)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s.%s.%s", r->op, r->variant, r->dtype, r->size);
    json_t *const values[ALL_COLUMNS] = {time_json(r->time),
                                         json_string(name),
                                         ms(r->mean_us),
                                         json_number(r->tflops),
                                         json_string(r->status),
                                         make_config(r),
                                         json_string(r->kind),
                                         json_string(mode_of(r)),
                                         ms(r->median_us),
                                         ms(r->min_us),
                                         ms(r->p95_us),
                                         ms(r->low_us),
                                         ms(r->high_us),
                                         ms(r->stddev_us),
                                         json_number(r->gbs),
                                         json_number(r->percent_of_roofline),
                                         json_string(r->slug),
                                         json_string(r->uuid),
                                         json_string(r->driver),
                                         json_string(r->runtime),
                                         json_string(r->commit),
                                         time_json(r->commit_time),
                                         json_boolean(r->dirty),
                                         json_string(r->verdict),
                                         json_string(r->kernel_hash),
                                         json_string(r->reason)};
    json_t *row = json_object();
    for (int i = 0; i < ALL_COLUMNS; i++)
        json_object_set_new(row, columns[i], values[i] ? values[i] : json_null());
    return row;
}

static void put_csv_text(FILE *out, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_csv_value(FILE *out, const json_t *value)
{
    char *text;
    if (json_is_string(value))
        put_csv_text(out, json_string_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "1" : "0", out);
    else if (json_is_object(value) &&
             (text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9))) != NULL) {
        put_csv_text(out, text);
        free(text);
    }
}

static int put_row(void *context, const history_row *r)
{
    export_job *job = context;
    json_t *row = make_row(r);
    if (job->format == EXPORT_JSON) {
        fputs(job->rows ? ",\n" : "[\n", job->out);
        json_dumpf(row, job->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    } else {
        for (int i = 0; i < (job->wide ? (int)ALL_COLUMNS : (int)BASE_COLUMNS); i++) {
            if (i > 0)
                fputc(',', job->out);
            put_csv_value(job->out, json_object_get(row, columns[i]));
        }
        fputs("\r\n", job->out);
    }
    json_decref(row);
    job->rows++;
    return ferror(job->out);
}

static void put_header(const export_job *job)
{
    for (int i = 0; i < (job->wide ? (int)ALL_COLUMNS : (int)BASE_COLUMNS); i++)
        fprintf(job->out, "%s%s", i ? "," : "", columns[i]);
    fputs("\r\n", job->out);
}

assay_status history_export(history *h, const history_filter *filter, export_format format, int wide,
                            FILE *out, long *rows, assay_error *error)
{
    export_job job = {out, format, wide, 0};
    if (format == EXPORT_CSV)
        put_header(&job);
    assay_status status = history_each_row(h, filter, put_row, &job, error);
    if (status == ASSAY_OK && format == EXPORT_JSON)
        fputs(job.rows ? "\n]\n" : "[]\n", out);
    if (status == ASSAY_OK && (fflush(out) != 0 || ferror(out)))
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write the export: %s", strerror(errno));
    if (rows)
        *rows = job.rows;
    return status;
}

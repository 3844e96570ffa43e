/* Archives as CSV, JSON and T4: see archive_export.h. */
#include "tune/archive/archive_export.h"
#include "core/json_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int archive_format_parse(const char *name, archive_format *format)
{
    static const char *const names[] = {"csv", "json", "t4"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (archive_format)i;
            return 1;
        }
    return 0;
}

static void time_text(int64_t ms, char out[40])
{
    const time_t seconds = (time_t)(ms / 1000);
    struct tm t;
    gmtime_r(&seconds, &t);
    const size_t used = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &t);
    snprintf(out + used, 40 - used, ".%03dZ", (int)(ms % 1000));
}

static json_t *value_json(const char *text)
{
    char *end = NULL;
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0)
        return json_boolean(text[0] == 'T');
    const long long integer = strtoll(text, &end, 10);
    if (text[0] && *end == '\0')
        return json_integer(integer);
    const double real = strtod(text, &end);
    return text[0] && *end == '\0' && isfinite(real) ? json_real(real) : json_string(text);
}

/* {"BLOCK_M": 128} of "BLOCK_M=128". New reference. */
static json_t *archive_label_json(const char *label)
{
    json_t *object = json_object();
    char *copy = strdup(label), *rest = NULL;
    for (char *item = copy ? strtok_r(copy, ",", &rest) : NULL; item; item = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(item, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        json_object_set_new(object, item, value_json(equals + 1));
    }
    free(copy);
    return object;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && text[0])
        json_object_set_new(object, key, json_string(text));
}

json_t *archive_candidate_json(const archive_run *run, const archive_candidate *c)
{
    char time[40];
    json_t *samples = json_array();
    time_text(c->recorded_ms, time);
    for (int i = 0; i < c->sample_count; i++)
        json_array_append_new(samples, json_real(c->samples[i]));
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:s, s:s, s:o, s:o, "
        "s:o, s:o}",
        "timestamp", time, "op", run->problem.op, "variant", run->problem.variant, "dtype",
        run->problem.dtype, "size", run->problem.size, "dims", run->problem.dims, "device",
        run->problem.device, "arch", run->problem.arch, "run", run->uid, "number", (json_int_t)c->number,
        "values", archive_label_json(c->values), "status", evaluation_status_name(c->status), "us",
        json_number(c->time_us), "tflops", json_number(c->tflops), "speedup", json_number(c->speedup),
        "provider", c->provider, "strategy", run->strategy, "compile_s", json_number(c->compile_s),
        "verify_s", json_number(c->verify_s), "bench_s", json_number(c->bench_s), "samples", samples);
    set_text(object, "reason", c->reason);
    set_text(object, "identity", c->identity);
    set_text(object, "parent", c->parent);
    set_text(object, "source", c->source);
    set_text(object, "compile_report", c->compile_report);
    set_text(object, "verdict", c->verdict);
    return object;
}

/* T4's words for how an evaluation ended. */
static const char *const invalidity[EVALUATION_STATUS_COUNT] = {
    [EVALUATION_SUCCESS] = "correct",
    [EVALUATION_FAILED_COMPILE] = "compile",
    [EVALUATION_FAILED_CORRECTNESS] = "correctness",
    [EVALUATION_CRASHED] = "runtime",
    [EVALUATION_TIMEOUT] = "timeout",
    [EVALUATION_CONSTRAINTS] = "constraints",
};

static double or_zero(double seconds)
{
    return isfinite(seconds) ? seconds : 0;
}

static json_t *t4_json(const archive_candidate *c)
{
    char time[40];
    json_t *measurements = json_array(), *times = json_object();
    time_text(c->recorded_ms, time);
    if (isfinite(c->time_us))
        json_array_append_new(measurements, json_pack("{s:s, s:f, s:s}", "name", "time", "value",
                                                      c->time_us / 1000, "unit", "ms"));
    if (isfinite(c->tflops))
        json_array_append_new(measurements, json_pack("{s:s, s:f, s:s}", "name", "tflops", "value", c->tflops,
                                                      "unit", "TFLOP/s"));
    json_object_set_new(times, "compilation_time", json_real(or_zero(c->compile_s)));
    json_object_set_new(times, "compilation", json_real(or_zero(c->compile_s)));
    json_object_set_new(times, "verification", json_real(or_zero(c->verify_s)));
    json_object_set_new(times, "benchmark", json_real(or_zero(c->bench_s)));
    return json_pack("{s:s, s:o, s:[s], s:o, s:s, s:i, s:o}", "timestamp", time, "configuration",
                     archive_label_json(c->values), "objectives", "time", "times", times, "invalidity",
                     invalidity[c->status], "correctness", c->status == EVALUATION_SUCCESS, "measurements",
                     measurements);
}

/* A field of CSV: in quotes, quotes doubled. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void put_csv(FILE *out, const archive_run *run, const archive_candidate *c)
{
    char time[40];
    json_t *values = archive_label_json(c->values);
    char *config = json_dumps(values, JSON_COMPACT);
    time_text(c->recorded_ms, time);
    fprintf(out, "%s,%s.%s.%s.%s,", time, run->problem.op, run->problem.variant, run->problem.dtype,
            run->problem.size);
    fprintf(out, isfinite(c->time_us) ? "%.9g," : ",", c->time_us / 1000);
    fprintf(out, isfinite(c->tflops) ? "%.6g," : ",", c->tflops);
    fprintf(out, "%s,", evaluation_status_name(c->status));
    put_quoted(out, config ? config : "");
    fputs("\r\n", out);
    free(config);
    json_decref(values);
}

typedef struct export_job {
    FILE *out;
    archive_format format;
    long rows;
} export_job;

static assay_status put_row(void *context, const archive_run *run, const archive_candidate *c,
                            assay_error *error)
{
    export_job *job = context;
    job->rows++;
    if (job->format == ARCHIVE_CSV) {
        put_csv(job->out, run, c);
    } else {
        json_t *object = job->format == ARCHIVE_T4 ? t4_json(c) : archive_candidate_json(run, c);
        fputs(job->rows > 1 ? ",\n" : "\n", job->out);
        json_dumpf(object, job->out, JSON_COMPACT);
        json_decref(object);
    }
    return ferror(job->out) ? assay_error_set(error, ASSAY_ERR_IO, "the export cannot be written") : ASSAY_OK;
}

assay_status archive_export(archive *a, const archive_filter *filter, archive_format format, FILE *out,
                            long *rows, assay_error *error)
{
    static const char *const heads[] = {"timestamp,name,ms,tflops,status,config\r\n", "[",
                                        "{\"schema_version\": \"1.0.0\", \"results\": ["};
    static const char *const tails[] = {"", "\n]\n", "\n]}\n"};
    export_job job = {.out = out, .format = format};
    fputs(heads[format], out);
    const assay_status status = archive_walk(a, filter, put_row, &job, error);
    fputs(tails[format], out);
    if (rows)
        *rows = job.rows;
    return status;
}

/* See counters.h. */
#include "bench/run/counters.h"
#include "core/process.h"
#include "results/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NCU_LIMIT_S = 180, MOST_COLUMNS = 64, FIELD_BYTES = 256 };

#define LARGEST_VALUE 1e18 /* bytes or nanoseconds of one kernel; sums of these stay finite */

enum { DRAM_READ, DRAM_WRITE, L2, DURATION, METRICS };
static const char *const metric_names[METRICS] = {"dram__bytes_read.sum", "dram__bytes_write.sum",
                                                  "lts__t_bytes.sum", "gpu__time_duration.sum"};

const char *counters_metrics(void)
{
    return "dram__bytes_read.sum,dram__bytes_write.sum,lts__t_bytes.sum,gpu__time_duration.sum";
}

/* The next quoted field of a CSV line, without its quotes; returns what follows it, NULL at the end of the line. ncu quotes all fields
 * and has no quotes inside them but in kernels' names, where they are doubled. */
static const char *next_field(const char *at, char out[FIELD_BYTES])
{
    size_t length = 0;
    if (*at != '"')
        return NULL;
    for (at++; *at && *at != '\n'; at++) {
        if (*at == '"' && at[1] != '"')
            break;
        at += *at == '"';
        if (length + 1 < FIELD_BYTES)
            out[length++] = *at;
    }
    out[length] = '\0';
    if (*at == '"')
        at++;
    return *at == ',' ? at + 1 : at;
}

typedef struct columns {
    int id, name, unit, value;
} columns;

static columns find_columns(const char *header)
{
    columns found = {-1, -1, -1, -1};
    char field[FIELD_BYTES];
    int index = 0;
    for (const char *at = header; (at = next_field(at, field)) != NULL && index < MOST_COLUMNS; index++) {
        if (strcmp(field, "ID") == 0)
            found.id = index;
        else if (strcmp(field, "Metric Name") == 0)
            found.name = index;
        else if (strcmp(field, "Metric Unit") == 0)
            found.unit = index;
        else if (strcmp(field, "Metric Value") == 0)
            found.value = index;
    }
    return found;
}

/* "1,234,567.8"; minus infinity if it is no count ("n/a", "inf"), which no sum leaves again. */
static double parse_value(const char *text)
{
    char digits[FIELD_BYTES], *end;
    size_t length = 0;
    for (; *text; text++)
        if (*text != ',')
            digits[length++] = *text;
    digits[length] = '\0';
    const double value = strtod(digits, &end);
    return end == digits || *end || !(value >= 0.0 && value <= LARGEST_VALUE) ? -INFINITY : value;
}

static void read_row(const char *line, const columns *where, double sums[METRICS], int *last_id, int *kernels)
{
    char field[FIELD_BYTES], name[FIELD_BYTES] = "", value[FIELD_BYTES] = "";
    int index = 0, id = -1;
    for (const char *at = line; (at = next_field(at, field)) != NULL && index < MOST_COLUMNS; index++) {
        if (index == where->id)
            id = (int)strtol(field, NULL, 10);
        else if (index == where->name)
            memcpy(name, field, sizeof name);
        else if (index == where->value)
            memcpy(value, field, sizeof value);
    }
    *kernels += id >= 0 && id != *last_id;
    *last_id = id >= 0 ? id : *last_id;
    for (int m = 0; m < METRICS; m++)
        if (strcmp(name, metric_names[m]) == 0) {
            const double parsed = parse_value(value);
            sums[m] = isnan(sums[m]) ? parsed : sums[m] + parsed;
        }
}

/* ncu's own words, which it marks with ==ERROR==, or its last line. */
static void find_complaint(const char *text, char *out, size_t out_bytes)
{
    const char *marked = strstr(text, "==ERROR=="), *from = marked ? marked + 9 : text;
    from += strspn(from, " \n");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(from, "\n"), from);
}

assay_status counters_parse(const char *text, counters *out, assay_error *error)
{
    double sums[METRICS] = {NAN, NAN, NAN, NAN}; /* not seen */
    char complaint[256];
    int last_id = -1;
    const char *line = strncmp(text, "\"ID\"", 4) == 0 ? text : strstr(text, "\n\"ID\"");
    *out = (counters){0};
    find_complaint(text, complaint, sizeof complaint);
    if (!line)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "ncu printed no table: %s", complaint);
    line += *line == '\n';
    const columns where = find_columns(line);
    if (where.id < 0 || where.name < 0 || where.value < 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "ncu's table has other columns than expected");
    while ((line = strchr(line, '\n')) != NULL)
        read_row(++line, &where, sums, &last_id, &out->kernels);
    for (int m = 0; m < METRICS; m++)
        if (!(sums[m] >= 0.0))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "ncu's table has no %s: %s", metric_names[m],
                                   complaint);
    out->dram_bytes = sums[DRAM_READ] + sums[DRAM_WRITE];
    out->l2_bytes = sums[L2];
    out->duration_us = sums[DURATION] * 1e-3;
    return ASSAY_OK;
}

/* One launch under ncu. Base units: bytes and nanoseconds. Clocks are left alone. */
static assay_status profile(const workspace *ws, const assay_case *c, counters *out, assay_error *error)
{
    char program[4300];
    process_result ended;
    snprintf(program, sizeof program, "%s/assay-launch-case", ws->libexec);
    const char *const argv[] = {"ncu",
                                "--csv",
                                "--print-units",
                                "base",
                                "--metrics",
                                counters_metrics(),
                                "--clock-control",
                                "none",
                                "--cache-control",
                                "all",
                                "--profile-from-start",
                                "off",
                                program,
                                "--workspace",
                                ws->path,
                                "--op",
                                c->op->spec->name,
                                "--variant",
                                c->variant,
                                "--dtype",
                                assay_dtype_name(c->dtype),
                                "--size",
                                c->size,
                                "--mode",
                                "profile",
                                NULL};
    process_run(argv, NCU_LIMIT_S, 1, &ended);
    assay_status status = ASSAY_OK;
    if (ended.end == PROCESS_NOT_STARTED || (ended.end == PROCESS_EXITED && ended.code == 127))
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "ncu is not on PATH; it comes with Nsight Compute in the CUDA toolkit");
    else if (ended.end == PROCESS_INTERRUPTED)
        status = assay_error_set(error, ASSAY_ERR_CHECK, "interrupted");
    else if (ended.output && strstr(ended.output, "ERR_NVGPUCTRPERM"))
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "the driver lets only administrators read counters (ERR_NVGPUCTRPERM)");
    else
        status = counters_parse(ended.output ? ended.output : "", out, error);
    process_result_release(&ended);
    return status;
}

static assay_status write_counters(const char *path, result *r, const counters *found, assay_error *error)
{
    r->counters = (result_facts){0};
    result_add_fact(r, &r->counters, "dram_bytes", found->dram_bytes, NULL);
    result_add_fact(r, &r->counters, "l2_bytes", found->l2_bytes, NULL);
    result_add_fact(r, &r->counters, "duration_us", found->duration_us, NULL);
    result_add_fact(r, &r->counters, "kernels", found->kernels, NULL);
    result_add_fact(r, &r->counters, "source", 0, "ncu, caches flushed before each kernel");
    return result_write_counters(path, r, error);
}

static assay_status add_to_result(const workspace *ws, const assay_case *c, FILE *progress, int *count,
                                  assay_error *error)
{
    char path[4400], name[256];
    result *r = NULL;
    counters found;
    case_result_path(ws, c, path, sizeof path);
    case_name(c, name, sizeof name);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return ASSAY_OK; /* never timed */
    assay_error failure = {0};
    assay_status status = result_is_timed(r) ? profile(ws, c, &found, &failure) : ASSAY_ERR_UNSUPPORTED;
    if (status == ASSAY_OK) {
        status = write_counters(path, r, &found, error);
        (*count)++;
        if (progress)
            fprintf(progress, "  %s  %.3g MB from DRAM, %.3g MB through L2\n", name, found.dram_bytes * 1e-6,
                    found.l2_bytes * 1e-6);
    } else if (status == ASSAY_ERR_ENVIRONMENT || status == ASSAY_ERR_CHECK)
        assay_error_set(error, status, "%s", failure.message);
    else { /* this case has none; the others may */
        if (progress && status != ASSAY_ERR_UNSUPPORTED)
            fprintf(progress, "  %s  no counters: %s\n", name, failure.message);
        status = ASSAY_OK;
    }
    result_free(r);
    return status;
}

assay_status counters_run(const workspace *ws, const case_filter *filter, FILE *progress, int *count,
                          assay_error *error)
{
    assay_case *cases = NULL;
    int found = 0;
    *count = 0;
    if (strcmp(ws->device, "cuda") != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "counters are a GPU's, and this build is for %s",
                               ws->device);
    assay_status status = workspace_list_cases(ws, filter, 0, &cases, &found, error);
    for (int i = 0; i < found && status == ASSAY_OK && !process_interrupted(); i++)
        status = add_to_result(ws, &cases[i], progress, count, error);
    free(cases);
    return status;
}

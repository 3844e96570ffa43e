/* Rows of T4 files and of Kernel Tuner's caches. */
#include "tune/simulation/recorded_rows.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cache that is still being written ends after a row: `},` without the two last braces. */
static json_t *parse_open_ended(char *text, size_t bytes, json_error_t *where)
{
    static const char *const endings[] = {"", "}", "}}", "\"\"}}"};
    json_t *root = NULL;
    while (bytes > 0 && strchr(" \t\r\n,", text[bytes - 1]))
        bytes--;
    char *whole = malloc(bytes + 8);
    for (size_t i = 0; whole && !root && i < sizeof endings / sizeof *endings; i++) {
        memcpy(whole, text, bytes);
        strcpy(whole + bytes, endings[i]);
        json_error_t own;
        root = json_loads(whole, 0, i == 0 ? where : &own);
    }
    free(whole);
    return root;
}

/* Kernel Tuner writes the name of a failure where a time would be. */
static evaluation_status status_of_failure(const char *name)
{
    return strstr(name, "Compil")                             ? EVALUATION_FAILED_COMPILE
           : strstr(name, "Invalid") || strstr(name, "onstr") ? EVALUATION_CONSTRAINTS
                                                              : EVALUATION_CRASHED;
}

static double sum_of(const json_t *object, const char *const *keys)
{
    double sum = 0;
    for (; *keys; keys++)
        sum += json_get_number(object, *keys, 0);
    return sum;
}

static assay_status read_cache(const char *path, const json_t *cache, recorded_rows *out, assay_error *error)
{
    static const char *const costs_ms[] = {"compile_time", "benchmark_time", "verification_time", NULL};
    const json_t *keys = json_object_get(out->root, "tune_params_keys");
    const char *objective = json_get_text(out->root, "objective", "time"), *label;
    json_t *entry, *key;
    size_t index;
    out->row = calloc(json_object_size(cache) + 1, sizeof *out->row);
    if (out->row == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    if (!json_is_array(keys))
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: a cache without \"tune_params_keys\"", path);
    snprintf(out->name, sizeof out->name, "%s on %s", json_get_text(out->root, "kernel_name", "kernel"),
             json_get_text(out->root, "device_name", "unknown device"));
    json_object_foreach((json_t *)cache, label, entry)
    {
        recorded_row *row = &out->row[out->count];
        const json_t *time = json_object_get(entry, objective);
        if (!json_is_object(entry))
            return assay_error_set(error, ASSAY_ERR_FORMAT,
                                   "%s: \"cache\" has an entry that is no object: \"%.60s\"", path, label);
        json_t *values = json_object();
        json_array_foreach(keys, index, key)
            json_object_set(values, json_string_value(key), json_object_get(entry, json_string_value(key)));
        json_object_set_new(entry, "assay_configuration", values); /* the root owns it */
        *row = (recorded_row){
            .configuration = values, .objective = NAN, .cost_s = sum_of(entry, costs_ms) / 1000};
        if (json_is_number(time) && json_number_value(time) > 0 && json_number_value(time) < 1e15)
            row->objective = json_number_value(time) * 1000; /* ms */
        else
            row->status = status_of_failure(json_is_string(time) ? json_string_value(time) : "");
        out->count++;
    }
    return ASSAY_OK;
}

static evaluation_status status_of_invalidity(const char *invalidity)
{
    return strcmp(invalidity, "correct") == 0       ? EVALUATION_SUCCESS
           : strcmp(invalidity, "compile") == 0     ? EVALUATION_FAILED_COMPILE
           : strcmp(invalidity, "correctness") == 0 ? EVALUATION_FAILED_CORRECTNESS
           : strcmp(invalidity, "timeout") == 0     ? EVALUATION_TIMEOUT
           : strcmp(invalidity, "constraints") == 0 ? EVALUATION_CONSTRAINTS
                                                    : EVALUATION_CRASHED;
}

/* The measurement that the first objective names, in us; NAN if there is none. */
static double objective_of(const json_t *result)
{
    const char *wanted = json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    size_t index;
    json_t *m;
    json_array_foreach(json_object_get(result, "measurements"), index, m)
    {
        const char *name = json_get_text(m, "name", ""), *unit = json_get_text(m, "unit", "ms");
        const double scale = strncmp(unit, "us", 2) == 0 || strncmp(unit, "micro", 5) == 0  ? 1
                             : strncmp(unit, "ns", 2) == 0 || strncmp(unit, "nano", 4) == 0 ? 1e-3
                             : strcmp(unit, "s") == 0 || strncmp(unit, "sec", 3) == 0       ? 1e6
                                                                                            : 1e3;
        const double number = json_get_number(m, "value", NAN);
        if ((wanted == NULL || strcmp(name, wanted) == 0) && number > 0 && number < 1e15)
            return number * scale;
    }
    return NAN;
}

static double cost_of(const json_t *result)
{
    const json_t *times = json_object_get(result, "times");
    static const char *const keys[] = {"compilation_time", "verification", "benchmark", NULL};
    static const char *const alternatives[] = {"compilation", "verification", "benchmark", NULL};
    return sum_of(times, json_object_get(times, "compilation_time") ? keys : alternatives);
}

static assay_status read_t4(const char *path, const json_t *results, recorded_rows *out, assay_error *error)
{
    size_t index;
    json_t *result;
    const json_t *metadata = json_object_get(out->root, "metadata");
    snprintf(out->name, sizeof out->name, "%s", json_get_text(metadata, "name", ""));
    out->row = calloc(json_array_size(results) + 1, sizeof *out->row);
    if (out->row == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    json_array_foreach(results, index, result)
    {
        json_t *values = json_object_get(result, "configuration");
        recorded_row *row = &out->row[out->count];
        if (!json_is_object(values))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: results[%zu] has no \"configuration\"", path,
                                   index);
        *row = (recorded_row){
            .configuration = values, .objective = objective_of(result), .cost_s = cost_of(result)};
        row->status = status_of_invalidity(json_get_text(result, "invalidity", "correct"));
        if (row->status == EVALUATION_SUCCESS && !isfinite(row->objective))
            row->status = EVALUATION_CRASHED;
        if (row->status != EVALUATION_SUCCESS)
            row->objective = NAN;
        out->count++;
    }
    return ASSAY_OK;
}

assay_status recorded_rows_read(const char *path, recorded_rows *out, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t where;
    *out = (recorded_rows){0};
    const assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    out->root = parse_open_ended(text, bytes, &where);
    free(text);
    if (out->root == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: line %d, column %d: %s", path, where.line,
                               where.column, where.text);
    const json_t *cache = json_object_get(out->root, "cache"),
                 *results = json_object_get(out->root, "results");
    if (json_is_object(cache))
        return read_cache(path, cache, out, error);
    if (json_is_array(results))
        return read_t4(path, results, out, error);
    return assay_error_set(error, ASSAY_ERR_FORMAT,
                           "%s: neither a T4 file (\"results\") nor a cache of Kernel Tuner (\"cache\")",
                           path);
}

void recorded_rows_release(recorded_rows *rows)
{
    json_decref(rows->root);
    free(rows->row);
    *rows = (recorded_rows){0};
}

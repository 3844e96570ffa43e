/* Reading one result file: see result_file.h. */
#include "history/result_file.h"
#include "core/json_file.h"
#include "results/result.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t result_time(const char *text)
{
    return result_time_parse(text);
}

char *result_canonical(const json_t *object)
{
    return json_is_object(object)
               ? json_dumps(object, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15))
               : strdup("{}");
}

#define LONGEST_US 1e12 /* eleven days */

static int are_times(const json_t *values)
{
    const json_t *value;
    size_t i;
    json_array_foreach(values, i, value)
    {
        const double us = json_is_number(value) ? json_number_value(value) : NAN;
        if (!(us >= 0 && us < LONGEST_US))
            return 0;
    }
    return 1;
}

static const char *find_fault_of_figure(const json_t *figure)
{
    const json_t *repetition;
    size_t i;
    const double mean = json_get_number(figure, "mean_us", NAN);
    if (!(mean > 0 && mean < LONGEST_US))
        return "a figure has no positive mean";
    json_array_foreach(json_object_get(figure, "repetitions"), i, repetition)
    {
        if (!are_times(json_object_get(repetition, "samples_us")) ||
            !are_times(json_object_get(repetition, "quantiles_us")))
            return "a sample of a figure is not a time in microseconds";
    }
    return NULL;
}

static const char *find_fault(const json_t *assay)
{
    static const char *const names[] = {"op", "variant", "dtype", "size", "kind", "status"};
    if (!json_is_object(assay))
        return "no object 'assay': not a result of Assay";
    if (json_get_number(assay, "schema", 0) != 1)
        return "not schema 1, which this program reads";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_get_text(assay, names[i], "")[0] == '\0')
            return "the object 'assay' does not say which case it is";
    if (result_time(json_get_text(assay, "time", "")) == 0)
        return "assay.time is not a time";
    const char *name;
    json_t *figure;
    json_object_foreach(json_object_get(assay, "figures"), name, figure)
    {
        const char *fault = find_fault_of_figure(figure);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

assay_status result_file_read(const char *path, json_t **out, assay_error *error)
{
    json_t *root = NULL;
    *out = NULL;
    static const char *const unread[] = {"benchmarks", "context",
                                         NULL}; /* Google Benchmark's part says the same */
    const assay_status status = json_file_read_without(path, unread, &root, error);
    if (status != ASSAY_OK)
        return status;
    json_t *assay = json_object_get(root, "assay");
    const char *fault = find_fault(assay);
    if (!fault)
        *out = json_incref(assay);
    json_decref(root);
    return fault ? assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %s", path, fault) : ASSAY_OK;
}

/* A recorded space from rows: parameters from the values that occur, configurations from the rows. */
#include "tune/simulation/recorded.h"
#include "tune/simulation/recorded_rows.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_of(const json_t *item, expression_value *out)
{
    if (json_is_integer(item))
        *out = value_integer(json_integer_value(item));
    else if (json_is_real(item))
        *out = value_real(json_real_value(item));
    else if (json_is_boolean(item))
        *out = value_boolean(json_is_true(item));
    else if (json_is_string(item))
        *out = value_text(json_string_value(item));
    else
        return 0;
    return 1;
}

static int by_value(const void *a, const void *b)
{
    const expression_value *x = a, *y = b;
    if (x->kind == VALUE_TEXT && y->kind == VALUE_TEXT)
        return strcmp(x->text, y->text);
    const double p = value_number(x), q = value_number(y);
    return p < q ? -1 : p > q;
}

/* Row values of one parameter, different ones, in order. */
static assay_status add_parameter(space *s, const char *path, const recorded_rows *rows, const char *name,
                                  assay_error *error)
{
    expression_value values[SPACE_MAX_VALUES];
    int count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        expression_value v;
        int k = 0;
        if (!value_of(json_object_get(rows->row[i].configuration, name), &v))
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: row %zu has no usable value of \"%s\"", path,
                                   i, name);
        while (k < count && !value_equals(&values[k], &v))
            k++;
        if (k == count && count == SPACE_MAX_VALUES)
            return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: \"%s\" has more than %d values", path, name,
                                   SPACE_MAX_VALUES);
        if (k == count)
            values[count++] = v;
    }
    qsort(values, (size_t)count, sizeof *values, by_value);
    return space_add_parameter(s, name, values, count, 0, error);
}

static assay_status add_parameters(recorded *r, const char *path, const recorded_rows *rows,
                                   assay_error *error)
{
    const char *name;
    json_t *item;
    json_object_foreach(rows->row[0].configuration, name, item)
    {
        const assay_status status = add_parameter(r->space, path, rows, name, error);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

/* The rank by lookup in a sorted list would need the space's own order: walk it once and sort the rows by it. */
typedef struct placed_row {
    configuration c;
    const recorded_row *row;
} placed_row;

static int by_configuration(const void *a, const void *b)
{
    const placed_row *x = a, *y = b;
    for (int i = 0; i < SPACE_MAX_PARAMETERS; i++)
        if (x->c.index[i] != y->c.index[i])
            return x->c.index[i] < y->c.index[i] ? -1 : 1;
    return 0;
}

static assay_status place_rows(recorded *r, placed_row *placed, size_t count, assay_error *error)
{
    configuration *valid = malloc((count + 1) * sizeof *valid);
    r->evaluations = calloc(count + 1, sizeof *r->evaluations);
    r->cost_s = calloc(count + 1, sizeof *r->cost_s);
    if (!valid || !r->evaluations || !r->cost_s) {
        free(valid);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a recorded space");
    }
    qsort(placed, count, sizeof *placed, by_configuration);
    for (size_t i = 0; i < count; i++) { /* of equal configurations the first row counts */
        if (i > 0 && configuration_equals(&placed[i].c, &placed[i - 1].c))
            continue;
        valid[r->count] = placed[i].c;
        r->evaluations[r->count] = (evaluation){placed[i].c, placed[i].row->status, placed[i].row->objective};
        r->cost_s[r->count++] = placed[i].row->cost_s;
    }
    const assay_status status = space_finish_with(r->space, valid, (size_t)r->count, error);
    free(valid);
    return status;
}

static assay_status summarise(recorded *r, const char *path, assay_error *error)
{
    double *times = malloc(((size_t)r->count + 1) * sizeof *times);
    if (times == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a recorded space");
    for (long i = 0; i < r->count; i++)
        if (r->evaluations[i].status == EVALUATION_SUCCESS)
            times[r->success_count++] = r->evaluations[i].objective;
    stats_sort(times, (int)r->success_count);
    r->optimum = r->success_count ? times[0] : NAN;
    r->median = stats_sorted_quantile(times, (int)r->success_count, 0.5);
    free(times);
    return r->success_count ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_FORMAT, "%s has no success", path);
}

static assay_status fill(recorded *r, const char *path, const recorded_rows *rows, assay_error *error)
{
    size_t count = 0;
    assay_status status = space_create(&r->space, error);
    placed_row *placed = malloc((rows->count + 1) * sizeof *placed);
    if (status == ASSAY_OK && (rows->count == 0 || placed == NULL))
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s has no rows", path);
    if (status == ASSAY_OK)
        status = add_parameters(r, path, rows, error);
    for (size_t i = 0; status == ASSAY_OK && i < rows->count; i++) {
        if (rows->row[i].status == EVALUATION_CONSTRAINTS)
            continue;
        placed[count].row = &rows->row[i];
        status = configuration_from_json(r->space, rows->row[i].configuration, &placed[count++].c, error);
    }
    if (status == ASSAY_OK)
        status = place_rows(r, placed, count, error);
    free(placed);
    return status == ASSAY_OK ? summarise(r, path, error) : status;
}

assay_status recorded_read(const char *path, recorded **out, assay_error *error)
{
    recorded_rows rows;
    *out = NULL;
    assay_status status = recorded_rows_read(path, &rows, error);
    recorded *r = status == ASSAY_OK ? calloc(1, sizeof *r) : NULL;
    if (status == ASSAY_OK && r == NULL)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a recorded space");
    if (status == ASSAY_OK) {
        snprintf(r->name, sizeof r->name, "%s", rows.name);
        status = fill(r, path, &rows, error);
    }
    recorded_rows_release(&rows);
    if (status != ASSAY_OK) {
        recorded_free(r);
        return status;
    }
    *out = r;
    return ASSAY_OK;
}

void recorded_free(recorded *r)
{
    if (r == NULL)
        return;
    space_free(r->space);
    free(r->evaluations);
    free(r->cost_s);
    free(r);
}

const evaluation *recorded_at(const recorded *r, const configuration *c)
{
    long low = 0, high = r->count - 1;
    while (low <= high) {
        const long middle = low + (high - low) / 2;
        int difference = 0;
        for (int i = 0; difference == 0 && i < SPACE_MAX_PARAMETERS; i++)
            difference = (int)r->evaluations[middle].configuration.index[i] - (int)c->index[i];
        if (difference == 0)
            return &r->evaluations[middle];
        if (difference < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

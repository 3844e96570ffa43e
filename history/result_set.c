/* One side of a comparison: see result_set.h. */
#include "history/result_set.h"
#include "statistics/describe.h"
#include "history/ingest_files.h"
#include "core/json_file.h"
#include "history/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void result_set_release(result_set *set)
{
    for (int i = 0; i < set->count; i++)
        json_decref(set->results[i]);
    free(set->results);
    *set = (result_set){0};
}

static assay_status append(result_set *set, json_t *reduced, assay_error *error)
{
    if (set->count == set->capacity) {
        const int capacity = set->capacity ? 2 * set->capacity : 64;
        json_t **grown = realloc(set->results, (size_t)capacity * sizeof *grown);
        if (!grown) {
            json_decref(reduced);
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d results", capacity);
        }
        set->results = grown;
        set->capacity = capacity;
    }
    set->results[set->count++] = reduced;
    return ASSAY_OK;
}

/* Numbers of a JSON array; malloc'ed, NULL for none. */
static double *take_numbers(const json_t *array, int *count)
{
    const size_t size = json_array_size(array);
    double *values = size > 0 ? malloc(size * sizeof *values) : NULL;
    *count = values ? (int)size : 0;
    for (int i = 0; i < *count; i++)
        values[i] = json_number_value(json_array_get(array, (size_t)i));
    return values;
}

static double locate(const json_t *repetition)
{
    int count = 0;
    double *samples = take_numbers(json_object_get(repetition, "samples_us"), &count);
    double location = samples ? stats_midmean(samples, count) : NAN;
    free(samples);
    if (isfinite(location))
        return location;
    double *quantiles = take_numbers(json_object_get(repetition, "quantiles_us"), &count);
    location = quantiles ? stats_midmean_of_quantiles(quantiles, count)
                         : json_get_number(repetition, "median_us", NAN);
    free(quantiles);
    return location;
}

static json_int_t reasons_of(const json_t *repetition)
{
    const json_int_t before =
        json_integer_value(json_object_get(json_object_get(repetition, "before"), "reasons"));
    const json_int_t after =
        json_integer_value(json_object_get(json_object_get(repetition, "after"), "reasons"));
    return (before > 0 ? before : 0) | (after > 0 ? after : 0);
}

static json_t *reduce_figure(const json_t *figure)
{
    json_t *locations = json_array(), *turns = json_array(), *repetition;
    json_int_t reasons = 0;
    size_t i;
    json_array_foreach(json_object_get(figure, "repetitions"), i, repetition)
    {
        json_array_append_new(locations, json_number(locate(repetition)));
        json_array_append_new(turns, json_integer((json_int_t)json_get_number(repetition, "turn", -1)));
        reasons |= reasons_of(repetition);
    }
    const json_t *during = json_object_get(json_object_get(figure, "during"), "reasons");
    const char *reason;
    json_t *share;
    json_object_foreach((json_t *)during, reason, share)
    {
        if (json_number_value(share) > 0)
            reasons |= (json_int_t)(strtoull(reason, NULL, 16) & 0xffff);
    }
    return json_pack("{s:o, s:o, s:I}", "locations", locations, "turns", turns, "reasons", reasons);
}

json_t *result_reduce(json_t *assay)
{
    static const char *const kept[] = {"op",           "variant", "dtype",         "size",    "dims",
                                       "params",       "kind",    "status",        "reason",  "math_mode",
                                       "inputs",       "device",  "source_sha256", "version", "method",
                                       "output_check", "time",    "floor_us"};
    json_t *out = json_object(), *figures = json_object(), *figure;
    const char *name;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (json_object_get(assay, kept[i]))
            json_object_set(out, kept[i], json_object_get(assay, kept[i]));
    json_object_foreach(json_object_get(assay, "figures"), name, figure)
        json_object_set_new(figures, name, reduce_figure(figure));
    json_object_set_new(out, "figures", figures);
    json_decref(assay);
    return out;
}

assay_status result_set_add(result_set *set, json_t *assay, assay_error *error)
{
    return append(set, result_reduce(assay), error);
}

assay_status result_set_join(const result_set *a, const result_set *b, result_set *out, assay_error *error)
{
    assay_status status = ASSAY_OK;
    snprintf(out->label, sizeof out->label, "%s", a->label);
    out->unreadable = a->unreadable + b->unreadable;
    for (int i = 0; status == ASSAY_OK && i < a->count; i++)
        status = append(out, json_incref(a->results[i]), error);
    for (int i = 0; status == ASSAY_OK && i < b->count; i++)
        status = append(out, json_incref(b->results[i]), error);
    return status;
}

assay_status result_set_load_path(const char *path, result_set *set, FILE *messages, assay_error *error)
{
    file_list files = {0};
    snprintf(set->label, sizeof set->label, "%s", path);
    assay_status status = find_result_files(path, &files, NULL, error);
    file_list_sort(&files);
    for (int i = 0; status == ASSAY_OK && i < files.count; i++) {
        json_t *assay = NULL;
        assay_error fault = {0};
        if (result_file_read(files.paths[i], &assay, &fault) == ASSAY_OK) {
            status = result_set_add(set, assay, error);
            continue;
        }
        set->unreadable++;
        if (messages)
            fprintf(messages, "%s\n", fault.message);
    }
    if (status == ASSAY_OK && set->count == 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s: no usable result files (OP.NAME.DTYPE.SIZE.json) there", path);
    file_list_release(&files);
    return status;
}

typedef struct id_list {
    int64_t *ids;
    int count, capacity, failed;
} id_list;

/* Rows of one result follow each other only within a figure, so an id may come several times. */
static int add_id(void *context, const history_row *row)
{
    id_list *list = context;
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 256;
        int64_t *grown = realloc(list->ids, (size_t)capacity * sizeof *grown);
        list->failed = grown == NULL;
        if (!grown)
            return 1;
        list->ids = grown;
        list->capacity = capacity;
    }
    list->ids[list->count++] = row->result_id;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

assay_status result_set_load_commit(history *h, const char *commit, result_set *set, assay_error *error)
{
    char hash[64];
    id_list list = {0};
    assay_status status = history_find_revision(h, commit, hash, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(set->label, sizeof set->label, "commit %.12s", hash);
    status = history_each_row(h, &(history_filter){.commits = hash}, add_id, &list, error);
    if (status == ASSAY_OK && list.failed)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the results of a commit");
    if (list.count > 0)
        qsort(list.ids, (size_t)list.count, sizeof *list.ids, by_id);
    for (int i = 0; status == ASSAY_OK && i < list.count; i++) {
        json_t *assay = NULL;
        if (i > 0 && list.ids[i] == list.ids[i - 1])
            continue;
        status = history_result_document(h, list.ids[i], 1, &assay, error);
        if (status == ASSAY_OK)
            status = result_set_add(set, assay, error);
    }
    free(list.ids);
    return status;
}

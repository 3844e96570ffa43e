/* One side of a comparison: see result_set.h. */
#include "history/result_set.h"
#include "core/utf8.h"
#include "results/result_file.h"
#include "results/results_folder.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>

static void release_result(set_result *item)
{
    result_free(item->r);
    for (int mode = 0; mode < TIMING_MODES; mode++)
        free(item->midmeans_us[mode]);
}

void result_set_release(result_set *set)
{
    for (int i = 0; !set->borrowed && i < set->count; i++)
        release_result(&set->results[i]);
    free(set->results);
    *set = (result_set){0};
}

static assay_status append(result_set *set, const set_result *item, assay_error *error)
{
    if (set->count == set->capacity) {
        const int capacity = set->capacity ? 2 * set->capacity : 64;
        set_result *grown = realloc(set->results, (size_t)capacity * sizeof *grown);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d results", capacity);
        set->results = grown;
        set->capacity = capacity;
    }
    set->results[set->count++] = *item;
    return ASSAY_OK;
}

static double midmean_of(const result_repetition *repetition)
{
    if (repetition->samples_us)
        return stats_midmean(repetition->samples_us, repetition->sample_count);
    if (repetition->quantile_count > 0)
        return stats_midmean_of_quantiles(repetition->quantiles_us, repetition->quantile_count);
    return repetition->median_us;
}

static assay_status find_midmeans(const result *r, set_result *item, assay_error *error)
{
    for (int mode = 0; mode < TIMING_MODES; mode++) {
        const result_times *times = result_get(r, (timing_mode)mode);
        if (!times || times->repetition_count == 0)
            continue;
        double *values = malloc((size_t)times->repetition_count * sizeof *values);
        if (!values)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the times of a result");
        for (int i = 0; i < times->repetition_count; i++)
            values[i] = midmean_of(&times->repetitions[i]);
        item->midmeans_us[mode] = values;
    }
    return ASSAY_OK;
}

/* Samples are nine tenths of a result's memory. */
static assay_status drop_samples(result **r, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    result *slim = NULL;
    assay_status status = result_write_text(*r, RESULT_LOAD_SUMMARY, &text, &bytes, error);
    if (status == ASSAY_OK)
        status = result_read_text(text, bytes, "a result", RESULT_LOAD_SUMMARY, &slim, error);
    free(text);
    if (status == ASSAY_OK) {
        result_free(*r);
        *r = slim;
    }
    return status;
}

assay_status result_set_add(result_set *set, result *r, assay_error *error)
{
    set_result item = {.r = r};
    assay_status status = find_midmeans(r, &item, error);
    if (status == ASSAY_OK)
        status = drop_samples(&item.r, error);
    if (status == ASSAY_OK)
        status = append(set, &item, error);
    if (status != ASSAY_OK)
        release_result(&item);
    return status;
}

assay_status result_set_join(const result_set *a, const result_set *b, result_set *out, assay_error *error)
{
    assay_status status = ASSAY_OK;
    snprintf(out->label, sizeof out->label, "%s", a->label);
    out->unreadable = a->unreadable + b->unreadable;
    out->borrowed = 1;
    for (int i = 0; status == ASSAY_OK && i < a->count; i++)
        status = append(out, &a->results[i], error);
    for (int i = 0; status == ASSAY_OK && i < b->count; i++)
        status = append(out, &b->results[i], error);
    return status;
}

typedef struct path_load {
    result_set *set;
    FILE *messages;
} path_load;

static assay_status add_item(void *context, results_item *item, assay_error *error)
{
    const path_load *load = context;
    if (item->kind == RESULTS_RESULT)
        return result_set_add(load->set, item->result, error);
    load->set->unreadable++;
    if (load->messages)
        clean_printf(load->messages, "%s: %s\n", item->path, item->reason);
    return ASSAY_OK;
}

assay_status result_set_load_path(const char *path, result_set *set, FILE *messages, assay_error *error)
{
    path_load load = {set, messages};
    snprintf(set->label, sizeof set->label, "%s", path);
    const assay_status status =
        results_each(path, RESULTS_WITH_RESULTS, RESULT_LOAD_SAMPLES, add_item, &load, error);
    if (status == ASSAY_OK && set->count == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: no usable result files (OP.NAME.DTYPE.SIZE.json) there", path);
    return status;
}

static assay_status add_result(void *context, result *r, assay_error *error)
{
    return result_set_add(context, r, error);
}

assay_status result_set_load_commit(history *h, const char *commit, result_set *set, assay_error *error)
{
    char hash[64];
    const assay_status status = history_find_revision(h, commit, hash, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(set->label, sizeof set->label, "commit %.12s", hash);
    return history_each_result(h, &(history_filter){.commits = hash}, RESULT_LOAD_SAMPLES, add_result, set,
                               error);
}

/* Compact results for keeping: samples become 21 quantiles, everything a report reads stays. */
#include "report/report.h"
#include "core/json_file.h"
#include "report/report_model.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUANTILES = 21, KEPT_DIGITS = 6, QUANTILE_DIGITS = 5 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A number with `digits` significant digits; whole ones without a fraction, which is shorter and means the same. */
static json_t *rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    const double kept = strtod(text, NULL);
    return kept == floor(kept) && fabs(kept) < 1e15 ? json_integer((json_int_t)kept) : json_real(kept);
}

/* Sorted values at 0%, 5%, ... 100%, between neighbours by their distance. New reference. */
static json_t *quantiles_of(double *values, size_t count)
{
    json_t *out = json_array();
    qsort(values, count, sizeof *values, compare_doubles);
    for (int q = 0; q < QUANTILES && count > 0; q++) {
        const double at = (double)q / (QUANTILES - 1) * (double)(count - 1);
        const size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
        json_array_append_new(
            out, rounded(values[low] + (at - (double)low) * (values[high] - values[low]), QUANTILE_DIGITS));
    }
    return out;
}

static void compact_repetition(json_t *repetition)
{
    const json_t *samples = json_object_get(repetition, "samples_us");
    if (!json_is_array(samples))
        return; /* compact already */
    const size_t all = json_array_size(samples);
    double *values = malloc((all + 1) * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; values && i < all; i++)
        if (json_is_number(json_array_get(samples, i)))
            values[count++] = json_number_value(json_array_get(samples, i));
    json_object_set_new(repetition, "sample_count", json_integer((json_int_t)all));
    json_object_set_new(repetition, "quantiles_us", values ? quantiles_of(values, count) : json_array());
    json_object_del(repetition, "samples_us");
    free(values);
}

/* Round every real below `value`; integers stay as they are. */
static void round_reals(json_t *value)
{
    const char *key;
    void *next;
    json_t *item;
    size_t i;
    if (json_is_object(value))
        json_object_foreach_safe(value, next, key, item)
        {
            if (json_is_real(item))
                json_object_set_new(value, key, rounded(json_real_value(item), KEPT_DIGITS));
            else
                round_reals(item);
        }
    else
        json_array_foreach(value, i, item)
        {
            if (json_is_real(item))
                json_array_set_new(value, i, rounded(json_real_value(item), KEPT_DIGITS));
            else
                round_reals(item);
        }
}

static void compact_result(json_t *root)
{
    json_t *figures = json_object_get(json_object_get(root, "assay"), "figures"),
           *benchmarks = json_object_get(root, "benchmarks");
    json_t *figure, *repetition;
    const char *name;
    size_t i;
    json_object_foreach(figures, name, figure) json_array_foreach(json_object_get(figure, "repetitions"), i,
                                                                  repetition) compact_repetition(repetition);
    for (i = json_array_size(benchmarks);
         i-- > 0;) /* the repetitions are kept above, the other aggregates with the figure */
        if (strcmp(json_get_text(json_array_get(benchmarks, i), "aggregate_name", ""), "mean") != 0)
            json_array_remove(benchmarks, i);
    round_reals(benchmarks);
}

/* A check that passed keeps its errors; its tolerance is in op.json, and there is no mismatch to list. */
static void compact_verdict(json_t *root)
{
    json_t *checks = json_object_get(root, "checks"), *check;
    size_t i;
    json_array_foreach(checks, i, check)
    {
        if (strcmp(json_get_text(check, "status", ""), "pass") != 0)
            continue;
        json_object_del(check, "tolerance");
        json_object_del(check, "mismatches");
        if (!*json_get_text(check, "reason", ""))
            json_object_del(check, "reason");
    }
    round_reals(checks);
}

static int is_unreadable(const report_model *model, const char *file)
{
    for (int i = 0; i < model->unreadable_count; i++)
        if (strcmp(model->unreadable[i].file, file) == 0)
            return 1;
    return 0;
}

static assay_status export_file(const report_model *model, const char *file, const char *out_dir,
                                void (*compact)(json_t *), assay_error *error)
{
    char from[4700], to[4700];
    json_t *root = NULL;
    snprintf(from, sizeof from, "%s/%s", model->results, file);
    snprintf(to, sizeof to, "%s/%s", out_dir, file);
    assay_status status = json_file_read(from, &root, error);
    if (status != ASSAY_OK)
        return status;
    if (compact)
        compact(root);
    status = json_file_write(to, root, compact != NULL, error);
    json_decref(root);
    return status;
}

static int is_json(const struct dirent *item)
{
    const size_t length = strlen(item->d_name);
    return item->d_name[0] != '.' && length > 5 && strcmp(item->d_name + length - 5, ".json") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static assay_status export_folder(const report_model *model, const char *folder, const char *out_dir,
                                  void (*compact)(json_t *), int *exported, assay_error *error)
{
    char path[4608], file[512];
    struct dirent **items = NULL;
    assay_status status = ASSAY_OK;
    snprintf(path, sizeof path, "%s/%s", model->results, folder);
    const int count = scandir(path, &items, is_json, by_bytes);
    for (int i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, items[i]->d_name);
        free(items[i]);
        if (status != ASSAY_OK || is_unreadable(model, file))
            continue;
        status = export_file(model, file, out_dir, compact, error);
        *exported += status == ASSAY_OK;
    }
    free(items);
    return status;
}

static assay_status export_all(const report_model *model, const char *out_dir, int *exported,
                               assay_error *error)
{
    static const char *const single[] = {"ceilings.json", "env.json"};
    assay_status status = export_folder(model, "verify", out_dir, compact_verdict, exported, error);
    if (status == ASSAY_OK)
        status = export_folder(model, "bench", out_dir, compact_result, exported, error);
    for (int i = 0; i < 2 && status == ASSAY_OK; i++) {
        char path[4608];
        snprintf(path, sizeof path, "%s/%s", model->results, single[i]);
        if (access(path, R_OK) != 0 || is_unreadable(model, single[i]))
            continue;
        status = export_file(model, single[i], out_dir, NULL, error);
        *exported += status == ASSAY_OK;
    }
    return status;
}

/* Writing over the originals would throw the samples away. */
static int same_folder(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    const int same = real_a && real_b && strcmp(real_a, real_b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

assay_status report_export(const workspace *ws, const char *results_dir, const char *out_dir, int *exported,
                           FILE *messages, assay_error *error)
{
    report_model model;
    int count = 0;
    assay_status status = report_model_read(ws, results_dir, &model, error);
    if (status == ASSAY_OK && same_folder(model.results, out_dir))
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s: compact results cannot replace the results they are made from; "
                                 "name another folder",
                                 out_dir);
    if (status == ASSAY_OK)
        status = export_all(&model, out_dir, &count, error);
    for (int i = 0; messages && i < model.unreadable_count; i++)
        fprintf(messages, "%s: skipped: %s\n", model.unreadable[i].file, model.unreadable[i].reason);
    if (status == ASSAY_OK)
        status = report_model_verdict(&model, error);
    if (exported)
        *exported = count;
    report_model_release(&model);
    return status;
}

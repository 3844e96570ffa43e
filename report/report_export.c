/* Compact results for keeping: samples become 21 quantiles, everything a report reads stays. */
#include "report/report.h"
#include "core/json_file.h"
#include "report/report_model.h"
#include "results/results_archive.h"
#include "results/results_folder.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTILES = 21, KEPT_DIGITS = 6, QUANTILE_DIGITS = 5 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A number with `digits` significant digits. */
static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* Sorted values at 0%, 5%, ... 100%, between neighbours by their distance. */
static void make_quantiles(result *r, result_repetition *repetition)
{
    const int count = repetition->sample_count;
    double *quantiles = result_alloc(r, QUANTILES * sizeof *quantiles);
    if (!quantiles || count == 0)
        return;
    qsort(repetition->samples_us, (size_t)count, sizeof(double), compare_doubles);
    for (int q = 0; q < QUANTILES; q++) {
        const double at = (double)q / (QUANTILES - 1) * (count - 1);
        const int low = (int)at, high = low + 1 < count ? low + 1 : low;
        const double a = repetition->samples_us[low], b = repetition->samples_us[high];
        quantiles[q] = rounded(a + (at - low) * (b - a), QUANTILE_DIGITS);
    }
    repetition->quantiles_us = quantiles;
    repetition->quantile_count = QUANTILES;
}

static void compact_result(result *r)
{
    for (int m = 0; m < TIMING_MODES; m++)
        for (int i = 0; i < r->times[m].repetition_count; i++) {
            result_repetition *repetition = &r->times[m].repetitions[i];
            if (!repetition->samples_us)
                continue; /* compact already */
            make_quantiles(r, repetition);
            repetition->samples_us = NULL;
            repetition->mean_us = rounded(repetition->mean_us, KEPT_DIGITS);
            repetition->median_us = rounded(repetition->median_us, KEPT_DIGITS);
        }
}

/* Characters of a check's name up to the run: "one: repeat" is a run of the edge case "one". 0: the name is a run's alone. */
static size_t case_length(const json_t *check)
{
    const char *name = json_get_text(check, "name", ""), *end = strstr(name, ": ");
    return end ? (size_t)(end - name) : 0;
}

static int is_run_of(const json_t *check, const json_t *first)
{
    const size_t length = case_length(first);
    return length > 0 && case_length(check) == length &&
           strcmp(json_get_text(check, "status", ""), "pass") == 0 &&
           strncmp(json_get_text(check, "name", ""), json_get_text(first, "name", ""), length) == 0;
}

static size_t find_largest(const json_t *checks, size_t begin, size_t end, const char *key)
{
    size_t largest = begin;
    for (size_t i = begin + 1; i < end; i++)
        if (json_get_number(json_array_get(checks, i), key, 0.0) >
            json_get_number(json_array_get(checks, largest), key, 0.0))
            largest = i;
    return largest;
}

/* Of the runs of an edge case that passed, the one nearest to its bound stays, and the one that is off by most ULP: the errors
 * that reports show. */
static void keep_largest_errors(json_t *checks)
{
    for (size_t begin = 0, kept; begin < json_array_size(checks); begin += kept) {
        const json_t *first = json_array_get(checks, begin);
        size_t end = begin + 1;
        while (is_run_of(first, first) && is_run_of(json_array_get(checks, end), first))
            end++;
        const size_t ratio = find_largest(checks, begin, end, "worst_ratio"),
                     ulp = find_largest(checks, begin, end, "max_ulp");
        for (size_t i = end; i-- > begin;)
            if (i != ratio && i != ulp)
                json_array_remove(checks, i);
        kept = ratio == ulp ? 1 : 2;
    }
}

/* A check that passed keeps its errors; its tolerance is in op.json, and there is no mismatch to list. */
static void compact_verdict(json_t *root)
{
    json_t *check;
    size_t i;
    json_array_foreach(json_object_get(root, "checks"), i, check)
    {
        if (strcmp(json_get_text(check, "status", ""), "pass") != 0)
            continue;
        json_object_del(check, "tolerance");
        json_object_del(check, "mismatches");
        if (!*json_get_text(check, "reason", ""))
            json_object_del(check, "reason");
    }
    keep_largest_errors(json_object_get(root, "checks"));
}

typedef struct job {
    const char *out_dir;
    results_archive *archive;
    FILE *messages;
    int exported, skipped; /* results and verdicts; files */
} job;

static assay_status copy_json(const char *from, const char *to, assay_error *error)
{
    json_t *root = NULL;
    assay_status status = json_file_read(from, &root, error);
    if (status == ASSAY_OK)
        status = json_file_write(to, root, 0, error);
    json_decref(root);
    return status;
}

static assay_status export_item(void *context, results_item *item, assay_error *error)
{
    job *j = context;
    char to[4700];
    assay_status status = ASSAY_OK;
    if (item->kind == RESULTS_FAULT) {
        j->skipped++;
        if (j->messages)
            fprintf(j->messages, "%s: skipped: %s\n", item->name, item->reason);
        return ASSAY_OK;
    }
    if (item->kind == RESULTS_RESULT) {
        compact_result(item->result);
        status = results_archive_add(j->archive, item->result, RESULT_LOAD_SAMPLES, error);
    } else if (item->kind == RESULTS_VERDICT) {
        compact_verdict(item->verdict);
        status = results_archive_add_verdict(j->archive, item->verdict, error);
    } else {
        snprintf(to, sizeof to, "%s/%s", j->out_dir, item->name);
        status = copy_json(item->path, to, error);
    }
    result_free(item->result);
    json_decref(item->verdict);
    j->exported += status == ASSAY_OK && item->kind != RESULTS_SNAPSHOT;
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

assay_status report_export(const char *results_dir, const char *out_dir, int *exported, FILE *messages,
                           assay_error *error)
{
    job j = {.out_dir = out_dir, .messages = messages};
    if (same_folder(results_dir, out_dir))
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: compact results cannot replace the results they are made from; "
                               "name another folder",
                               out_dir);
    j.archive = results_archive_open(out_dir);
    if (!j.archive)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for compact results");
    assay_status status =
        results_each(results_dir, RESULTS_WITH_RESULTS | RESULTS_WITH_VERDICTS | RESULTS_WITH_SNAPSHOTS,
                     RESULT_LOAD_SAMPLES, export_item, &j, error);
    const assay_status written =
        results_archive_close(j.archive, status == ASSAY_OK, NULL, status == ASSAY_OK ? error : NULL);
    status = status == ASSAY_OK ? written : status;
    if (exported)
        *exported = j.exported;
    if (status == ASSAY_OK && j.skipped)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%d file%s could not be read", j.skipped,
                                 j.skipped > 1 ? "s" : "");
    return status;
}

/* What a group measured, as plain data: see record.h. */
#include "bench/run/record.h"
#include "core/list.h"
#include "statistics/describe.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_set_status(bench_record *record, const char *status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(record->status, sizeof record->status, "%s", status);
    vsnprintf(record->reason, sizeof record->reason, format, arguments);
    va_end(arguments);
}

static assay_status grow(figure_record *figure, assay_error *error)
{
    if (figure->count < figure->capacity)
        return ASSAY_OK;
    const int capacity = figure->capacity ? 2 * figure->capacity : 16;
    repetition_record *grown = realloc(figure->repetitions, sizeof *grown * (size_t)capacity);
    if (!grown)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d repetitions", capacity);
    figure->repetitions = grown;
    figure->capacity = capacity;
    return ASSAY_OK;
}

assay_status record_add_repetition(figure_record *figure, const double *us, int count,
                                   const repetition_record *like, assay_error *error)
{
    const assay_status status = grow(figure, error);
    if (status != ASSAY_OK)
        return status;
    repetition_record *repetition = &figure->repetitions[figure->count];
    *repetition = *like;
    repetition->us = malloc(sizeof *us * (size_t)(count > 0 ? count : 1));
    repetition->count = count;
    if (!repetition->us)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d samples", count);
    memcpy(repetition->us, us, sizeof *us * (size_t)count);
    figure->count++;
    return ASSAY_OK;
}

void record_release(bench_record *record)
{
    for (int f = 0; f < record->figure_count; f++) {
        figure_record *figure = &record->figures[f];
        for (int r = 0; r < figure->count; r++)
            free(figure->repetitions[r].us);
        free(figure->repetitions);
        health_log_release(&figure->during);
    }
    record->figure_count = 0;
}

void record_means(const figure_record *figure, double *means)
{
    for (int r = 0; r < figure->count; r++)
        means[r] = stats_mean(figure->repetitions[r].us, figure->repetitions[r].count);
}

const figure_method *figure_method_find(const char *name)
{
    static const figure_method all[] = {
        {"cold", "cold", NULL},   {"cold_read", "cold", "read"},    {"hot", "hot", NULL},
        {"burst", "burst", NULL}, {"sustained", "sustained", NULL}, {"host", "host", NULL}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static assay_status unknown_figure(const char *name, const char *list, assay_error *error)
{
    return assay_error_set(
        error, ASSAY_ERR_INVALID,
        "unknown figure '%s' in '%s'; there are cold, cold_read, hot, burst, sustained and host", name, list);
}

assay_status figure_list_check(const char *list, assay_error *error)
{
    const figure_method *seen[RECORD_MOST_FIGURES];
    int count = 0;
    for (list_item item = {0}; list_next(list, &item);) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        const figure_method *method = figure_method_find(name);
        if (!method)
            return unknown_figure(name, list, error);
        for (int i = 0; i < count; i++)
            if (seen[i] == method)
                return assay_error_set(error, ASSAY_ERR_INVALID, "figure '%s' is named twice in '%s'", name,
                                       list);
        seen[count++] = method; /* each once: no more than there are */
    }
    return count > 0 ? ASSAY_OK : unknown_figure("", list, error);
}

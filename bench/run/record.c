/* What a group measured, as plain data: see record.h. */
#include "bench/run/record.h"
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
    free(record->benchmark_report);
    record->benchmark_report = NULL;
}

void record_means(const figure_record *figure, double *means)
{
    for (int r = 0; r < figure->count; r++)
        means[r] = stats_mean(figure->repetitions[r].us, figure->repetitions[r].count);
}

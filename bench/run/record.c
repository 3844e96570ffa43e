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

static assay_status grow(mode_record *one, assay_error *error)
{
    if (one->count < one->capacity)
        return ASSAY_OK;
    const int capacity = one->capacity ? 2 * one->capacity : 16;
    repetition_record *grown = realloc(one->repetitions, sizeof *grown * (size_t)capacity);
    if (!grown)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d repetitions", capacity);
    one->repetitions = grown;
    one->capacity = capacity;
    return ASSAY_OK;
}

assay_status record_add_repetition(mode_record *one, const double *us, int count,
                                   const repetition_record *like, assay_error *error)
{
    const assay_status status = grow(one, error);
    if (status != ASSAY_OK)
        return status;
    repetition_record *repetition = &one->repetitions[one->count];
    *repetition = *like;
    repetition->us = malloc(sizeof *us * (size_t)(count > 0 ? count : 1));
    repetition->count = count;
    if (!repetition->us)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d samples", count);
    memcpy(repetition->us, us, sizeof *us * (size_t)count);
    one->count++;
    return ASSAY_OK;
}

void record_release(bench_record *record)
{
    for (int m = 0; m < record->mode_count; m++) {
        mode_record *one = &record->modes[m];
        for (int r = 0; r < one->count; r++)
            free(one->repetitions[r].us);
        free(one->repetitions);
        health_log_release(&one->during);
    }
    record->mode_count = 0;
    free(record->benchmark_report);
    record->benchmark_report = NULL;
}

void record_means(const mode_record *one, double *means)
{
    for (int r = 0; r < one->count; r++)
        means[r] = stats_mean(one->repetitions[r].us, one->repetitions[r].count);
}

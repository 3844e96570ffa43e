/* The list of ceilings that the measuring files fill, statistics of their samples, and timing by events. No kernel is here. */
#include "bench/ceilings/ceilings_list.h"
#include "core/process.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A card may run a little above the clock that it states. */
static const double most_over_theory = 1.25;

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double ceiling_median(double *values, int count)
{
    if (count <= 0)
        return 0.0;
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double deviation(const double *values, int count)
{
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < count; i++)
        mean += values[i] / count;
    for (int i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(squares / (count - 1)) : 0.0;
}

assay_status ceiling_add(ceiling_list *list, const char *name, const char *unit, double *samples, int count,
                         double theoretical, assay_error *error, const char *format, ...)
{
    if (count <= 0 || list->count == CEILINGS_MAX)
        return assay_error_set(error, ASSAY_ERR_INVALID, "ceiling %s: %s", name,
                               count <= 0 ? "no samples" : "too many ceilings");
    ceiling *item = &list->items[list->count++];
    memset(item, 0, sizeof *item);
    snprintf(item->name, sizeof item->name, "%s", name);
    snprintf(item->unit, sizeof item->unit, "%s", unit);
    item->median = ceiling_median(samples, count); /* sorts */
    item->min = samples[0];
    item->max = samples[count - 1];
    item->stddev = deviation(samples, count);
    item->samples = count;
    item->theoretical = theoretical;
    if (theoretical > 0.0 && item->median > most_over_theory * theoretical)
        return assay_error_set(
            error, ASSAY_ERR_DEVICE,
            "ceilings: %s: measured %.4g %s where the card can do %.4g: the kernel did not do its work", name,
            item->median, unit, theoretical);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item->method, sizeof item->method, format, arguments);
    va_end(arguments);
    return ASSAY_OK;
}

static void pause_for(int ms)
{
    const struct timespec duration = {ms / 1000, (ms % 1000) * 1000000L};
    nanosleep(&duration, NULL);
}

static assay_status enqueue_sample(assay_device *device, ceiling_launch launch, void *context,
                                   assay_event *events[2], assay_error *error)
{
    assay_status status = assay_event_record(events[0], error);
    if (status == ASSAY_OK)
        status = launch(context, device, error);
    return status == ASSAY_OK ? assay_event_record(events[1], error) : status;
}

/* Behind a blocking kernel: on an idle device the host's launch overhead would lie between the events. */
static assay_status run_alone(assay_device *device, ceiling_launch launch, void *context, int pause_ms,
                              assay_event *events[2], assay_error *error)
{
    assay_status status = assay_device_block(device, error);
    if (status == ASSAY_OK) {
        status = enqueue_sample(device, launch, context, events, error);
        const assay_status unblocked = assay_device_unblock(device, error);
        status = status == ASSAY_OK ? unblocked : status;
    }
    if (status == ASSAY_OK)
        status = assay_device_sync_stream(device, error);
    pause_for(pause_ms);
    return status;
}

static assay_status time_with_events(assay_device *device, ceiling_launch launch, void *context, int count,
                                     int pause_ms, assay_event *(*events)[2], double *us, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        status = pause_ms > 0 ? run_alone(device, launch, context, pause_ms, events[i], error)
                              : enqueue_sample(device, launch, context, events[i], error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        status = assay_event_elapsed_us(events[i][0], events[i][1], &us[i], error);
    return status;
}

assay_status ceiling_time(assay_device *device, ceiling_launch launch, void *context, int count, int pause_ms,
                          double *us, assay_error *error)
{
    assay_event *events[CEILING_SAMPLES][2] = {{NULL, NULL}};
    assay_status status = ASSAY_OK;
    for (int i = 0; i < 2 * count && status == ASSAY_OK; i++)
        status = assay_event_create(device, &events[i / 2][i % 2], error);
    if (status == ASSAY_OK)
        status = launch(context, device, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_stream(device, error);
    if (status == ASSAY_OK)
        status = time_with_events(device, launch, context, count, pause_ms, events, us, error);
    for (int i = 0; i < 2 * count; i++)
        assay_event_destroy(events[i / 2][i % 2]);
    return status;
}

assay_status ceiling_measure_latency(assay_device *device, ceiling_list *list, assay_error *error)
{
    enum { WARM_UP = 20, ROUND_TRIPS = 200 };
    double us[ROUND_TRIPS];
    for (int i = -WARM_UP; i < ROUND_TRIPS; i++) {
        const double from = process_clock_s();
        assay_status status = assay_device_launch_empty(device, error);
        if (status == ASSAY_OK)
            status = assay_device_sync_stream(device, error);
        if (status != ASSAY_OK)
            return status;
        if (i >= 0)
            us[i] = 1e6 * (process_clock_s() - from);
    }
    return ceiling_add(list, "launch_latency", "us", us, ROUND_TRIPS, 0.0, error,
                       "empty kernel, launch and wait for it, host time, %d round trips", ROUND_TRIPS);
}

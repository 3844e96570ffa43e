/* See host_event.h. */
#include "device/host_event.h"
#include <stdlib.h>
#include <time.h>

typedef struct host_event {
    assay_event base;
    int recorded;
    struct timespec time;
} host_event;

assay_status host_event_create(assay_device *device, assay_event **event, assay_error *error)
{
    host_event *created = calloc(1, sizeof *created);
    if (!created)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: no memory for an event", device->info.kind);
    created->base.device = device;
    *event = &created->base;
    return ASSAY_OK;
}

void host_event_destroy(assay_event *event)
{
    free(event);
}

void host_event_stamp(assay_event *event)
{
    host_event *own = (host_event *)event;
    clock_gettime(CLOCK_MONOTONIC, &own->time);
    own->recorded = 1;
}

assay_status host_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error)
{
    const host_event *first = (const host_event *)from, *last = (const host_event *)to;
    if (!first->recorded || !last->recorded)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: an event was never recorded",
                               from->device->info.kind);
    *us = (double)(last->time.tv_sec - first->time.tv_sec) * 1e6 +
          (double)(last->time.tv_nsec - first->time.tv_nsec) * 1e-3;
    return ASSAY_OK;
}

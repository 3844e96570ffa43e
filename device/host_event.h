/* Events of the devices that run on the host: an event is the host's time when all work before it was done. */
#ifndef ASSAY_DEVICE_HOST_EVENT_H
#define ASSAY_DEVICE_HOST_EVENT_H

#include "device/backend.h"

/* Functions of a device_backend. */
assay_status host_event_create(assay_device *device, assay_event **event, assay_error *error);
void host_event_destroy(assay_event *event);
assay_status host_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error);

/* Record the event now: call it when the stream has been waited for. */
void host_event_stamp(assay_event *event);

#endif

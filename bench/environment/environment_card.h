/* Findings about the device, and the list of findings itself: what environment.c adds the host's to. */
#ifndef ASSAY_BENCH_ENVIRONMENT_CARD_H
#define ASSAY_BENCH_ENVIRONMENT_CARD_H

#include <assay/device.h>
#include <jansson.h>

/* Append {"name", "value", "verdict", "effect"}; the value is a printf-style text. */
void environment_add(json_t *findings, const char *name, const char *verdict, const char *effect,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
void environment_add_card(json_t *findings, const assay_device_info *device);

#endif

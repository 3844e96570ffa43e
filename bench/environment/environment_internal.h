/* Shared by environment.c and environment_card.c. */
#ifndef ASSAY_BENCH_ENVIRONMENT_INTERNAL_H
#define ASSAY_BENCH_ENVIRONMENT_INTERNAL_H

#include <assay/device.h>
#include <jansson.h>

void environment_add(json_t *findings, const char *name, const char *verdict, const char *effect,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
void environment_add_card(json_t *findings, const assay_device_info *device);

#endif

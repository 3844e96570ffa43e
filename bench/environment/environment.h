/* What surrounds a measurement, and what each finding does to the times: the card's settings, what else runs, the host, and the versions of
 * everything that is linked. Only looks. `assay env` prints it, `assay bench` writes it beside the results as env_check.md. */
#ifndef ASSAY_BENCH_ENVIRONMENT_H
#define ASSAY_BENCH_ENVIRONMENT_H

#include <assay/device.h>
#include <jansson.h>

/* An array of {"name", "value", "verdict": "fine" | "note" | "warning", "effect"}; see docs/formats.md. `device` NULL: the host alone.
 * New reference. */
json_t *environment_check(const assay_device_info *device);

/* How many findings are warnings. */
int environment_warnings(const json_t *findings);

/* Write FOLDER/env_check.md: a table of the findings, with the device and the time. */
assay_status environment_write(const char *folder, const assay_device_info *device, const json_t *findings,
                               assay_error *error);

#endif

/* Least versions of what a run uses, each only if it is used. */
#ifndef ASSAY_OPTIMIZE_ENVIRONMENT_GATE_H
#define ASSAY_OPTIMIZE_ENVIRONMENT_GATE_H

#include "core/workspace.h"
#include <assay/device.h>

/* Array of {"name", "needed", "found", "used", "passed"}; "found" is "" where nothing was found. `baselines`: the list that the run times
 * (NULL: all that the op has). One whose library is not there is left out of the run, so torch and Triton are used only where they are
 * found. *missing gets how many of those that are used do not pass. New reference. */
json_t *environment_gate(const workspace *ws, const assay_device_info *device, int use_ncu,
                         const char *baselines, int *missing);

/* 1 if version `found` ("13.0.88") is at least `needed` ("11.6"): numbers between points, compared one by one. */
int version_at_least(const char *found, const char *needed);

#endif

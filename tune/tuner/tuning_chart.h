/* A picture of a tuning run as SVG: each evaluation's time over the time it was made at, and the best so far. */
#ifndef ASSAY_TUNE_TUNING_CHART_H
#define ASSAY_TUNE_TUNING_CHART_H

#include "tune/tuner/tuning.h"

/* ASSAY_ERR_INVALID: fewer than two successes, nothing to draw. */
assay_status tuning_chart_write(const tune_outcome *out, const char *path, assay_error *error);

#endif

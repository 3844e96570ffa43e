/* The results of some cases as JSON for `--json`: what each took, not its samples. */
#ifndef ASSAY_OUTSIDE_RESULTS_JSON_H
#define ASSAY_OUTSIDE_RESULTS_JSON_H

#include "core/workspace.h"

/* Array of {"op", "name", "kind", "dtype", "size", "status", "reason", "modes": {MODE: {"mean_us", "low_us", "high_us", "median_us",
 * "gbs", "tflops", "percent_of_bound"}}} of the results in a card's folder that the filter matches; baselines always belong. Empty where
 * there are none. New reference. */
json_t *results_json(const char *results, const case_filter *filter);

#endif

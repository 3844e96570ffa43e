/* What an archive says as a whole. */
#ifndef ASSAY_TUNE_ARCHIVE_STATS_H
#define ASSAY_TUNE_ARCHIVE_STATS_H

#include "tune/archive/archive.h"
#include <jansson.h>

/* *out, a new reference:
 * - attempts, successes, success_rate, runs
 * - by_status {name: count}; failures [{status, reason, count}], most frequent first, 20 at most
 * - parameters [{problem, name, impact, best_value, values [{value, count, geomean_us, best_us}]}]: impact is the share of the
 *   variance of log(time) that the parameter's value explains by itself (eta squared), largest first
 * - stability [{kernel, values, sizes, worst, mean}]: configurations that were timed at two sizes or
 *   more, by their worst share of the best time of a size; 10 at most */
assay_status archive_stats(archive *a, const archive_filter *filter, json_t **out, assay_error *error);

#endif

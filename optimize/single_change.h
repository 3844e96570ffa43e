/* The rule that a version differs from the one before it in exactly one thing, checked on the two sources.
 *
 * What counts as one change: the value of one tunable (`#define NAME NUMBER`, `constexpr int NAME = NUMBER`, `const int ...`); one technique that comes,
 * goes or is used elsewhere (shared memory, vector accesses, unrolling, warp collectives, tensor cores, asynchronous copies, launch
 * bounds, read-only loads), with all the code that it needs; or, where none of these changed, a rewrite of the rest. Comments and blanks
 * are no change. A checker cannot read minds: two ideas within one technique pass. */
#ifndef ASSAY_OPTIMIZE_SINGLE_CHANGE_H
#define ASSAY_OPTIMIZE_SINGLE_CHANGE_H

#include <assay/status.h>
#include <jansson.h>

/* ASSAY_OK with the names of the changes in *changes (array, new reference; may be NULL): one. ASSAY_ERR_CHECK: none or several, and which. */
assay_status single_change_check(const char *before, const char *after, json_t **changes, assay_error *error);

/* Tunables of a source: an object from names to numbers. New reference. */
json_t *single_change_tunables(const char *source);

/* The source with another value of a tunable; malloc'ed. NULL: it has none of that name. */
char *single_change_set(const char *source, const char *name, long long value);

#endif

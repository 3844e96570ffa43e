/* The log of a generated op, from its state alone. */
#ifndef ASSAY_OPTIMIZE_GENERATE_PAGES_H
#define ASSAY_OPTIMIZE_GENERATE_PAGES_H

#include "core/opspec.h"
#include <jansson.h>

enum { GENERATE_VARIANTS = 4, GENERATE_ATTEMPTS = 3 };

/* How many variants of a state are right, and timed. */
int generate_count(const json_t *state, const char *outcome);

/* FOLDER/OP_log.md. */
assay_status page_generate_log(const char *folder, const opspec *spec, const json_t *state,
                               assay_error *error);

/* FOLDER/summary.md of several ops: `states` is an array. */
assay_status page_generate_summary(const char *folder, const json_t *states, assay_error *error);

#endif

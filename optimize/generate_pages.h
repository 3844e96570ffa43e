/* The log of a generated op, from its state alone. */
#ifndef ASSAY_OPTIMIZE_GENERATE_PAGES_H
#define ASSAY_OPTIMIZE_GENERATE_PAGES_H

#include "core/opspec.h"
#include <jansson.h>

/* FOLDER/OP_log.md. */
assay_status page_generate_log(const char *folder, const opspec *spec, const json_t *state,
                               assay_error *error);

/* FOLDER/summary.md of several ops: `states` is an array. */
assay_status page_generate_summary(const char *folder, const json_t *states, assay_error *error);

#endif

/* A hash of what op.json says of a case: all that decides the problem or a verdict, and no description,
 * title or source. A change of it makes verdicts and results of the case another problem's. */
#ifndef ASSAY_RESULTS_PROBLEM_HASH_H
#define ASSAY_RESULTS_PROBLEM_HASH_H

#include "core/opspec.h"

enum { HASH_TEXT_BYTES = 65 };

/* Tensors with shapes and distributions, parameters with defaults, the tolerance of the dtype, and of the
 * size its dimensions on a device of this kind; of "edge" and "huge" all such cases of the dtype. `out`
 * gets hexadecimal text. A size that op.json does not have counts as one without dimensions.
 * ASSAY_ERR_NO_MEMORY. */
assay_status problem_hash(const opspec *spec, assay_dtype dtype, const char *size, const char *device_kind,
                          char out[HASH_TEXT_BYTES], assay_error *error);

#endif

/* Versions without a provider: one tunable of the kernel at a time, to the value beside the present one. */
#ifndef ASSAY_OPTIMIZE_TUNABLE_CHANGES_H
#define ASSAY_OPTIMIZE_TUNABLE_CHANGES_H

#include "core/opspec.h"
#include <jansson.h>

/* The next change of `source` that is not among `tried` (array of "NAME=VALUE"), as an answer of a provider is (source, hypothesis,
 * rationale, expected), with "change": "NAME=VALUE". Values are those of op.json where one of the op's variants has a tunable of that
 * name, else half and double. NULL: nothing is left. New reference. */
json_t *tunable_changes_next(const opspec *spec, const char *source, const json_t *tried);

#endif

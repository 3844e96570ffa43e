/* What a provider is told: docs/optimize.md has the keys. */
#ifndef ASSAY_OPTIMIZE_PROMPT_H
#define ASSAY_OPTIMIZE_PROMPT_H

#include "outside/outside.h"

/* What is to be computed and for what: name, torch name, formula, tensors, dtypes, the argument struct's header, the device. New reference. */
json_t *prompt_op(const outside *o, const char *device_name);

#endif

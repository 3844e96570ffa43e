/* Check a JSON value against the subset of JSON Schema used by ops/op.schema.json and cli/schemas/: type (one or a list), required, properties,
 * additionalProperties (false or a schema), items, minItems, enum. */
#ifndef ASSAY_CORE_SCHEMA_H
#define ASSAY_CORE_SCHEMA_H

#include <assay/status.h>
#include <jansson.h>

/* `file` prefixes the message, which names the key's path and what is allowed there. */
assay_status schema_check(const json_t *schema, const json_t *value, const char *file, assay_error *error);

#endif

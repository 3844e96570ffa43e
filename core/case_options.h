/* The options by which a command takes one case again. */
#ifndef ASSAY_CORE_CASE_OPTIONS_H
#define ASSAY_CORE_CASE_OPTIONS_H

#include "core/workspace.h"

/* The options that select the case: "--variant v2_tiling --set TILE=16 --dtype f32 --size small", with --dims and --params of a shape.
 * Values of a configuration come from its module's record: `record`, or where that is NULL the one that
 * case_module_path() names. A case without a variant (a baseline's) has no --variant. */
void case_options(const workspace *ws, const assay_case *c, const char *record, char *out, size_t out_bytes);

#endif

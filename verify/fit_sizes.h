/* Sizes that do not fit a device's memory, made smaller: `--shrink`. */
#ifndef ASSAY_VERIFY_FIT_SIZES_H
#define ASSAY_VERIFY_FIT_SIZES_H

#include "core/workspace.h"
#include <jansson.h>

/* Of the op's sizes in the list `sizes` (NULL: all of op.json, but not edge and huge cases) find those whose problem needs more than
 * `free_bytes` of device memory to be judged, in the widest dtype of `dtypes` (NULL: all of the op). Of such a one the largest dimension
 * is halved, again and again, until it fits; a dimension that cannot be halved under the op's rules is passed over for the next largest.
 * Appended to the array `shrunk`: {"op", "size", "shape", "name", "need_bytes", "free_bytes"}: the shape in the size's place and its
 * name (opspec_add_shape). The size itself stays and is skipped where it runs. One that fits in no form is not among them.
 * ASSAY_ERR_ENVIRONMENT: the op's reference cannot be loaded. */
assay_status fit_sizes(const workspace *ws, const workspace_op *op, const char *dtypes, const char *sizes,
                       int64_t free_bytes, json_t *shrunk, assay_error *error);

/* Add the shapes of `shrunk` that are of this op to it. */
assay_status fit_sizes_add(const workspace_op *op, const json_t *shrunk, assay_error *error);

/* The list `sizes`, where NULL stands for all sizes of the ops in the list `ops`, with the names of all of `shrunk` behind it. NULL, which
 * selects all, where both are empty. Free it. */
char *fit_sizes_list(const workspace *ws, const char *ops, const char *sizes, const json_t *shrunk);

#endif

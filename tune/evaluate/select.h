/* Making a problem or a configuration that a user names part of the workspace: what --set, --dims and libassay share. */
#ifndef ASSAY_TUNE_EVALUATE_SELECT_H
#define ASSAY_TUNE_EVALUATE_SELECT_H

#include "core/tuned_variant.h"

/* Add a shape by its dimensions and parameters; *name gets what the size is called. ASSAY_ERR_INVALID names what is wrong, also what only
 * the op's reference knows: an output that is too large. */
assay_status select_shape(const workspace_op *op, const char *dims, const char *params,
                          char name[ASSAY_NAME_MAX], assay_error *error);

/* Add the configuration of a variant, and hold it against op.json's constraints for every dtype and size of the lists (NULL: all). */
assay_status select_configuration(const workspace *ws, const workspace_op *op, const char *variant,
                                  const char *values, const char *dtypes, const char *sizes,
                                  tuned_variant *tuned, assay_error *error);

/* Make its modules for the dtypes of the list, unless they are current. */
assay_status select_make_modules(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                 const char *dtypes, assay_error *error);

#endif

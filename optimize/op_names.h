/* From the names that people write to the ops of a workspace: "softmax, F.layer_norm, torch.nn.functional.gelu". */
#ifndef ASSAY_OPTIMIZE_OP_NAMES_H
#define ASSAY_OPTIMIZE_OP_NAMES_H

#include "core/workspace.h"

enum { OP_NAMES_MOST = 32 };

/* All of a list with commas, blanks around them, each op once in the order named. ASSAY_ERR_INVALID: a name of no op, with those there are;
 * or none at all. */
assay_status op_names_resolve(const workspace *ws, const char *list, const workspace_op *ops[OP_NAMES_MOST],
                              int *count, assay_error *error);

#endif

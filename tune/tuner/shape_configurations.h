/* Which configurations of run-time tunables are tried at drawn shapes, and where constraints allow them. Inside the tuner only. */
#ifndef ASSAY_TUNE_SHAPE_CONFIGURATIONS_H
#define ASSAY_TUNE_SHAPE_CONFIGURATIONS_H

#include "tune/tuner/shape_tuning.h"

/* Fill t->configurations: the default, then all combinations that constraints allow at some shape, or of too many each tunable alone. *allowed
 * gets what constraints say at each shape, [shape * configurations + configuration], owned by the caller. */
assay_status shape_configurations_list(workspace *ws, const workspace_op *op, const tune_options *o,
                                       const shape_request *request, shape_table *t, unsigned char **allowed,
                                       assay_error *error);
/* Compile them on all cores; hashes[i] gets each module's source_sha256, "" where it did not compile. */
assay_status shape_configurations_compile(workspace *ws, const workspace_op *op, const tune_options *o,
                                          const shape_table *t, char (*hashes)[65], assay_error *error);

#endif

/* Reading a results folder into a model. Internal to report/, and for `assay targets`. */
#ifndef ASSAY_REPORT_REPORT_LOAD_H
#define ASSAY_REPORT_REPORT_LOAD_H

#include "report/report_model.h"

/* Read a results folder (NULL: ws->results). Broken files are listed in the model, never an error here.
 * ASSAY_ERR_INVALID if no usable file is there at all. Release also after a failure. */
assay_status report_model_read(const workspace *ws, const char *results_dir, report_model *model,
                               assay_error *error);

#endif

/* Which results may stand in one table (results/identity.h). Internal to report_read.c. */
#ifndef ASSAY_REPORT_REPORT_SELECT_H
#define ASSAY_REPORT_REPORT_SELECT_H

#include "report/report_model.h"

/* Take from the entries, which are sorted, every result that is not of today's problem (dimensions,
 * parameters, inputs, reference.c, op.json), of the machine of the newest result (card, driver, host), or of
 * its method in the version that this program has; and every verdict of another problem. model->left_out
 * says how many, and what differs. */
void report_select(report_model *model);

#endif

/* Fills a model's entries, ceilings and notes from model->results. Internal to report_load.c. */
#ifndef ASSAY_REPORT_REPORT_READ_H
#define ASSAY_REPORT_REPORT_READ_H

#include "report/report_model.h"

/* After this the entries are sorted and unique; their state is not set yet. */
void report_read_files(report_model *model);

#endif

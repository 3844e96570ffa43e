/* Fills a model's entries, ceilings and list of unusable files from model->results. Internal to report_model.c. */
#ifndef ASSAY_LOGS_REPORT_READ_H
#define ASSAY_LOGS_REPORT_READ_H

#include "report/report_model.h"

/* After this the entries are sorted and unique; their state is not set yet. */
void report_read_files(report_model *model);

/* Order of entries: op, kind, name, dtype, size. */
int report_entry_compare(const report_entry *a, const report_entry *b);

#endif

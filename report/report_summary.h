/* summary.md's context and summary.json, from one pass over the best kernels. Internal to logs/. */
#ifndef ASSAY_LOGS_REPORT_SUMMARY_H
#define ASSAY_LOGS_REPORT_SUMMARY_H

#include "report/report.h"
#include "report/report_model.h"

/* Count cases, wins and failures into `summary`, and set summary->json to the content of summary.json without its "files". */
void summary_collect(const report_model *model, report_summary *summary);

/* Everything that templates/summary.md may name. `files` are paths relative to the log folder, `roofline` and `speedup` the
 * plots' (or ""), `no_plots` says why there are none (or ""). New reference. */
json_t *summary_context(const report_model *model, const report_summary *summary, const json_t *files,
                        const char *roofline, const char *speedup, const char *no_plots);

#endif

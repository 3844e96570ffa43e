/* summary.md's context and summary.json. Internal to report/. */
#ifndef ASSAY_REPORT_REPORT_SUMMARY_H
#define ASSAY_REPORT_REPORT_SUMMARY_H

#include "report/report.h"
#include "report/report_model.h"

/* Count cases and outcomes into `summary`. */
void summary_count(const report_model *model, report_summary *summary);
/* Count, and set summary->json to the content of summary.json without its "files". */
void summary_collect(const report_model *model, report_summary *summary);

/* "12 wins, 9 ties, 13 losses" over the best kernels of all ops and dtypes, "2 incomplete" where there are
 * such; "" where none is judged. */
void summary_success_text(const report_summary *summary, char *out, size_t bytes);

/* Everything that templates/summary.md may name. `files` are paths relative to the log folder, `roofline`
 * and `speedup` the plots' (or ""), `no_plots` says why there are none (or ""). New reference. */
json_t *summary_context(const report_model *model, const report_summary *summary, const json_t *files,
                        const char *roofline, const char *speedup, const char *no_plots);

#endif

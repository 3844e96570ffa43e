/* The static site: from the history, and the logs and plots of reports, to a folder of pages that a browser opens from disk.
 *
 * index.html has the best kernel of each op beside its best baseline; cases.html lists all cases with filters and recent changes; op-OP.html has the trend of each case of an op; log-CARD-OP.html is a
 * report's log as HTML; environment.html says what was measured on what. Data lies in scripts (data/), one an op, so that nothing is
 * fetched and the overview stays small. The same history and reports give the same bytes. docs/dashboard.md describes the pages. */
#ifndef ASSAY_DASHBOARD_DASHBOARD_H
#define ASSAY_DASHBOARD_DASHBOARD_H

#include "history/history.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dashboard_options { /* zero-initialise; NULL means the default */
    const char *title;             /* of the site: "Assay" */
    const char
        *commit_url; /* put before a commit's hash to link to it; must begin with http:// or https:// */
    const char *const *reports; /* folders with OP_log.md and summary.json, as `assay report` writes them */
    int report_count;
    const history_filter *filter; /* which results to show */
    FILE *messages;               /* one line for each thing worth saying; NULL: silent */
} dashboard_options;

typedef struct dashboard_summary {
    int pages, ops, series, points, commits, changes, logs;
} dashboard_summary;

/* Write the site into `out` (made if missing; files of an earlier site are replaced, others left alone).
 * ASSAY_ERR_INVALID: no results match, or an option is wrong; ASSAY_ERR_IO: cannot be written. */
assay_status dashboard_write(history *h, const char *out, const dashboard_options *options,
                             dashboard_summary *summary, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* Percentages of the roofline bound need the card's ceilings: measured once a card, kept with its results. */
#ifndef ASSAY_BENCH_CEILINGS_ENSURE_H
#define ASSAY_BENCH_CEILINGS_ENSURE_H

#include "core/workspace.h"
#include <stdio.h>

/* 1 if ceilings_ensure() has nothing to measure. */
int ceilings_are_known(const workspace *ws);
/* Run assay-ceilings if RESULTS/ceilings.json is not there or is of an older revision (`ws->results` must be set). Results can be measured without it, so a failure
 * is for the caller to report, not to stop at. ASSAY_ERR_ENVIRONMENT: the program is missing or failed, and the message says how. */
assay_status ceilings_ensure(const workspace *ws, FILE *progress, assay_error *error);

#endif

/* Percentages of the roofline bound need the card's ceilings: measured once a card, kept with its results. */
#ifndef ASSAY_BENCH_CEILINGS_ENSURE_H
#define ASSAY_BENCH_CEILINGS_ENSURE_H

#include "core/workspace.h"
#include <assay/device.h>
#include <stdio.h>

/* 1 if ceilings_ensure() has nothing to measure. */
int ceilings_are_known(const workspace *ws, const assay_device_info *card);
/* Run assay-ceilings unless RESULTS/ceilings.json is there (`ws->results` must be set), of today's way of measuring and of `card`: another
 * card of the same name has other ceilings. Results can be measured without, so a failure is for the caller to report, not to stop at.
 * ASSAY_ERR_ENVIRONMENT: the program is missing or failed, and the message says how. */
assay_status ceilings_ensure(const workspace *ws, const assay_device_info *card, FILE *progress,
                             assay_error *error);

#endif

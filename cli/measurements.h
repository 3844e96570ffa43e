/* Times and rates as CTest measurements, for CDash: printed only where CTest runs the command, which strips them from
 * the output and keeps them in Test.xml. */
#ifndef ASSAY_CLI_MEASUREMENTS_H
#define ASSAY_CLI_MEASUREMENTS_H

#include "core/workspace.h"

/* Of the verdict of the one case that the filter matches: seconds, max_ulp and error_over_bound. Nothing for
 * more cases than one. */
void measurements_of_verdict(const workspace *ws, const case_filter *filter);

/* Of all results of the filter's ops, dtypes and sizes, baselines included: NAME.MODE.mean_us, .tflops, .gbs
 * and .percent_of_bound, where NAME is a variant or baseline_NAME; with several ops, dtypes or sizes
 * OP.NAME.DTYPE.SIZE. NAME.status is a text. */
void measurements_of_results(const workspace *ws, const case_filter *filter);

#endif

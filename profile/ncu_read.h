/* Reader of what ncu prints as CSV: the raw page (`--page raw`, a column a metric, units in the second row) and the details page
 * (`--page details`, a row a metric, with ncu's rules), of all versions seen (2020 to 2025). It asks nobody and runs nothing.
 *
 * Lines that are no table (==PROF==, what the program printed) are passed over, numbers are read with the separators of any locale, and
 * values that are no numbers ("n/a", "nan", "") are counted and stay unknown. */
#ifndef ASSAY_PROFILE_NCU_READ_H
#define ASSAY_PROFILE_NCU_READ_H

#include "profile/launch_profile.h"
#include <assay/status.h>

/* Add what a page says to `profile` (zeroed at first). A value that is there already stays: read the raw page before the details.
 * ASSAY_ERR_ENVIRONMENT: the driver gives no counters (ERR_NVGPUCTRPERM), with what to do. ASSAY_ERR_FORMAT: no table of kernels in it;
 * the message quotes ncu's own complaint. ASSAY_ERR_NO_MEMORY. The caller releases `profile`, also after an error. */
assay_status ncu_read_page(const char *text, launch_profile *profile, assay_error *error);

/* Add the lines of a source page (`--page source`) to the kernels of `profile`. */
assay_status ncu_read_source(const char *text, launch_profile *profile, assay_error *error);

/* A number as ncu writes it; NAN if it is none. `decimal_comma`: 1.234,5 instead of 1,234.5. */
double ncu_read_number(const char *text, int decimal_comma);
/* 1 if the text shows by a number that a comma is its decimal sign. */
int ncu_has_decimal_comma(const char *text);
/* The factor from a unit of ncu ("Kbyte/block", "us", "Ghz") to the base unit of a metric. */
double ncu_unit_scale(const char *unit, metric_unit base);

/* The message for a complaint about permission; 0 if the text has none. */
int ncu_explain_permission(const char *text, char *out, size_t out_bytes);

#endif

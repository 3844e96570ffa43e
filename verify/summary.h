/* Counting outcomes and printing them, one line a case. */
#ifndef ASSAY_VERIFY_SUMMARY_H
#define ASSAY_VERIFY_SUMMARY_H

#include "verify/verify.h"

/* Count a verdict, keep it in summary->cases, and print "PASS name 65536 elements, max ulp 1, 0.42 s" or
 * "FAIL name: reason". */
void summary_add_verdict(verify_summary *summary, const char *name, const json_t *verdict, int quiet);

/* A case that could not be judged: one line on stderr. `exit_status` is 2 for wrong use, else 3. */
void summary_add_error(verify_summary *summary, const char *name, const char *reason, int exit_status);

/* The line itself, without a newline. */
void summary_format(const char *name, const json_t *verdict, char *out, size_t out_bytes);

#endif

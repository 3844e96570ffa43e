/* Counting outcomes and printing them, one line a case. */
#ifndef ASSAY_VERIFY_SUMMARY_H
#define ASSAY_VERIFY_SUMMARY_H

#include "assay/status.h"
#include <jansson.h>

typedef struct verify_summary {
    int passed, failed, skipped;
    int errors;     /* cases that could not be judged: environment or wrong use, a message each on stderr */
    int error_exit; /* exit status that the first of them calls for */
    int interrupted;
    json_t *
        cases; /* array of {"name", "status", "reason", "seconds"} (golden: "id" and "torch_agrees" too); owned */
} verify_summary;

/* Count a verdict, keep it in summary->cases, and print "PASS name 65536 elements, max ulp 1, 0.42 s" or
 * "FAIL name: reason". */
void summary_add_verdict(verify_summary *summary, const char *name, const json_t *verdict, int quiet);

/* A case that could not be judged: one line on stderr. `exit_status` is 2 for wrong use, else 3. */
void summary_add_error(verify_summary *summary, const char *name, const char *reason, int exit_status);

/* A kernel that refuses some cases as unsupported and passes others is not verified: a failure for it. Called when all cases are judged. */
void summary_fail_partly_refused(verify_summary *summary, int quiet);

/* The line itself, without a newline. */
void summary_format(const char *name, const json_t *verdict, char *out, size_t out_bytes);

void verify_summary_release(verify_summary *summary);

/* 1 if something failed, 2 or 3 if something could not be judged, 77 if all was skipped, else 0; 130 if interrupted. */
int verify_summary_exit(const verify_summary *summary);

#endif

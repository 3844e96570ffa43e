/* The verdict of a case of a workspace, and whether it is of what would be timed now: of this kernel, this
 * reference and this op.json. The rest of a verdict file is verify's. */
#ifndef ASSAY_RESULTS_CASE_VERDICT_H
#define ASSAY_RESULTS_CASE_VERDICT_H

#include "core/workspace.h"

typedef struct case_verdict {
    /* As verify wrote it, "missing" (never verified) or "stale". Only "pass" may be timed. */
    char status[32];
    /* One line: verify's reason; of "stale" what it is of: "verdict is of another reference.c (..)". */
    char reason[640];
    json_t *document; /* owned; NULL where there is none */
} case_verdict;

/* The verdict of the case, or that of its edge cases where those did not pass: right at one size is not
 * right. Release it. */
void case_verdict_read(const workspace *ws, const assay_case *c, const module_record *module,
                       case_verdict *out);
void case_verdict_release(case_verdict *verdict);

/* Why a verdict that is no pass forbids timing, in one line: "correctness: stale: verdict is of another
 * reference.c (..); run assay verify again". */
void case_verdict_explain(const case_verdict *verdict, char *out, size_t bytes);

/* 1 if the case itself was verified with what is there now (whatever the verdict), 0 if it still must be. */
int case_is_verified(const workspace *ws, const assay_case *c);

/* What verify adds to a verdict, so that the above can tell: the hashes of the reference and of op.json's
 * deciding parts. */
void case_verdict_identify(const workspace *ws, const assay_case *c, json_t *verdict);

#endif

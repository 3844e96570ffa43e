/* One try at a kernel: compiled and judged. What went wrong is told apart, for the next prompt and for reports. */
#ifndef ASSAY_OPTIMIZE_ATTEMPT_H
#define ASSAY_OPTIMIZE_ATTEMPT_H

#include "outside/outside.h"

/* "passed", "does not compile", "wrong results", "crash", "time limit", "no case", and of what never came so far "refused change" and
 * "provider" (the callers'). */
typedef struct attempt {
    char error_class[24];
    char *message;      /* one or more lines: the compiler's, or the verdict's reason; owned */
    json_t *mismatches; /* array of the first wrong elements; owned, NULL: none */
    json_t *verdicts;   /* array of {"name", "status", "reason", "seconds"}; owned, NULL: not judged */
    int passed;
} attempt;

/* ASSAY_OK also for a wrong kernel. Others: nothing can be judged here (no compiler, no device, an interrupt). Release it always. */
assay_status attempt_judge(outside *o, const char *file, const char *name, const outside_request *request,
                           attempt *out, assay_error *error);
void attempt_release(attempt *a);

/* An attempt that failed before it could be judged. */
void attempt_fail(attempt *a, const char *error_class, const char *message);

/* {"error_class", "message", "mismatches"} for a prompt. New reference. */
json_t *attempt_json(const attempt *a);

#endif

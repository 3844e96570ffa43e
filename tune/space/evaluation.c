/* Names of statuses: see evaluation.h. */
#include "tune/space/evaluation.h"
#include <stddef.h>

static const char *const names[EVALUATION_STATUS_COUNT] = {
    [EVALUATION_SUCCESS] = "success",
    [EVALUATION_FAILED_COMPILE] = "failed_compile",
    [EVALUATION_FAILED_CORRECTNESS] = "failed_correctness",
    [EVALUATION_CRASHED] = "crashed",
    [EVALUATION_TIMEOUT] = "timeout",
    [EVALUATION_CONSTRAINTS] = "constraints",
};

const char *evaluation_status_name(evaluation_status status)
{
    return (unsigned)status < EVALUATION_STATUS_COUNT ? names[status] : NULL;
}

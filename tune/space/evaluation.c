/* Names of statuses: see evaluation.h. */
#include "tune/space/evaluation.h"
#include <stddef.h>
#include <string.h>

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

int evaluation_status_parse(const char *name, evaluation_status *status)
{
    for (int i = 0; i < EVALUATION_STATUS_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *status = (evaluation_status)i;
            return 1;
        }
    return 0;
}

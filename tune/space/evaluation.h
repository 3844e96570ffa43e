/* One configuration of a space, and what came of measuring it: the words that strategies, archive and tuner
 * share. */
#ifndef ASSAY_TUNE_EVALUATION_H
#define ASSAY_TUNE_EVALUATION_H

#include <stdint.h>

enum { SPACE_MAX_PARAMETERS = 32 };

/* For each parameter the index of its value; unused entries are 0, so that memcmp compares. */
typedef struct configuration {
    uint16_t index[SPACE_MAX_PARAMETERS];
} configuration;

/* How an evaluation ended. The numbers are stored in archives: append only. */
typedef enum evaluation_status {
    EVALUATION_SUCCESS = 0,
    EVALUATION_FAILED_COMPILE = 1,
    EVALUATION_FAILED_CORRECTNESS = 2,
    EVALUATION_CRASHED = 3,
    EVALUATION_TIMEOUT = 4,
    EVALUATION_CONSTRAINTS = 5 /* ruled out before compiling or running: a constraint, a resource limit */
} evaluation_status;
enum { EVALUATION_STATUS_COUNT = 6 };

/* "success", "failed_compile", "failed_correctness", "crashed", "timeout", "constraints"; NULL for another. */
const char *evaluation_status_name(evaluation_status status);

typedef struct evaluation {
    configuration configuration;
    evaluation_status status;
    double objective; /* time in us, smaller is better; NAN unless `status` is EVALUATION_SUCCESS */
} evaluation;

#endif

/* A recorded space: every configuration with what was measured, read from a T4 file or a cache of Kernel Tuner. */
#ifndef ASSAY_TUNE_RECORDED_H
#define ASSAY_TUNE_RECORDED_H

#include "tune/space/space.h"

typedef struct recorded {
    space *space;            /* its valid configurations are the recorded ones */
    evaluation *evaluations; /* by the rank of the configuration in `space` */
    double *cost_s;          /* compiling and measuring, by rank; 0 where the file does not say */
    long count, success_count;
    double optimum; /* least objective */
    double median;  /* of the successes */
    char name[128]; /* kernel and device as far as the file names them */
} recorded;

/* Reads T4 ("results") and Kernel Tuner's caches ("cache", whose closing braces may be missing). Rows that constraints
 * ruled out are left out. ASSAY_ERR_FORMAT names the file and what is wrong; a file without one success is refused. */
assay_status recorded_read(const char *path, recorded **out, assay_error *error);
void recorded_free(recorded *r);

/* What was recorded of a valid configuration. */
const evaluation *recorded_at(const recorded *r, const configuration *c);

#endif

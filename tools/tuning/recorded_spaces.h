/* Recorded spaces that are computed, not measured: models of kernels whose terms (waves, occupancy, reuse, pipelines,
 * spills, bank conflicts) make the search as hard as on a card. The same bytes on every machine. */
#ifndef ASSAY_TOOLS_RECORDED_SPACES_H
#define ASSAY_TOOLS_RECORDED_SPACES_H

#include "tune/space/evaluation.h"

enum { MODEL_MAX_PARAMETERS = 8, MODEL_MAX_VALUES = 12 };

typedef struct model_parameter {
    const char *name;
    int values[MODEL_MAX_VALUES]; /* ends in 0 after the first */
    int count;
} model_parameter;

typedef struct kernel_model {
    const char *name, *about;
    model_parameter parameters[MODEL_MAX_PARAMETERS];
    int parameter_count;
    /* Time in us of the values v, one a parameter; *status says how it would end. */
    double (*time_us)(const int *v, evaluation_status *status);
} kernel_model;

/* NULL past the end. */
const kernel_model *kernel_model_at(int number);

#endif

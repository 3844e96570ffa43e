/* What a group's time goes into, in seconds: told by the process that measures it, beside its exit status. */
#ifndef ASSAY_BENCH_GROUP_PHASES_H
#define ASSAY_BENCH_GROUP_PHASES_H

#include <stddef.h>

typedef enum group_phase {
    GROUP_START,     /* opening the device, loading the kernels */
    GROUP_INPUTS,    /* drawing and uploading them */
    GROUP_BASELINES, /* preparing them */
    GROUP_REFERENCE, /* waiting for expected outputs, and comparing with them */
    GROUP_TIMING,
    GROUP_WRITING, /* results; and releasing everything */
    GROUP_PHASES
} group_phase;

const char *group_phase_name(group_phase phase);

/* As text: a number a phase, with blanks between. Reading adds; what is not there counts as 0. */
void group_phases_print(const double seconds[GROUP_PHASES], char *out, size_t bytes);
void group_phases_add(const char *text, double seconds[GROUP_PHASES]);

#endif

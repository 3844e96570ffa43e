/* What a second gate is: the types that the table (findings.h), its tests (finding_tests.h) and the classifier share. */
#ifndef ASSAY_PROFILE_FINDING_H
#define ASSAY_PROFILE_FINDING_H

#include "profile/launch_profile.h"

typedef enum bottleneck_kind {
    BOTTLENECK_MEMORY,
    BOTTLENECK_COMPUTE,
    BOTTLENECK_LATENCY,
    BOTTLENECK_OCCUPANCY,
    BOTTLENECK_LAUNCH,
    BOTTLENECK_BALANCED,
    BOTTLENECK_UNKNOWN,
    BOTTLENECK_KINDS
} bottleneck_kind;

/* What is looked at: a kernel; the least bytes that the op's definition must move; and the measured share of the card's bandwidth in
 * percent, where there are no counters. NAN: not known. */
typedef struct evidence {
    const profiled_kernel *kernel;
    double least_bytes, bandwidth_percent;
} evidence;

enum { FINDING_CITES = 3, FINDING_TEXT = 256, FINDINGS_MAX = 48 };

typedef struct finding_rule finding_rule;
struct finding_rule {
    const char *key, *means;
    unsigned kinds;                 /* bits 1 << bottleneck_kind that it explains */
    metric_id cites[FINDING_CITES]; /* METRIC_COUNT: none */
    /* 0: it does not hold, else how much of the kernel's cost it may explain, up to 1; the numbers go to `out`. */
    double (*test)(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT]);
    double (*line)(const profile_line *line); /* finds the line at fault; NULL: no line can be */
    const char *change, *source;
};

typedef struct finding {
    const finding_rule *rule;
    double severity;
    char numbers[FINDING_TEXT];
    const profile_line *line; /* borrowed; NULL: not known */
} finding;

#endif

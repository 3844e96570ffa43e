/* Second gates: single conditions on a kernel's metrics, each with what it means and the change that it favours. One table
 * (findings.c), documented in docs/bottlenecks.md. */
#ifndef ASSAY_PROFILE_FINDINGS_H
#define ASSAY_PROFILE_FINDINGS_H

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

/* All that hold, the severest first. Returns how many. */
int findings_collect(const evidence *given, finding out[FINDINGS_MAX]);
/* The table. */
const finding_rule *findings_rules(int *count);

/* The busiest pipe of the multiprocessor; METRIC_COUNT: none known. */
metric_id findings_top_pipe(const metric_set *set);
/* What keeps more blocks from fitting: "registers", "shared memory", "warps", "blocks", "" unknown. */
const char *findings_occupancy_limit(const metric_set *set);

#endif

/* What is known of one launch: its kernels with their metrics, and where in the source the cost lies. ncu fills it (profile/ncu_read.h),
 * and a device that counts may fill it (profile/profile.h); the pages and the classifier do not ask who did. */
#ifndef ASSAY_PROFILE_LAUNCH_PROFILE_H
#define ASSAY_PROFILE_LAUNCH_PROFILE_H

#include "profile/metrics.h"
#include <stddef.h>

enum { PROFILE_NAME_MAX = 512, PROFILE_MOST_KERNELS = 256, PROFILE_MOST_LINES = 4096 };

/* What ncu's own rules say. Owned. */
typedef struct profile_rule {
    char *section, *name, *type, *text; /* type: "INF", "WRN", "OPT" */
    double speedup;                     /* ncu's estimate in percent; NAN: none */
} profile_rule;

/* Events that a line of the source causes; 0 where none, or not known. */
typedef struct profile_line {
    char *file; /* owned; "" for a machine instruction without a line */
    int line;
    char *text;                                  /* owned; the source, or the instruction */
    double samples;                              /* of a warp that was there, by the sampler */
    double stalls[LAST_STALL - FIRST_STALL + 1]; /* of these, by reason */
    double instructions;                         /* executed, by warps */
    double sectors;                              /* global sectors that it touched */
    double excess_sectors;                       /* of these, more than the bytes need */
    double excess_wavefronts;                    /* shared-memory passes more than without conflicts */
    double local_sectors;                        /* local memory */
    double divergent;                            /* branches on which a warp parted */
    metric_origin origin;
} profile_line;

typedef struct profiled_kernel {
    int id; /* ncu's number of it */
    char name[PROFILE_NAME_MAX], grid[64], block[64], compute[16];
    metric_set metrics;
    int rule_count, line_count;
    profile_rule *rules;
    profile_line *lines;
} profiled_kernel;

typedef struct launch_profile {
    int count;
    profiled_kernel *kernels;
    int unusable;        /* values that were there and no numbers: "n/a", "nan" */
    char complaint[512]; /* what ncu complained of; "" nothing */
    char note
        [256]; /* what a reader must know of the launch: where and at which dimensions it was counted; "" nothing */
} launch_profile;

/* The kernel with this id and name, added if it is not there; NULL without memory or with too many. */
profiled_kernel *launch_profile_kernel(launch_profile *profile, int id, const char *name);
/* The line of a file, added if it is not there; NULL without memory or with too many. */
profile_line *profiled_kernel_line(profiled_kernel *kernel, const char *file, int line, const char *text);
void launch_profile_release(launch_profile *profile);

/* The kernel that took the most time, where no times are known that with the most instructions, or the only one; NULL of an empty
 * profile. */
const profiled_kernel *launch_profile_longest(const launch_profile *profile);
/* Sum of a metric over the kernels; NAN if one does not have it. */
double launch_profile_sum(const launch_profile *profile, metric_id id);
/* The line with the most of what `of` gives, rather the kernel's own than one of the toolkit's headers; NULL if it is 0 everywhere. */
const profile_line *profiled_kernel_worst(const profiled_kernel *kernel,
                                          double (*of)(const profile_line *line));

#endif

/* Exact counts of a device that executes a kernel's instructions, a line of the source each: how they become metrics and lines of a
 * profile (origin METRIC_COUNTED). The device fills counted_line and knows nothing of profiles; a profile_counter (profile/profile.h) runs
 * the device and calls counted_add_kernel(). */
#ifndef ASSAY_PROFILE_COUNTED_H
#define ASSAY_PROFILE_COUNTED_H

#include "profile/launch_profile.h"
#include <assay/status.h>
#include <stdint.h>

/* Summed over all blocks. Requests and instructions are a warp's. */
typedef struct counted_line {
    const char *file, *text; /* text: the source of the line; "" not known */
    int line;
    uint64_t instructions, lanes; /* lanes: active ones of the instructions */
    uint64_t tensor, barriers, atomics;
    uint64_t branches, divergent; /* conditional ones; those on which the warp parted */
    uint64_t global_requests, global_sectors,
        global_ideal; /* sectors of 32 bytes, and the fewest that could hold the bytes */
    uint64_t shared_requests, shared_wavefronts, shared_ideal; /* passes, and those without bank conflicts */
} counted_line;

/* Add a kernel's launch to `out`. ASSAY_ERR_NO_MEMORY also for more kernels or lines than a profile holds. */
assay_status counted_add_kernel(launch_profile *out, const char *name, const uint32_t grid[3],
                                const uint32_t block[3], const counted_line *lines, int line_count,
                                assay_error *error);

#endif

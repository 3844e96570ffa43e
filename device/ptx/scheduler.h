/* What a host thread of a launch starts with. */
#ifndef ASSAY_DEVICE_PTX_SCHEDULER_H
#define ASSAY_DEVICE_PTX_SCHEDULER_H

#include "device/ptx/exec.h"

typedef struct worker_start {
    launch_state *launch;
    struct line_counter *counters; /* of this thread; NULL without PTX_CHECK_COUNTERS */
    uint32_t share;                /* gangs that run side by side from the start */
} worker_start;

/* The place in the grid of a block of a gang. */
void gang_block(const launch_state *launch, uint64_t gang_number, uint32_t rank, uint32_t index[3]);

#endif
